/** What pictures are put together from. */
import type { Pen } from './look';

/** A box, filled; with an alpha below 0 its outline. */
export function box(pen: Pen, colour: string, x: number, y: number, w: number, h: number, alpha = 1): void {
  const { g } = pen;
  g.globalAlpha = Math.abs(alpha);
  g.fillStyle = g.strokeStyle = colour;
  g.lineWidth = 1;
  if (alpha > 0) g.fillRect(x, y, w, h);
  else g.strokeRect(x + 0.5, y + 0.5, Math.max(0, w - 1), h - 1);
  g.globalAlpha = 1;
}

/** Words; `part` of them to the left of x: 0, 1/2 or 1. */
export function words(pen: Pick<Pen, 'g' | 'muted'>, text: string | number, x: number, y: number, part = 0, colour = pen.muted): void {
  const { g } = pen;
  g.fillStyle = colour;
  g.textAlign = part === 0 ? 'left' : part === 1 ? 'right' : 'center';
  g.fillText(String(text), x, y);
}

export function stroke(pen: Pick<Pen, 'g'>, colour: string, points: number[][], width = 1, dash: number[] = []): void {
  const { g } = pen;
  g.setLineDash(dash);
  g.strokeStyle = colour;
  g.lineWidth = width;
  g.beginPath();
  for (const [x, y] of points) g.lineTo(x!, y!);
  g.stroke();
  g.setLineDash([]);
}

export function dot(pen: Pen, colour: string, x: number, y: number, radius: number, filled = true): void {
  const { g } = pen;
  g.beginPath();
  g.arc(x, y, radius, 0, 7);
  g.fillStyle = g.strokeStyle = colour;
  g.lineWidth = 1.2;
  if (filled) g.fill();
  else g.stroke();
}

/** A box with round corners, filled or, dashed, as an outline. */
export function round(pen: Pen, colour: string, of: Box, corner: number, fill = '', dash: number[] = []): void {
  const { g } = pen;
  g.beginPath();
  g.roundRect(of.x, of.y, of.w, of.h, corner);
  g.fillStyle = fill;
  if (fill) g.fill();
  g.setLineDash(dash);
  g.strokeStyle = colour;
  g.lineWidth = 1.2;
  g.stroke();
  g.setLineDash([]);
}

export interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** Of which both scales begin at 0. */
export interface Plot extends Box {
  most: number; // of the scale across
  top: number; // of the one upwards
}

/** Where that is in a plot; what lies far above it, no further than that. */
export const place = ({ x, y, w, h, most, top }: Plot, across: number, up: number): [x: number, y: number] => [
  x + (w * across) / most,
  y + h * (1 - Math.min(4, up / top)),
];

/** What a plot is of, its ticks, and what stands at the end on the right. */
export function axes(pen: Pen, plot: Plot, title: string, ticks: number[], say: (value: number) => string, end: string): void {
  const { x, y, w, h, top } = plot;
  const floor = y + h;
  stroke(pen, pen.line, [[x, y], [x, floor], [x + w, floor]]);
  words(pen, title, x + 6, y - 8);
  for (const tick of ticks) words(pen, say(tick), x - 5, y + h * (1 - tick / top) + 5, 1);
  words(pen, 0, x, floor + 18);
  words(pen, end, x + w, floor + 18, 1);
}

/** From 0 to the top, in at most so many steps of 1, 2 or 5 times a power of ten. */
export function ticks(top: number, most: number): number[] {
  const ten = 10 ** Math.floor(Math.log10(top / most));
  const step = ten * ([1, 2, 5].find((times) => most * times * ten >= top) ?? 10);
  return Array.from({ length: Math.floor(top / step) + 1 }, (_, n) => n * step);
}

/** The dash of bounds and of what is averaged. */
export const DASH = [6, 5];
