/** Numbers in words. What isn't known yet is NaN, and a dash. */
import { SECOND } from './shop_model';

/** Three digits, more for whole numbers that have more: 0.0203, 318, 1267. */
export function short(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '–';
  return String(Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3)));
}

export function seconds(value: number): string {
  if (value > 0 && value < 0.9995) return `${short(1000 * value)} ms`;
  return short(value) + (Number.isFinite(value) ? ' s' : '');
}

/** Of microseconds. */
export const time = (us: number) => seconds(us / SECOND);

/** What a clock of microseconds shows. */
export const clock = (us: number, digits = 2) => `${(us / SECOND).toFixed(digits)} s`;

export const percent = (part: number) => (Number.isNaN(part) ? '–' : `${Math.round(100 * part)} %`);

/** 1 core, 2 cores. */
export const some = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;

/** An answer to a bet on throughput. */
export const rate = (X: number) => ({ value: X, words: `${short(X)} requests a second` });
