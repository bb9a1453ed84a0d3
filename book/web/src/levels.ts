/** A recorded run level by level: its picture as it was when so many had been measured, a sentence on
 * each, and the verdict at the end. Marks, their error bars and the lines through them come and go;
 * what was known before the run stays. */
import { along, axesOf, type Axis } from './axes';
import { button, data, make } from './make';

/** Written by labs/present/levels.py. */
interface Run {
  levels: { at: number; words: string }[]; // at: on the x axes
  verdict: string[];
}

interface Spot {
  x: number;
  y: number;
}

interface Shape extends Spot {
  node: Element;
}

interface Line {
  node: Element;
  corners: Spot[];
}

const BEFORE = 'Before the run: the forecast is made, and nothing is measured yet.';
const MOVED = /^translate\((-?[\d.]+),(-?[\d.]+)\)$/; // a mark
const BAR = /^M(-?[\d.]+),(-?[\d.]+)h([\d.]+)m-/; // an error bar, from its cap on
const CORNER = /[ML](-?[\d.]+),(-?[\d.]+)/g;
const NEAR = 0.2; // pixels: pictures are drawn to a tenth of one

/** Offers it below the figure that stands before this element. */
export function offerLevels(script: Element): void {
  const run = data<Run>(script);
  const figure = script.previousElementSibling;
  if (run && figure instanceof HTMLElement && figure.querySelector('.wt-picture')) new Levels(figure, run);
}

class Levels {
  readonly #plots: Plot[];
  readonly #last: number; // step: the verdict
  readonly #open = button('Replay level by level', () => this.#begin());
  readonly #next = button('', () => this.#show(this.#step === this.#last ? 0 : this.#step + 1), 'wt-first');
  readonly #slider = make('input', { type: 'range', min: '0', step: '1', 'aria-label': 'Level' });
  readonly #where = make('span', { 'aria-hidden': 'true' }); // the slider says it
  readonly #controls = make('div', { class: 'wt-buttons' });
  readonly #said = make('div', { class: 'wt-said', role: 'status' });
  #step = 0;

  constructor(
    private readonly figure: HTMLElement,
    private readonly run: Run,
  ) {
    this.#plots = [...figure.querySelectorAll('.wt-picture > svg')].flatMap(plotsOf);
    this.#last = run.levels.length + 1;
    this.#slider.max = String(this.#last);
    this.#slider.addEventListener('input', () => this.#show(Number(this.#slider.value)));
    this.#open.className = 'wt-explore';
    this.#controls.append(this.#next, this.#slider, this.#where, button('Close', () => this.#end()));
    this.#controls.hidden = true;
    const node = make('div', { class: 'wt-levels-shown', role: 'group', 'aria-label': 'Replay level by level' });
    node.append(this.#open, this.#controls, this.#said);
    figure.insertBefore(node, figure.querySelector('figcaption'));
  }

  #begin(): void {
    this.figure.classList.add('wt-replaying');
    this.#open.hidden = true;
    this.#controls.hidden = false;
    this.#show(0);
    this.#next.focus();
  }

  #end(): void {
    this.figure.classList.remove('wt-replaying');
    this.#open.hidden = false;
    this.#controls.hidden = true;
    this.#said.replaceChildren();
    for (const plot of this.#plots) plot.upTo(Infinity);
    this.#open.focus();
  }

  #show(step: number): void {
    const { levels, verdict } = this.run;
    this.#step = step;
    const level = levels[Math.min(step, levels.length) - 1];
    for (const plot of this.#plots) plot.upTo(level ? level.at : -Infinity);
    const done = step === this.#last;
    const said = done ? verdict : [level ? level.words : BEFORE];
    const where = done ? 'the verdict' : level ? `level ${step} of ${levels.length}` : 'before the run';
    this.#said.replaceChildren(...said.map((words) => make('p', {}, words)));
    this.#slider.value = String(step);
    this.#slider.setAttribute('aria-valuetext', where);
    this.#where.textContent = where;
    this.#next.textContent = done ? 'From the start' : step === levels.length ? 'The verdict' : 'Next level';
  }
}

