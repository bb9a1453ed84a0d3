/** Bet, then reveal, in a page without Python: what a recorded run has to say stands behind the
 * question that the live lab asks before a run. Without scripts, in print, and for who wants it so,
 * it is simply there. The words are those of labs/panel/prediction_prompt.py and labs/present/bet.py. */
import { along, axesOf } from './axes';
import * as kept from './browser_storage';
import { button, data, make, Refused, svg } from './make';
import { digits, say, shown, written } from './numbers';
import type { Figure } from './plot';
import { drawAgain, recordedIn } from './recorded';
import { BETS } from './scenes/bets';

/** Written by labs/recordings/replay.py. Numbers are in the unit that is typed. */
interface Bet {
  lab: string;
  words: string; // without question mark
  asked: string; // with it, and with the unit
  about: string;
  unit: string;
  model: number | null;
  measured: number | null;
  model_said: string;
  measured_said: string;
  band: [low: number, high: number] | null; // of the forecast
  unsettled: string; // why that measurement settles no bet; empty for one that does
  place: Place | null;
}

/** Where in the figure the answer lies, of throughput and response time over the users. */
interface Place {
  at: number; // on the x axes
  users: number;
  think_time_s: number;
}

interface Mark {
  axes: [x: string, y: string];
  x: number;
  y: number;
}

const CLOSE = 0.05; // as labs/present/bet.py has it
const GREEN = '#1b9e77'; // the reader's own, as labs/present/palette.py has it
const open: (() => void)[] = []; // of the page's bets, to be shown all at once

/** Before anything is painted: what stands behind a bet is not there yet. */
export function hideBehindBets(): void {
  document.documentElement.classList.toggle('wt-asks', !kept.alwaysShows());
}

export function askFor(replay: HTMLElement): void {
  const bet = data<Bet>(replay.querySelector(':scope > script.wt-bet-data'));
  if (!bet) return;
  const { lab, words, asked, about, unit, model, measured, band, unsettled } = bet;
  const node = make('div', { class: 'wt-bet', role: 'group', 'aria-label': 'Your prediction' });

  function begin(): void {
    const made = kept.read().predictions.filter((each) => each.lab === lab && each.question === words).pop();
    if (made) reveal(made.value);
    else if (kept.alwaysShows()) {
      show(make('p', {}, button('Ask me before showing what was recorded', () => showAlways(false))));
    } else if (kept.skipped(lab)) skip();
    else ask();
  }

  function ask(): void {
    replay.classList.remove('wt-open');
    delete replay.dataset.said;
    const always = make('input', { type: 'checkbox' });
    always.addEventListener('change', () => {
      showAlways(true);
      focus();
    });
    const done = (value?: number) => {
      if (value === undefined) skip();
      else {
        kept.foretold({ lab, question: words, unit, value, model, measured, band, fit: !unsettled });
        reveal(value);
      }
      focus();
    };
    node.replaceChildren(
      ...question(asked, unit, done, lab),
      make('label', { class: 'wt-always' }, always, ' Always show what was recorded, on all pages'),
    );
  }

  /** With the reader's number beside the model and the measurement. */
  function reveal(value: number): void {
    show(make('p', {}, answer(bet!, value)), value);
    drawOn(replay, bet!, value);
  }

  function skip(): void {
    show(make('p', {}, `Skipped: ${words}? The figure tells.`));
  }

  /** With what was bet, if anything, where a live lab that comes looks for it (cells.ts). */
  function show(said: HTMLElement, value: number | null = null): void {
    node.replaceChildren(said);
    replay.classList.add('wt-open');
    replay.dataset.said = JSON.stringify([lab, words, about, value]);
  }

  /** What had the focus is gone: it goes to what has come. */
  function focus(): void {
    node.tabIndex = -1;
    node.focus({ preventScroll: true });
  }

  replay.prepend(node);
  open.push(begin);
  begin();
}

