/** For who hears the page, or goes through it by keys: a figure is one picture, what a panel says is said
 * as it comes, its sliders have names, and the focus does not get lost. */
import { make } from './make';

const SAID_MS = 5_000; // words stay for as long: who reads the page through meets them once
const SPOKEN = '[role="status"]'; // as labs/present/markup.py has it
const PANELS = '.wt-panel, .wt-replay, .cell_output';
const NEXT = '.wt-stop, .wt-run'; // buttons of a panel, the one of which is wanted next

/** Hides what plotly has drawn, whose ticks would be read one by one: the figure's label says what it
 * shows, and its numbers stand in the panel's data. Plotly's buttons stay. */
export function asOnePicture(node: HTMLElement): void {
  const figure = node.closest('figure[aria-label]');
  if (!figure) return;
  for (const layer of node.querySelectorAll('svg.main-svg')) layer.setAttribute('aria-hidden', 'true');
  nameNumbers(figure);
}

/** Live, a widget that stays while its table comes and goes. */
export function nameNumbers(figure: Element): void {
  const panel = figure.closest(PANELS);
  const data = [...(panel?.querySelectorAll('.widget-html.wt-data') ?? [])].at(-1);
  const numbers = data ?? [...(panel?.querySelectorAll('details.wt-data') ?? [])].at(-1);
  if (!numbers) return;
  numbers.id ||= `wt-${Math.random().toString(36).slice(2)}`; // each figure's script is one of its own
  figure.setAttribute('aria-details', numbers.id);
}

/** What is to be read out arrives together with its words, and that is not heard: so the words are put
 * into a node that was there before. At once: also those that are there already. */
export function sayAloud(host: HTMLElement, aloud: HTMLElement, atOnce: boolean): void {
  const take = (root: Element) => [...(root.matches(SPOKEN) ? [root] : []), ...root.querySelectorAll(SPOKEN)];
  const hush = (spoken: Element) => {
    spoken.removeAttribute('role'); // or some would hear it twice
    return spoken;
  };
  const say = (spoken: Element) => {
    const words = make('div', {}, ...hush(spoken).cloneNode(true).childNodes);
    aloud.append(words);
    setTimeout(() => words.remove(), SAID_MS);
  };
  take(host).forEach(atOnce ? say : hush);
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) {
      for (const node of addedNodes) if (node instanceof Element) take(node).forEach(say);
    }
  }).observe(host, { subtree: true, childList: true });
}

/** A slider's handle is what gets the focus, and ipywidgets leaves it without a name. */
function nameSlidersNow(host: Element): void {
  for (const slider of host.querySelectorAll('.widget-slider')) {
    const label = slider.querySelector('.widget-label')?.textContent?.trim();
    if (!label) continue;
    const handle = slider.querySelector('.noUi-handle');
    const readout = slider.querySelector('.widget-readout');
    for (const named of [handle, readout]) named?.setAttribute('aria-label', label);
    if (!slider.matches('.wt-choice') || !readout || !handle) continue;
    // Over a list of choices: ipywidgets tells the place in the list instead of the choice, and lets
    // one type into a readout that does not listen.
    readout.setAttribute('contenteditable', 'false');
    readout.setAttribute('aria-hidden', 'true');
    const chosen = readout.textContent!;
    if (handle.ariaValueText !== chosen) handle.ariaValueText = chosen; // who watches for it is told of each
  }
}

/** Names the sliders of a panel, now and whenever it changes. */
export function nameSliders(host: Element): void {
  nameSlidersNow(host);
  new MutationObserver(() => nameSlidersNow(host)).observe(host, {
    subtree: true,
    childList: true,
    attributeFilter: ['aria-valuetext'],
  });
}

function usable(node: Element): boolean {
  return !(node as HTMLButtonElement).disabled && node.checkVisibility();
}

/** In a panel: who commits to a number stands on Run, who presses Run on Stop, and on Run again
 * when the run has ended. A button that is disabled or hidden would drop the focus, and with it
 * whoever hears the page or goes through it by keys. */
export function keepFocus(host: HTMLElement): void {
  let orphan: Element | undefined; // what had the focus, until something else has it
  const forget = () => (orphan = undefined);
  host.ownerDocument.addEventListener('pointerdown', forget);
  new MutationObserver(() => {
    if (!host.isConnected) return host.ownerDocument.removeEventListener('pointerdown', forget);
    const active = document.activeElement;
    if (active && host.contains(active)) orphan = usable(active) ? undefined : active;
    else if (active !== document.body) orphan = undefined;
    const next = [...host.querySelectorAll<HTMLElement>(NEXT)].find(usable);
    if (!orphan || !next) return;
    orphan = undefined;
    next.focus({ preventScroll: true });
  }).observe(host, { subtree: true, attributeFilter: ['disabled', 'style', 'class'] });
}