function plotsOf(picture: Element): Plot[] {
  const axes = axesOf(picture);
  const groups = [...picture.querySelectorAll(':scope > g[clip-path]')];
  return groups.flatMap((group) => {
    const begin = MOVED.exec(group.getAttribute('transform') ?? '')?.slice(1).map(Number);
    const name = ['', '2'].find((each) => {
      const [x, y] = [axes[`x${each}`], axes[`y${each}`]];
      return begin && x && y && Math.abs(x[1] - begin[0]!) < 1 && Math.abs(y[1] - begin[1]!) < 1;
    });
    return name === undefined ? [] : [new Plot(group, axes[`x${name}`]!)];
  });
}

/** What was measured in one plot of a picture, by where it lies. */
class Plot {
  readonly #marks: Shape[];
  readonly #bars: Shape[];
  readonly #lines: Line[];

  constructor(
    group: Element,
    private readonly axis: Axis,
  ) {
    const nodes = [...group.querySelectorAll('path')];
    this.#marks = nodes.flatMap((node) => {
      const found = MOVED.exec(node.getAttribute('transform') ?? '');
      return found ? [{ node, x: Number(found[1]), y: Number(found[2]) }] : [];
    });
    this.#bars = nodes.flatMap((node) => {
      const found = BAR.exec(drawn(node));
      return found ? [{ node, x: Number(found[1]) + Number(found[3]) / 2, y: Number(found[2]) }] : [];
    });
    // A line through marks stands right before them; a forecast may meet them all, and its error
    // bars stand in between.
    const marked = new Set(this.#marks.map(({ node }) => node));
    this.#lines = nodes
      .filter((node) => !marked.has(node) && marked.has(node.nextElementSibling!))
      .map((node) => ({ node, corners: cornersOf(drawn(node)) }))
      .filter(({ corners }) => corners.length > 1 && corners.every((corner) => this.#marked(corner)));
  }

  /** Hides what was measured beyond a place on the x axis. */
  upTo(place: number): void {
    const end = this.#pixel(place) + NEAR;
    for (const { node, x } of [...this.#marks, ...this.#bars]) node.classList.toggle('wt-later', x > end);
    for (const { node, corners } of this.#lines) {
      node.classList.toggle('wt-later', corners.at(-1)!.x > end);
      if (node.nextElementSibling?.matches('.wt-so-far')) node.nextElementSibling.remove();
      if (!node.classList.contains('wt-later')) continue;
      const part = node.cloneNode() as Element;
      part.setAttribute('class', 'wt-so-far');
      part.setAttribute('d', cut(corners, end));
      node.after(part);
    }
  }

  /** Where that is on the axis, whose ends are known to a pixel: the marks there lie more exactly. */
  #pixel(place: number): number {
    if (!Number.isFinite(place)) return place;
    const at = along(this.axis, place) * this.axis[2];
    return Math.max(at, ...this.#marks.map(({ x }) => x).filter((x) => Math.abs(x - at) < 1));
  }

  #marked(corner: Spot): boolean {
    return this.#marks.some(({ x, y }) => Math.hypot(x - corner.x, y - corner.y) < NEAR);
  }
}

function drawn(node: Element): string {
  return node.getAttribute('d') ?? '';
}

function cornersOf(path: string): Spot[] {
  return [...path.matchAll(CORNER)].map(([, x, y]) => ({ x: Number(x), y: Number(y) }));
}

/** The line up to there; a corner that lies on it straight may not have been drawn. */
function cut(corners: Spot[], end: number): string {
  let path = '';
  let before: Spot | undefined;
  for (const corner of corners) {
    if (corner.x > end) {
      if (before) path += `L${end},${before.y + ((end - before.x) / (corner.x - before.x)) * (corner.y - before.y)}`;
      break;
    }
    path += `${before ? 'L' : 'M'}${corner.x},${corner.y}`;
    before = corner;
  }
  return path;
}
