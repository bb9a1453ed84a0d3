/** Connections that are dealt to processes with threads, each by a die; and what to expect of it. */
import type { Dice } from './dice';

export class Deals {
  split: number[] = []; // connections of each process, in the last deal
  served = 0; // of them have a thread, in the last deal
  count = 0;
  sum = 0; // of served
  everybody = 0; // deals in which all are served
  readonly counts = new Map<number, number>(); // served -> deals

  constructor(
    readonly users: number,
    readonly processes: number,
    readonly threads: number,
    private dice: Dice,
  ) {}

  deal(): void {
    const { users, processes, threads } = this;
    this.split = new Array<number>(processes).fill(0);
    for (let i = 0; i < users; i += 1) this.split[Math.floor(this.dice.uniform() * processes)]! += 1;
    this.served = this.split.reduce((sum, n) => sum + Math.min(n, threads), 0);
    this.count += 1;
    this.sum += this.served;
    if (this.served === users) this.everybody += 1;
    this.counts.set(this.served, (this.counts.get(this.served) ?? 0) + 1);
  }
}

/** Chances of 0, 1, … most events where so many are expected (Poisson). */
function chances(mean: number, most: number): number[] {
  let log = -mean;
  return Array.from({ length: most + 1 }, (_, n) => {
    if (n > 0) log += Math.log(mean / n);
    return Math.exp(log);
  });
}

/** Users who are served on average, and the chance that all are: exactly, for fair dice.
 *
 * Fair dice deal N connections as P independent Poisson processes would that had N in all. */
export function expected(N: number, P: number, T: number): { served: number; everybody: number } {
  const one = chances(N / P, N);
  const rest = chances((N * (P - 1)) / P, N);
  const all = chances(N, N)[N]!;
  let served = 0;
  for (let n = 0; n <= N; n += 1) {
    const others = P > 1 ? rest[N - n]! : Number(n === N);
    served += (P * Math.min(n, T) * one[n]! * others) / all;
  }
  let within = [1];
  for (let process = 0; process < P; process += 1) {
    const more = new Array<number>(N + 1).fill(0);
    within.forEach((chance, n) => {
      for (let k = 0; k <= T && n + k <= N; k += 1) more[n + k]! += chance * one[k]!;
    });
    within = more;
  }
  return { served, everybody: within[N]! / all };
}
