/** What pictures are put together from. */
import type { Pen } from './look';

/** A box, filled or as an outline. */
export function box(pen: Pen, colour: string, x: number, y: number, w: number, h: number, alpha = 1): void {
  const { g } = pen;
  g.globalAlpha = Math.abs(alpha);
  g.fillStyle = g.strokeStyle = colour;
  g.lineWidth = 1;
  if (alpha > 0) g.fillRect(x, y, w, h);
  else g.strokeRect(x + 0.5, y + 0.5, w - 1, h - 1);
  g.globalAlpha = 1;
}

/** Words; `part` of them to the left of x: 0, 1/2 or 1. */
export function words(pen: Pen, text: string, x: number, y: number, part = 0, colour = pen.muted): void {
  const { g } = pen;
  g.fillStyle = colour;
  g.textAlign = part === 0 ? 'left' : part === 1 ? 'right' : 'center';
  g.fillText(text, x, y);
  g.textAlign = 'left';
}

export function stroke(pen: Pen, colour: string, points: number[][], width = 1, dash: number[] = []): void {
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
