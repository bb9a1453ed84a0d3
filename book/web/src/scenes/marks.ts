/** The marks of requests. */
import type { Pen } from './look';

const SHADES = 24; // of a part of a core

export type Mark = 'waiting' | 'computing' | 'queued' | 'refused' | 'away' | 'free';

/** `share`: of a core. */
export function mark(pen: Pen, kind: Mark, radius: number, x: number, y: number, share = 1): void {
  const { g } = pen;
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
  if (kind === 'queued') fill(pen.muted);
  else if (kind === 'away') rim(pen.muted);
  else if (kind === 'waiting') {
    fill(pen.wash);
    rim(pen.accent);
  } else if (kind === 'computing') {
    fill(pen.accent, 0.2);
    rim(pen.accent);
    circle((radius * Math.round(SHADES * Math.sqrt(share))) / SHADES); // filled is its part of a core
    fill(pen.accent);
  } else if (kind === 'refused') {
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
