/** A recorded run as it landed: its picture as it was after so many levels, steps or ways, a sentence
 * on each, and the verdict at the end. What lies further along the x axis, or has the colour of what
 * comes later, is hidden; lines and areas are cut there. What was known before the run stays. */
import { along, axesOf, type Axis } from './axes';
import { button, data, make, svg } from './make';

/** Written by labs/present/levels.py. */
interface Run {
  levels: Level[];
  verdict: string[]; // may be empty
  each: string; // what one of them is called
  before: string; // what is said when nothing has landed
  known: string[]; // colours of lines and areas from before the run; else all are but those through marks
}

interface Level {
  words: string;
  at?: number; // how far it reaches on the x axes; names count from 0, each in the middle of its room
  colour?: string; // in which it is drawn
}

interface Piece {
  node: Element;
  x: number; // where it lies; before everything, if it is not to be hidden by that
  colour: string;
}

const MOVED = /^translate\((-?[\d.]+),(-?[\d.]+)\)$/; // a plot, or a mark in it
const ERROR_BAR = /^M(-?[\d.]+),-?[\d.]+h([\d.]+)m-/; // from its cap on
const BAR = /^M(-?[\d.]+),-?[\d.]+V-?[\d.]+H(-?[\d.]+)V-?[\d.]+Z$/;
const CORNER = /[ML](-?[\d.]+),(-?[\d.]+)/g;
const NEAR = 0.2; // pixels: pictures are drawn to a tenth of one

/** Offers it below the figure that stands before this element. */
export function offerLevels(script: Element): void {
  const run = data<Run>(script);
  const figure = script.previousElementSibling;
  if (run && figure instanceof HTMLElement && figure.querySelector('.wt-picture')) new Levels(figure, run);
}

class Levels {
  #plots: Plot[] = []; // looked at when the first replay begins: most readers want none
  readonly #last: number; // step: the verdict, if there is one
  readonly #open: HTMLButtonElement;
  readonly #next = button('', () => this.#show(this.#step === this.#last ? 0 : this.#step + 1), 'wt-first');
  readonly #slider = make('input', { type: 'range', min: '0', step: '1' });
  readonly #where = make('span', { 'aria-hidden': 'true' }); // the slider says it
  readonly #controls = make('div', { class: 'wt-buttons' });
  readonly #said = make('div', { class: 'wt-said', role: 'status' });
  readonly #room: HTMLElement; // as high as the longest sentence, so that the page stands still
  #step = 0;

  constructor(
    private readonly figure: HTMLElement,
    private readonly run: Run,
  ) {
    const { levels, verdict, each, before } = run;
    const label = `Replay ${each} by ${each}`;
    this.#last = levels.length + Math.sign(verdict.length);
    this.#slider.max = String(this.#last);
    this.#slider.ariaLabel = each.replace(/^./, (letter) => letter.toUpperCase());
    this.#slider.addEventListener('input', () => this.#show(Number(this.#slider.value)));
    this.#open = button(label, () => this.#begin());
    this.#open.className = 'wt-explore';
    this.#controls.append(this.#next, this.#where, this.#slider, button('Close', () => this.#end()));
    const words = [before, ...levels.map((level) => level.words)];
    this.#room = make('div', { class: 'wt-room', 'aria-hidden': 'true' }, ...words.map((said) => make('p', {}, said)));
    this.#controls.hidden = this.#room.hidden = true;
    const node = make('div', { class: 'wt-levels-shown', role: 'group', 'aria-label': label });
    node.append(this.#open, this.#controls, make('div', { class: 'wt-room' }, this.#room, this.#said));
    figure.insertBefore(node, figure.querySelector('figcaption'));
  }

  #begin(): void {
    if (!this.#plots.length) {
      const pictures = [...this.figure.querySelectorAll('.wt-picture > svg')];
      this.#plots = pictures.flatMap((picture) => plotsOf(picture, this.run));
    }
    this.figure.classList.add('wt-replaying');
    this.#open.hidden = true;
    this.#controls.hidden = this.#room.hidden = false;
    this.#show(0);
    this.#next.focus();
  }

  #end(): void {
    this.figure.classList.remove('wt-replaying');
    this.#open.hidden = false;
    this.#controls.hidden = this.#room.hidden = true;
    this.#said.replaceChildren();
    for (const plot of this.#plots) plot.upTo(Infinity, new Set());
    this.#open.focus();
  }

  #show(step: number): void {
    const { levels, verdict, each, before } = this.run;
    const level = levels[step - 1];
    const done = step > levels.length;
    const place = step >= levels.length ? Infinity : level ? (level.at ?? Infinity) : -Infinity;
    const coming = new Set(levels.slice(step).map(({ colour }) => colour));
    for (const plot of this.#plots) plot.upTo(place, coming);
    const said = done ? verdict : [level ? level.words : before];
    const where = done ? 'the verdict' : level ? `${each} ${step} of ${levels.length}` : 'before the run';
    this.#step = step;
    this.#said.replaceChildren(...said.map((words) => make('p', {}, words)));
    this.#slider.value = String(step);
    this.#slider.setAttribute('aria-valuetext', where);
    this.#where.textContent = where;
    const next = step === levels.length ? 'The verdict' : `Next ${each}`;
    this.#next.textContent = step === this.#last ? 'From the start' : next;
  }
}

