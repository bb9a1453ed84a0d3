/** A recorded figure: a picture, until the reader points at it. Then plotly comes, which is ten
 * times the rest of a page's script, and draws it so that each point can be asked. */
import { nameNumbers } from './heard';
import { button, data, make } from './make';
import { draw, drawInstead, type Figure } from './plot';

const LABEL = 'Point at the values';
const DWELL_MS = 150; // a pointer that only passes by means nothing

/** Draws the figure when the reader points at it, taps it or asks for it; at once where it has no
 * picture. */
export function bringToLife(figure: HTMLElement): void {
  nameNumbers(figure);
  const picture = figure.querySelector<HTMLElement>('.wt-picture');
  if (!picture) return void drawInto(figure, figure.querySelector<HTMLElement>('.wt-plot')!);
  let dwelling: ReturnType<typeof setTimeout> | undefined;
  let asked = false;
  const wake = () => {
    if (asked) return;
    asked = true;
    void replace(figure, picture, explore).catch((reason: unknown) => {
      console.error(reason);
      asked = false;
      explore.textContent = `${LABEL}: that did not load, try again`;
    });
  };
  const explore = button(LABEL, wake, 'wt-explore');
  picture.after(explore);
  picture.addEventListener('pointerenter', (event) => {
    if (event.pointerType === 'mouse') dwelling = setTimeout(wake, DWELL_MS);
  });
  picture.addEventListener('pointerleave', () => clearTimeout(dwelling));
  picture.addEventListener('click', wake);
}

/** Behind the picture until it is drawn, so that nothing flickers. The picture stays, for print. */
async function replace(figure: HTMLElement, picture: Element, button: Element): Promise<void> {
  const plot = make('div', { class: 'wt-plot wt-behind' });
  picture.after(plot);
  try {
    await draw(await window.wallTime.plotly(), plot, withGuess(figure));
  } catch (reason) {
    plot.remove();
    throw reason;
  }
  const focused = button === document.activeElement;
  button.remove();
  plot.classList.remove('wt-behind');
  figure.classList.add('wt-drawn');
  if (!focused) return;
  plot.tabIndex = -1; // the button had the focus, which must not get lost
  plot.focus();
}

async function drawInto(figure: HTMLElement, plot: HTMLElement): Promise<void> {
  try {
    const plotly = await window.wallTime.plotly();
    plot.replaceChildren(); // the words that stood in for it; its label keeps them
    await draw(plotly, plot, withGuess(figure));
  } catch (reason) {
    console.error(reason);
    plot.textContent = `The figure cannot be drawn: ${(reason as Error).message}`;
  }
}

/** With the reader's bet, where plotly has drawn it before there was one. */
export function drawAgain(figure: HTMLElement): void {
  const plot = figure.querySelector<HTMLElement>('.wt-plot');
  if (plot) drawInstead(plot, withGuess(figure)).catch(console.error);
}

/** The recorded figure itself, as the build has written it. */
export function recordedIn(figure: HTMLElement): Figure {
  return data<Figure>(figure.querySelector('script[type="application/json"]'))!;
}

/** And the reader's bet. */
function withGuess(figure: HTMLElement): Figure {
  const { data, layout } = recordedIn(figure);
  return { data: [...data, ...(JSON.parse(figure.dataset.guess ?? '[]') as object[])], layout };
}
