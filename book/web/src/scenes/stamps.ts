/** The marks of requests, each drawn once and then stamped: a hundred circles as one path cost a
 * frame, a hundred copies of a small picture don't. */
import type { Pen } from './look';

export type Mark = 'waiting' | 'computing' | 'queued' | 'refused' | 'away' | 'free';
export type Stamp = (x: number, y: number) => void;

const SHADES = 24; // of a part of a core
const MARGIN = 2; // CSS pixels around a circle, for its line
const MOST = 200; // kept; more than a scene ever needs at one size

export class Stamps {
  private made = new Map<string, ImageBitmap>();

  /** Stamps that mark on the pen's canvas, its middle where it is put. `share`: of a core. */
  of(pen: Pen, mark: Mark, radius: number, share = 1): Stamp {
    const shade = mark === 'computing' ? Math.round(SHADES * Math.sqrt(share)) / SHADES : 1;
    const key = [mark, radius.toFixed(2), shade, pen.ratio, pen.accent, pen.warm, pen.muted].join();
    let picture = this.made.get(key);
    if (!picture) {
      if (this.made.size > MOST) this.made.clear();
      picture = draw(pen, mark, radius, shade);
      this.made.set(key, picture);
    }
    const { g } = pen;
    const stamped = picture;
    const size = stamped.width / pen.ratio;
    return (x, y) => g.drawImage(stamped, x - size / 2, y - size / 2, size, size);
  }
}

function draw(pen: Pen, mark: Mark, radius: number, shade: number): ImageBitmap {
  const size = Math.ceil((2 * radius + 2 * MARGIN) * pen.ratio);
  const canvas = new OffscreenCanvas(size, size);
  const g = canvas.getContext('2d')!;
  g.scale(pen.ratio, pen.ratio);
  g.translate(size / pen.ratio / 2, size / pen.ratio / 2);
  g.lineWidth = Math.min(1.6, radius / 3);
  const circle = (r: number) => {
    g.beginPath();
    g.arc(0, 0, r, 0, 7);
  };
  circle(radius);
  if (mark === 'waiting' || mark === 'computing') {
    g.fillStyle = mark === 'waiting' ? pen.wash : pen.accent;
    g.globalAlpha = mark === 'waiting' ? 1 : 0.2;
    g.fill();
    g.globalAlpha = 1;
    g.strokeStyle = pen.accent;
    g.stroke();
    if (mark === 'computing') {
      circle(radius * shade); // the filled part of a dot is its part of a core
      g.fillStyle = pen.accent;
      g.fill();
    }
  } else if (mark === 'queued') {
    g.fillStyle = pen.muted;
    g.fill();
  } else if (mark === 'refused') {
    const cross = radius * 0.5; // not by colour alone
    g.moveTo(-cross, -cross);
    g.lineTo(cross, cross);
    g.moveTo(cross, -cross);
    g.lineTo(-cross, cross);
    g.strokeStyle = pen.warm;
    g.stroke();
  } else {
    g.globalAlpha = mark === 'free' ? 0.45 : 1;
    g.lineWidth = mark === 'free' ? 0.8 : g.lineWidth;
    g.strokeStyle = mark === 'free' ? pen.line : pen.muted;
    g.stroke();
  }
  return canvas.transferToImageBitmap(); // a canvas would be copied at each stamp
}
