/** The marks of requests, each drawn once and then stamped: a hundred circles as one path cost a
 * frame, a hundred copies of a small picture don't. */
import type { Context, Pen } from './look';

export type Mark = 'waiting' | 'computing' | 'queued' | 'refused' | 'away' | 'free';
export type Stamp = (x: number, y: number) => void;

const SHADES = 24; // of a part of a core
const MARGIN = 2; // CSS pixels around a circle, for its line
const MOST = 200; // kept; more than a scene ever needs at one size

export class Stamps {
  #made = new Map<string, ImageBitmap>();

  /** Stamps that mark on the pen's canvas, its middle where it is put. `share`: of a core. */
  of(pen: Pen, mark: Mark, radius: number, share = 1): Stamp {
    const shade = mark === 'computing' ? Math.round(SHADES * Math.sqrt(share)) / SHADES : 1;
    const { canvas } = pen;
    if (!canvas) return (x, y) => paint(pen.g, pen, mark, radius, shade, x, y);
    // The theme's other colours change with its accent.
    const key = [mark, radius.toFixed(2), shade, pen.ratio, pen.accent].join();
    let picture = this.#made.get(key);
    if (!picture) {
      if (this.#made.size > MOST) this.#made.clear();
      picture = made(pen, mark, radius, shade);
      this.#made.set(key, picture);
    }
    const stamped = picture;
    const size = stamped.width / pen.ratio;
    return (x, y) => canvas.drawImage(stamped, x - size / 2, y - size / 2, size, size);
  }
}

function made(pen: Pen, mark: Mark, radius: number, shade: number): ImageBitmap {
  const size = Math.ceil((2 * radius + 2 * MARGIN) * pen.ratio);
  const canvas = new OffscreenCanvas(size, size);
  const g = canvas.getContext('2d')!;
  g.scale(pen.ratio, pen.ratio);
  const middle = size / pen.ratio / 2;
  paint(g as unknown as Context, pen, mark, radius, shade, middle, middle);
  return canvas.transferToImageBitmap(); // a canvas would be copied at each stamp
}

function paint(g: Context, pen: Pen, mark: Mark, radius: number, shade: number, x: number, y: number): void {
  g.lineWidth = Math.min(1.6, radius / 3);
  const circle = (r: number) => {
    g.beginPath();
    g.arc(x, y, r, 0, 7);
  };
  const fill = (colour: string, alpha = 1) => {
    g.globalAlpha = alpha;
    g.fillStyle = colour;
    g.fill();
    g.globalAlpha = 1;
  };
  const rim = (colour: string) => {
    g.strokeStyle = colour;
    g.stroke();
  };
  circle(radius);
  if (mark === 'queued') fill(pen.muted);
  else if (mark === 'away') rim(pen.muted);
  else if (mark === 'waiting') {
    fill(pen.wash);
    rim(pen.accent);
  } else if (mark === 'computing') {
    fill(pen.accent, 0.2);
    rim(pen.accent);
    circle(radius * shade); // the filled part of a dot is its part of a core
    fill(pen.accent);
  } else if (mark === 'refused') {
    for (const cross of [radius / 2, -radius / 2]) { // not by colour alone
      g.moveTo(x - cross, y - radius / 2);
      g.lineTo(x + cross, y + radius / 2);
    }
    rim(pen.warm);
  } else {
    g.globalAlpha = 0.45;
    g.lineWidth = 0.8;
    rim(pen.line);
    g.globalAlpha = 1;
  }
}
