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
let count = 0; // of plots

/** Offers it below the figure that stands before this element. */
export function offerLevels(script: Element): void {
  const run = data<Run>(script);
  const figure = script.previousElementSibling;
  if (run && figure instanceof HTMLElement && figure.querySelector('.wt-picture')) offer(figure, run);
}

function offer(figure: HTMLElement, run: Run): void {
  const { levels, verdict, each, before } = run;
  const label = `Replay ${each} by ${each}`;
  const last = levels.length + Math.sign(verdict.length); // step: the verdict, if there is one
  let plots: Plot[] = []; // looked at when the first replay begins: most readers want none
  let step = 0;

  const open = button(label, begin, 'wt-explore');
  const next = button('', () => show(step === last ? 0 : step + 1), 'wt-button wt-first');
  const where = make('span', { 'aria-hidden': 'true' }); // the slider says it
  const slider = make('input', { type: 'range', min: '0', step: '1', max: `${last}` });
  slider.ariaLabel = each.replace(/^./, (letter) => letter.toUpperCase());
  slider.addEventListener('input', () => show(Number(slider.value)));
  const controls = make('div', { class: 'wt-buttons' }, next, where, slider, button('Close', end));
  // As high as the longest sentence, so that the page stands still.
  const words = [before, ...levels.map((level) => level.words)];
  const room = make('div', { class: 'wt-room', 'aria-hidden': 'true' }, ...words.map((said) => make('p', {}, said)));
  const saying = make('div', { class: 'wt-said', role: 'status' });
  controls.hidden = room.hidden = true;
  const node = make('div', { class: 'wt-levels-shown', role: 'group', 'aria-label': label });
  node.append(open, controls, make('div', { class: 'wt-room' }, room, saying));
  figure.insertBefore(node, figure.querySelector('figcaption'));

  function begin(): void {
    if (!plots.length) {
      const pictures = [...figure.querySelectorAll('.wt-picture > svg')];
      plots = pictures.flatMap((picture) => plotsOf(picture, run));
    }
    figure.classList.add('wt-replaying');
    open.hidden = true;
    controls.hidden = room.hidden = false;
    show(0);
    next.focus();
  }

  function end(): void {
    figure.classList.remove('wt-replaying');
    open.hidden = false;
    controls.hidden = room.hidden = true;
    saying.replaceChildren();
    for (const upTo of plots) upTo(Infinity, new Set());
    open.focus();
  }

  function show(now: number): void {
    step = now;
    const level = levels[step - 1];
    const done = step > levels.length;
    const place = step >= levels.length ? Infinity : level ? (level.at ?? Infinity) : -Infinity;
    const coming = new Set(levels.slice(step).map(({ colour }) => colour));
    for (const upTo of plots) upTo(place, coming);
    const said = done ? verdict : [level ? level.words : before];
    const told = done ? 'the verdict' : level ? `${each} ${step} of ${levels.length}` : 'before the run';
    saying.replaceChildren(...said.map((words) => make('p', {}, words)));
    slider.value = `${step}`;
    slider.setAttribute('aria-valuetext', told);
    where.textContent = told;
    next.textContent = step === last ? 'From the start' : step === levels.length ? 'The verdict' : `Next ${each}`;
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
    return [plotOf(group, [x, x2].find((axis) => there(axis, left)) ?? names, run.known)];
  });
}

/** Hides what lies beyond a place on the x axis, and what has one of these colours. */
type Plot = (place: number, coming: Set<string | undefined>) => void;

/** What is drawn in one plot of a picture, by where it lies and by its colour. */
function plotOf(group: Element, axis: Axis, known: string[]): Plot {
  const pieces: Piece[] = [];
  for (const node of group.querySelectorAll('path, text')) {
    const before = pieces.at(-1);
    // Words stand after the bar that they are on.
    pieces.push(node.tagName === 'text' && before ? { ...before, node } : { node, x: placeOf(node), colour: colourOf(node) });
  }
  const marks = pieces.filter(({ node }) => node.tagName === 'path' && node.hasAttribute('transform'));
  // Lines that are measured, and how they are cut anyway.
  const lines = pieces
    .filter(({ node, x }) => node.tagName === 'path' && x === -Infinity)
    .filter(({ node, colour }) => (known.length ? !known.includes(colour) : throughMarks(node, marks)))
    .map(({ node }) => ({ node, clip: node.getAttribute('clip-path') }));
  const seen = svg('rect', { height: 9999 }); // through which these are
  const name = `wt-landed-${(count += 1)}`;
  const clipPath = svg('clipPath', { id: name }); // is there while something is cut
  clipPath.append(seen);

  /** Where that is on the axis, whose ends are known to a pixel: the marks there lie more exactly. */
  const pixel = (place: number) => {
    if (!Number.isFinite(place)) return place;
    const at = along(axis, place) * axis[2];
    return Math.max(at, ...marks.map(({ x }) => x).filter((x) => Math.abs(x - at) < 1));
  };

  return (place, coming) => {
    const end = pixel(place) + NEAR;
    for (const { node, x, colour } of pieces) node.classList.toggle('wt-later', x > end || coming.has(colour));
    const cut = end < Infinity;
    if (cut) {
      seen.setAttribute('width', String(Math.max(0, end)));
      group.append(clipPath);
    } else clipPath.remove();
    for (const { node, clip } of lines) {
      node.classList.toggle('wt-cut', cut);
      if (cut) node.setAttribute('clip-path', `url(#${name})`);
      else if (clip) node.setAttribute('clip-path', clip);
      else node.removeAttribute('clip-path');
    }
  };
}

/** Such a line stands right before its marks; a forecast may meet them all, and its error bars
 * stand in between. */
function throughMarks(node: Element, marks: Piece[]): boolean {
  const corners = [...drawn(node).matchAll(CORNER)].map(([, x, y]) => [Number(x), Number(y)] as const);
  const meets = ([x, y]: readonly [number, number]) =>
    marks.some(({ node: mark }) => {
      const [, left, top] = MOVED.exec(mark.getAttribute('transform')!)!.map(Number);
      return Math.hypot(left! - x, top! - y) < NEAR;
    });
  const marked = marks.some(({ node: mark }) => mark === node.nextElementSibling);
  return marked && corners.length > 1 && corners.every(meets);
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
