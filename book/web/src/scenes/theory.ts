/** The laws and the model that a scene is held against; labs/theory/laws.py and queueing.py in
 * other letters. Seconds and rates a second; tests hold the two to each other. */
import { upTo, type Values } from './parameters';

export interface Shop {
  D: number; // seconds on a core
  V: number; // seconds of waiting off the cores
  c: number; // cores
  W: number; // workers
  Z: number; // seconds between an answer and the next question
}

/** What the sliders say of it; if a request takes no time by them, then `least`. */
export const shopOf = ({ cpu, wait, cores, workers, think }: Values, least = 0): Shop => ({
  ...{ D: cpu + wait > 0 ? cpu : least, V: wait, c: cores, W: workers, Z: think },
});

const ceiling = (units: number, seconds: number) => (seconds > 0 ? units / seconds : Infinity);

/** X <= min(N / (D+V+Z), c / D, W / (D+V)): `bound` of laws.py. */
export function bound(N: number, { D, V, c, W, Z }: Shop): number {
  return Math.min(ceiling(N, D + V + Z), ceiling(c, D), ceiling(W, D + V));
}

/** R >= max(D+V, N D / c - Z, N (D+V) / W - Z): N / X - Z at the bound of X. */
export const responseBound = (N: number, shop: Shop) => N / bound(N, shop) - shop.Z;

/** The mean of `value` over the states 0 .. most, each `times` as likely as the one before. */
function mean(most: number, times: (k: number) => number, value: (k: number) => number): number {
  const logs = [0];
  for (const k of upTo(most)) logs.push(logs[k - 1]! + Math.log(times(k)));
  const top = Math.max(...logs);
  let all = 0;
  let sum = 0;
  logs.forEach((log, k) => {
    const weight = Math.exp(log - top);
    all += weight;
    sum += weight * value(k);
  });
  return sum / all;
}

/** X of m requests that share c cores: `sharing` of queueing.py. */
export function sharing(m: number, { D, V, c }: Shop): number {
  if (V === 0) return ceiling(Math.min(m, c), D);
  if (D === 0) return m / V;
  const busy = (k: number) => Math.min(k, c);
  return mean(m, (k) => ((m - k + 1) * D) / (V * busy(k)), busy) / D;
}

/** X of 1 .. most users, by `closed` of queueing.py; exact for W >= N, else within about 1 %. */
export function closed(most: number, shop: Shop): number[] {
  const { D, V, W, Z } = shop;
  const leaving = [0];
  for (const k of upTo(most)) leaving.push(k <= W ? sharing(k, shop) : leaving[k - 1]!);
  return upTo(most).map((N) => {
    if (Z === 0) return leaving[N]!;
    if (D + V === 0) return N / Z;
    return mean(N, (k) => (N - k + 1) / Z / leaving[k]!, (k) => leaving[k]!);
  });
}

/** X of so many users. */
export function throughput(N: number, shop: Shop): number {
  if (N < 1) return 0;
  if (shop.Z === 0) return sharing(Math.min(N, shop.W), shop);
  return closed(N, shop)[N - 1]!;
}

/** Mean wait in line of people who come by chance to W workers, each held for V: Erlang's C, exact
 * where times vary by chance (1); by Allen and Cunneen's rule where they vary less. */
export function line(rate: number, V: number, W: number, variation: number): number {
  const a = rate * V;
  if (a >= W) return Infinity;
  if (a === 0) return 0;
  let free = 1; // 1 / B of j workers without a line, by Erlang's recursion
  for (const j of upTo(W)) free = 1 + (free * j) / a;
  const busy = 1 / (free - (a / W) * (free - 1)); // C, that all are
  return ((busy * V) / (W - a)) * ((1 + variation ** 2) / 2);
}