/** The question and its field. `done` gets the number that is meant, or nothing from a reader who skips
 * it, which is remembered under that name. */
function question(
  words: string,
  unit: string,
  done: (value?: number) => void,
  name: string,
): HTMLElement[] {
  const number = make('input', { type: 'text', autocomplete: 'off', placeholder: unit });
  const problem = make('p', { class: 'wt-said', role: 'status' });
  const form = make(
    'form',
    {},
    make('label', {}, 'Your prediction ', number),
    make('button', { type: 'submit', class: 'wt-button wt-first' }, 'Commit'),
    button('Skip', () => {
      kept.skip(name);
      done();
    }),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    try {
      const value = written(number.value, unit);
      if (value <= 0) throw new Refused(`${shown(number.value)}: it is above zero.`);
      done(value);
    } catch (refused) {
      if (!(refused instanceof Refused)) throw refused;
      problem.textContent = refused.message;
      problem.classList.add('wt-problem');
      number.focus();
    }
  });
  return [make('p', {}, `Before you look: ${words}`), form, problem];
}

/** A scene asks (scenes/frame.ts): its question in that line, until there is a number or it is skipped.
 * `done` is told at once, and that nobody was asked, where that has been said before. */
export function askAtScene(
  line: HTMLElement,
  words: string,
  on: string,
  done: (value: number | undefined, asked: boolean) => void,
): void {
  const before = kept.played(words);
  if (before || kept.alwaysShows() || kept.skipped(words)) return done(before?.value ?? undefined, false);
  line.replaceChildren(
    ...question(words, BETS[on] ?? '', (value) => {
      if (value !== undefined) kept.play({ what: words, value });
      done(value, true);
    }, words),
  );
}

/** What came of a scene's bet, in words. */
export function judged(value: number, on: string, came: { value: number; words: string }): string {
  const none = { about: '', model: null, model_said: '', band: null, unsettled: '' };
  return answer({ ...none, unit: BETS[on] ?? '', measured: came.value, measured_said: came.words }, value);
}

function showAlways(yes: boolean): void {
  kept.showAlways(yes);
  hideBehindBets();
  for (const each of open) each();
}

/** As labs.present.bet.on_answer has it. */
function answer(bet: Omit<Bet, 'lab' | 'words' | 'asked' | 'place'>, value: number): string {
  let said = `You said ${say(value, bet.unit)}${bet.about && ` ${bet.about}`}`;
  if (bet.model !== null) said += `, the model ${bet.model_said}`;
  if (bet.measured === null) return `${said}; that was not measured.`;
  said = settled(`${said}, and it was ${bet.measured_said}`, bet, value, bet.measured);
  if (!bet.band) return said;
  const [low, high] = bet.band;
  const side = value < low ? 'below' : value > high ? 'above' : 'inside';
  return `${said} Your bet lay ${side} the forecast's band, ${digits(low)} to ${say(high, bet.unit)}.`;
}

const asSaid = (value: number): number => Number(digits(value).replace(/,/g, ''));

function settled(said: string, bet: Pick<Bet, 'unit' | 'unsettled'>, value: number, measured: number): string {
  if (bet.unsettled) return `${said}. ${bet.unsettled}`;
  if (bet.unit === '%') {
    const points = value - measured;
    if (Math.abs(points) <= 100 * CLOSE) return `${said}. Well predicted!`;
    return `${said}: yours was ${digits(Math.abs(points), 2)} percentage points too ${points > 0 ? 'high' : 'low'}.`;
  }
  if (!measured) return `${said}.`;
  if (Math.abs(value / measured - 1) <= CLOSE) return `${said}. Well predicted!`;
  const off = asSaid(value) / asSaid(measured) - 1;
  if (off >= 0.95) return `${said}: yours was ${digits(off + 1, 2)} times as much.`;
  if (off <= -0.95) return `${said}: it was ${digits(1 / (off + 1), 2)} times what you said.`;
  return `${said}: yours was ${digits(Math.abs(off) * 100, 2)}\u00a0% too ${off > 0 ? 'high' : 'low'}.`;
}