/** Those of a picture: what lies within axes. Titles and the legend are none. */
function plotsOf(picture: Element, run: Run): Plot[] {
  const { x, x2, y, y2 } = axesOf(picture);
  const there = (axis: Axis | undefined, begin: number) => axis && Math.abs(axis[1] - begin) < 1;
  return [...picture.querySelectorAll(':scope > g[transform]')].flatMap((group) => {
    const [, left, top] = (MOVED.exec(group.getAttribute('transform')!) ?? []).map(Number);
    const clipped = group.matches('[clip-path]') ? group : group.querySelector('[clip-path]');
    const clip = /#\w+/.exec(clipped?.getAttribute('clip-path') ?? '')?.[0];
    if (left === undefined || top === undefined) return [];
    if (!clip && !there(y, top) && !there(y2, top)) return [];
    const width = Number(clip ? picture.querySelector(`${clip} rect`)!.getAttribute('width') : 0);
    const names: Axis = ['linear', left, width, -0.5, run.levels.length - 0.5];
    return [new Plot(group, [x, x2].find((axis) => there(axis, left)) ?? names, run.known)];
  });
}

/** What is drawn in one plot of a picture, by where it lies and by its colour. */
class Plot {
  static #count = 0;
  readonly #pieces: Piece[] = [];
  readonly #marks: Piece[];
  readonly #lines: { node: Element; clip: string | null }[]; // that are measured, and how they are cut anyway
  readonly #window = svg('rect', { height: 9999 }); // through which these are seen
  readonly #name = `wt-landed-${Plot.#count++}`;
  readonly #clip = svg('clipPath', { id: this.#name }); // is there while something is cut

  constructor(
    private readonly group: Element,
    private readonly axis: Axis,
    known: string[],
  ) {
    for (const node of group.querySelectorAll('path, text')) {
      const before = this.#pieces.at(-1);
      // Words stand after the bar that they are on.
      const piece = node.tagName === 'text' && before ? { ...before, node } : { node, x: placeOf(node), colour: colourOf(node) };
      this.#pieces.push(piece);
    }
    this.#marks = this.#pieces.filter(({ node }) => node.tagName === 'path' && node.hasAttribute('transform'));
    const lines = this.#pieces.filter(({ node, x }) => node.tagName === 'path' && x === -Infinity);
    const measured = known.length
      ? lines.filter(({ colour }) => !known.includes(colour))
      : lines.filter(({ node }) => this.#throughMarks(node));
    this.#lines = measured.map(({ node }) => ({ node, clip: node.getAttribute('clip-path') }));
    this.#clip.append(this.#window);
  }

  /** Hides what lies beyond a place on the x axis, and what has one of these colours. */
  upTo(place: number, coming: Set<string | undefined>): void {
    const end = this.#pixel(place) + NEAR;
    for (const { node, x, colour } of this.#pieces) node.classList.toggle('wt-later', x > end || coming.has(colour));
    const cut = end < Infinity;
    if (cut) {
      this.#window.setAttribute('width', String(Math.max(0, end)));
      this.group.append(this.#clip);
    } else this.#clip.remove();
    for (const { node, clip } of this.#lines) {
      node.classList.toggle('wt-cut', cut);
      if (cut) node.setAttribute('clip-path', `url(#${this.#name})`);
      else if (clip) node.setAttribute('clip-path', clip);
      else node.removeAttribute('clip-path');
    }
  }

  /** Where that is on the axis, whose ends are known to a pixel: the marks there lie more exactly. */
  #pixel(place: number): number {
    if (!Number.isFinite(place)) return place;
    const at = along(this.axis, place) * this.axis[2];
    return Math.max(at, ...this.#marks.map(({ x }) => x).filter((x) => Math.abs(x - at) < 1));
  }

  /** Such a line stands right before its marks; a forecast may meet them all, and its error bars
   * stand in between. */
  #throughMarks(node: Element): boolean {
    const corners = [...drawn(node).matchAll(CORNER)].map(([, x, y]) => [Number(x), Number(y)] as const);
    const meets = ([x, y]: readonly [number, number]) =>
      this.#marks.some(({ node: mark }) => {
        const [, left, top] = MOVED.exec(mark.getAttribute('transform')!)!.map(Number);
        return Math.hypot(left! - x, top! - y) < NEAR;
      });
    const marked = this.#marks.some(({ node: mark }) => mark === node.nextElementSibling);
    return marked && corners.length > 1 && corners.every(meets);
  }
}

/** Where a mark, a bar or an error bar lies; lines and areas lie everywhere. */
function placeOf(node: Element): number {
  const mark = MOVED.exec(node.getAttribute('transform') ?? '');
  if (mark) return Number(mark[1]);
  const error = ERROR_BAR.exec(drawn(node));
  if (error) return Number(error[1]) + Number(error[2]) / 2;
  const bar = BAR.exec(drawn(node));
  return bar ? (Number(bar[1]) + Number(bar[2])) / 2 : -Infinity;
}

function colourOf(node: Element): string {
  const [stroke, fill] = ['stroke', 'fill'].map((name) => node.getAttribute(name));
  return (stroke && stroke !== 'none' ? stroke : fill) ?? '';
}

function drawn(node: Element): string {
  return node.getAttribute('d') ?? '';
}
