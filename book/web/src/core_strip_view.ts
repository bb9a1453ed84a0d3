/** The view of `labs.panel.core_strip_view.CoreStripView`: what each core did while a run went on.
 *
 * A canvas, because a run is painted by the very machine that it measures: this costs a hundredth
 * of what plotly takes for the same. It is drawn when its model changes, which is between levels,
 * and when the page's width or theme does; in between nothing runs. */
import type { RenderProps } from '@anywidget/types';
import { make } from './make';
import { stroke, ticks, words } from './scenes/sketch';
import { onTheme } from './themes';

/** Times in seconds, shares as fractions, from the top downwards. */
interface Strip {
  at: number[];
  seconds: number;
  rows: { name: string; parts: number[][] }[]; // of each part its share at each time
  parts: { name: string; colour: string; hatch: string }[];
  counts: { name: string; colour: string; dashed: boolean; values: (number | null)[] }[];
}

const ROW = 44; // pixels, as everything here
const GAP = 8;
const LEFT = 56;
const RIGHT = 12;
const AXIS = 38; // below the rows
const TICKS = 6; // at most, of seconds

function render({ model, el }: RenderProps<{ strip: Strip; alt: string }>): () => void {
  const canvas = make('canvas', { role: 'img' });
  const legend = make('figcaption');
  const figure = make('figure', { class: 'wt-view wt-core-strip' }, canvas, legend);
  el.append(figure);

  const redraw = () => {
    const strip = model.get('strip');
    figure.hidden = strip.at.length === 0;
    if (figure.hidden || figure.clientWidth === 0) return; // the observer comes when it is shown
    drawLegend(legend, strip);
    draw(canvas, figure.clientWidth, strip, getComputedStyle(figure));
    canvas.dataset.drawn = String(strip.at.length);
  };
  const tell = () => canvas.setAttribute('aria-label', model.get('alt'));
  const widths = new ResizeObserver(redraw);
  const themes = onTheme(redraw);
  widths.observe(el);
  model.on('change:strip', redraw);
  model.on('change:alt', tell);
  tell();
  redraw();
  return () => {
    widths.disconnect();
    themes.disconnect();
    model.off('change:strip', redraw);
    model.off('change:alt', tell);
  };
}

function draw(canvas: HTMLCanvasElement, width: number, strip: Strip, style: CSSStyleDeclaration): void {
  const bands = strip.rows.length + 1;
  const height = bands * (ROW + GAP) + AXIS;
  const scale = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.style.width = '100%';
  canvas.style.height = `${height}px`;
  const g = canvas.getContext('2d')!;
  g.scale(scale, scale);
  g.font = `12px ${style.fontFamily}`;
  g.textBaseline = 'middle';
  const pen = { g, muted: style.color };
  const right = width - RIGHT;
  const floor = (y: number) => {
    g.globalAlpha = 0.45;
    stroke(pen, style.color, [[LEFT, y + 0.5], [right, y + 0.5]]);
    g.globalAlpha = 1;
  };
  const x = (at: number) => LEFT + (at / strip.seconds) * (right - LEFT);
  const top = (band: number) => band * (ROW + GAP);

  strip.rows.forEach(({ name, parts }, band) => {
    const bottom = top(band) + ROW;
    const below = strip.at.map(() => 0);
    parts.forEach((shares, number) => {
      const upper = shares.map((share, n) => Math.min(1, below[n]! + share));
      g.beginPath();
      strip.at.forEach((at, n) => g.lineTo(x(at), bottom - ROW * upper[n]!));
      for (let n = strip.at.length - 1; n >= 0; n--) g.lineTo(x(strip.at[n]!), bottom - ROW * below[n]!);
      const { colour, hatch } = strip.parts[number]!;
      g.fillStyle = colour;
      g.fill();
      if (hatch) {
        g.fillStyle = hatched(g, hatch);
        g.fill();
      }
      upper.forEach((share, n) => (below[n] = share));
    });
    floor(bottom);
    words(pen, name, LEFT - 8, bottom - ROW / 2, 1);
  });

  const bottom = top(bands - 1) + ROW;
  const most = Math.max(1, ...strip.counts.flatMap(({ values }) => values.map((value) => value ?? 0)));
  for (const { colour, dashed, values } of strip.counts) {
    const points: number[][] = [];
    values.forEach((value, n) => {
      if (value === null) return;
      const at = x(strip.at[n]!);
      const before = points.at(-1);
      if (before) points.push([at, before[1]!]); // a count changes at once
      points.push([at, bottom - (ROW - 2) * (value / most)]);
    });
    stroke(pen, colour, points, 2, dashed ? [2, 4] : []);
  }
  floor(bottom);
  words(pen, most, LEFT - 8, bottom - ROW + 6, 1);
  words(pen, 0, LEFT - 8, bottom - 4, 1);
  const whole = Math.min(TICKS, strip.seconds); // no tick is of a part of a second
  for (const at of ticks(strip.seconds, whole)) words(pen, at, x(at), bottom + 12, 0.5);
  words(pen, 'seconds since the load began', (LEFT + right) / 2, bottom + 29, 0.5);
}

/** Strokes over a colour, so that it is not told by colour alone. */
function hatched(pen: CanvasRenderingContext2D, kind: string): CanvasPattern {
  const tile = document.createElement('canvas');
  tile.width = tile.height = 6;
  const stroke = tile.getContext('2d')!;
  stroke.strokeStyle = stroke.fillStyle = 'rgba(255,255,255,0.55)';
  if (kind === '/') {
    for (const shift of [-6, 0, 6]) {
      stroke.moveTo(shift, 6);
      stroke.lineTo(shift + 6, 0);
    }
    stroke.stroke();
  } else {
    stroke.fillRect(2, 2, 2, 2);
  }
  return pen.createPattern(tile, 'repeat')!;
}

function drawLegend(legend: HTMLElement, strip: Strip): void {
  const names = [
    ...strip.parts.map(({ name, colour }) => ({ name, colour, kind: 'area' })),
    ...strip.counts.map(({ name, colour, dashed }) => ({ name, colour, kind: dashed ? 'dots' : 'line' })),
  ];
  legend.replaceChildren(
    ...names.map(({ name, colour, kind }) => {
      const entry = make('span', { class: `wt-key wt-key-${kind}` }, name);
      entry.style.setProperty('--key', colour);
      return entry;
    }),
  );
}

export default { render };