/** The reader's number on the pictures of the first figure, and in what plotly will draw. */
function drawOn(replay: HTMLElement, bet: Bet, value: number): void {
  const figure = replay.querySelector<HTMLElement>('figure.wt-recorded');
  if (!figure || !bet.place) return;
  const marks = marksOf(bet.place, value);
  const recorded = recordedIn(figure);
  figure.dataset.guess = JSON.stringify(
    marks.map(({ axes: [xaxis, yaxis], x, y }, nth) => {
      const [least, most] = within(recorded, yaxis);
      let [symbol, text] = ['star-diamond', ''];
      if (y > most) [symbol, text] = ['arrow-up', 'far above'];
      if (y < least) [symbol, text] = ['arrow-down', 'far below'];
      return {
        type: 'scatter', mode: 'markers+text', text: [text && `${text} `], textposition: 'middle left', name: 'your prediction', x: [x], y: [Math.min(Math.max(y, least), most)], xaxis, yaxis,
        marker: { color: GREEN, size: 13, symbol }, showlegend: nth === 0, legendgroup: 'your prediction',
        hovertemplate: `You said ${say(value, bet.unit)}${text && `, ${text} this`}<extra></extra>`,
      };
    }),
  );
  for (const picture of figure.querySelectorAll('.wt-picture > svg')) {
    picture.querySelectorAll('.wt-guess').forEach((old) => old.remove());
    for (const mark of marks) put(picture, mark);
  }
  drawAgain(figure);
}

/** Where a mark may lie without pressing the rest flat, as labs/kinds/sweep/figure.py has it. */
function within({ data, layout }: Figure, yaxis: string): [least: number, most: number] {
  const axis = layout?.[yaxis.replace('y', 'yaxis')] as { type?: string } | undefined;
  const beside = (data as { y?: number[]; yaxis?: string }[]).filter((trace) => (trace.yaxis ?? 'y') === yaxis);
  const values = beside.flatMap(({ y }) => (y ?? []).filter((value) => value > 0));
  return axis?.type === 'log' ? [Math.min(...values) / 10, Math.max(...values) * 10] : [0, Math.max(...values) * 3];
}

/** A throughput in its own plot, and in the other the response time that follows by Little's law. */
function marksOf({ at, users, think_time_s }: Place, rps: number): Mark[] {
  const both: Mark[] = [
    { axes: ['x', 'y'], x: at, y: rps },
    { axes: ['x2', 'y2'], x: at, y: (users / rps - think_time_s) * 1000 },
  ];
  return both.filter(({ y }) => y > 0);
}

/** A green diamond; at the edge, with an arrow, where the axis does not reach so far. */
function put(picture: Element, { axes: [across, up], x, y }: Mark): void {
  const { [across]: xAxis, [up]: yAxis } = axesOf(picture);
  if (!xAxis || !yAxis) return;
  const left = along(xAxis, x);
  const height = along(yAxis, y);
  const inside = Math.min(1.02, Math.max(-0.02, height));
  const [, top, length] = yAxis;
  const transform = `translate(${xAxis[1] + left * xAxis[2]},${top + (1 - inside) * length})`;
  const node = svg('g', { class: 'wt-guess', fill: GREEN, transform });
  const shape = height > 1.02 ? 'M0,-10 8,4 -8,4Z' : height < -0.02 ? 'M0,10 8,-4 -8,-4Z' : 'M0,-9 7,0 0,9 -7,0Z';
  const [beside, anchor] = left > 0.85 ? [-12, 'end'] : [12, 'start'];
  node.innerHTML = `<path d="${shape}"/><text x="${beside}" y="4" font-weight="bold" text-anchor="${anchor}">you</text>`;
  picture.append(node);
}
