/** Workers that only compute, under a quota: they run at full speed until the budget of the period
 * is gone, then all stand still until the next. Whole microseconds, no dice, and no events: what is
 * done at a moment follows from how long the workers have run until then. */
import { upTo, type Values } from './parameters';

export const PERIOD = 100_000;

/** As the sliders say: logical cores, and what a pair of hyper-threads does in cores' worth; `cpu` in µs. */
export type Setting = Pick<Values, 'workers' | 'cores' | 'quota' | 'cpu' | 'pair'>;

/** Cores' worth of work of so many busy logical cores, the first of each pair before the second. */
export function worth(busy: number, { cores, pair }: Setting): number {
  const whole = Math.ceil(cores / 2);
  return busy <= whole ? busy : whole + (busy - whole) * (pair - 1);
}

export class Quota {
  readonly running: number; // logical cores at work, while they may
  readonly runs: number; // µs of a period
  readonly needs: number; // running µs of a worker for a request
  readonly workers: number[]; // 0, 1, …
  now = 0;

  constructor(readonly setting: Setting) {
    const { workers, cores, quota, cpu } = setting;
    this.workers = upTo(workers).map((nth) => nth - 1);
    this.running = Math.min(workers, cores);
    this.runs = Math.min(PERIOD, Math.floor((quota * PERIOD) / this.running));
    this.needs = Math.max(1, Math.ceil((cpu * workers) / worth(this.running, setting)));
  }

  /** How long the workers have run at that moment. */
  ran(at: number): number {
    return Math.floor(at / PERIOD) * this.runs + Math.min(at % PERIOD, this.runs);
  }

  /** The moment at which they have run for so long. */
  #moment(ran: number): number {
    return ran > 0 ? Math.floor((ran - 1) / this.runs) * PERIOD + ((ran - 1) % this.runs) + 1 : 0;
  }

  /** What a worker has done of its first request when all begin, so that they don't go in step. */
  #ahead(worker: number): number {
    return Math.floor((worker * this.needs) / this.setting.workers);
  }

  /** Requests of a worker that are done at that moment. */
  done(worker: number, at = this.now): number {
    return Math.floor((this.ran(at) + this.#ahead(worker)) / this.needs);
  }

  /** When a worker is done with its nth request, from 1. */
  doneAt(worker: number, nth: number): number {
    return this.#moment(nth * this.needs - this.#ahead(worker));
  }

  get answers(): number {
    return this.workers.reduce((all, worker) => all + this.done(worker), 0);
  }

  get throttled(): boolean {
    return this.runs < PERIOD;
  }

  /** Periods that were cut short; `nr_throttled` of cpu.stat. */
  get times(): number {
    return this.throttled ? Math.floor((this.now + PERIOD - this.runs) / PERIOD) : 0;
  }

  /** Response times of the last requests of each worker, at most so many; µs. */
  responses(most: number): number[] {
    return this.workers.flatMap((worker) => {
      const last = this.done(worker);
      const before = Math.max(1, last - most);
      return upTo(last - before).map((n) => this.doneAt(worker, before + n) - this.doneAt(worker, before + n - 1));
    });
  }
}
