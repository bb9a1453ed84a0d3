/** Memory pages of a master and its workers after a fork: shared until somebody writes to them.
 *
 * A worker is the twin of its master. CODE is never written, nor is LOADED, which comes with the
 * application; each request writes to some of DATA. Time is in whole microseconds. */
import type { Dice } from './dice';

export const CODE = 16; // pages of the interpreter and its libraries
export const LOADED = 16; // pages of the application that are only read
export const DATA = 40; // pages of the application that get written to
export const ALL = CODE + LOADED + DATA; // what a process has in memory, its RSS
export const REQUEST_US = 10_000; // from one request to the next

export interface Worker {
  own: boolean[]; // of DATA: a copy of its own
  answers: number;
}

export class Pages {
  readonly workers: Worker[] = [];
  now = 0;
  #due = REQUEST_US;
  #turn = 0;

  constructor(
    count: number,
    readonly preload: boolean,
    readonly written: number, // pages for each request
    private dice: Dice,
  ) {
    this.resize(count);
  }

  /** The master forks, or sends the youngest home. */
  resize(count: number): void {
    this.workers.length = Math.min(this.workers.length, count);
    while (this.workers.length < count) {
      // Without preload a worker loads the application itself, onto pages of its own.
      this.workers.push({ own: new Array<boolean>(DATA).fill(!this.preload), answers: 0 });
    }
  }

  run(until: number): void {
    while (this.#due <= until) this.step();
    this.now = until;
  }

  /** The next worker answers; the pages of DATA that it had to copy. */
  step(): { who: number; copied: number[] } {
    this.now = this.#due;
    this.#due += REQUEST_US;
    const who = this.#turn % this.workers.length;
    this.#turn = who + 1;
    const worker = this.workers[who]!;
    const copied: number[] = [];
    for (let i = 0; i < this.written; i += 1) {
      const page = Math.floor(this.dice.uniform() * DATA);
      if (!worker.own[page]) copied.push(page);
      worker.own[page] = true;
    }
    worker.answers += 1;
    return { who, copied };
  }

  /** Pages that are really used, the master's included: the sum of all PSS. */
  get used(): number {
    const base = this.preload ? ALL : CODE;
    const each = this.preload ? 0 : LOADED;
    return this.workers.reduce((sum, { own }) => sum + each + own.filter(Boolean).length, base);
  }

  /** Pages of one process, each divided among those who share it; -1 is the master. */
  pss(who: number): number {
    const processes = this.workers.length + 1;
    if (!this.preload) return CODE / processes + (who < 0 ? 0 : LOADED + DATA);
    let pages = (CODE + LOADED) / processes;
    for (let page = 0; page < DATA; page += 1) {
      const alone = who >= 0 && this.workers[who]!.own[page];
      pages += alone ? 1 : 1 / (1 + this.workers.filter(({ own }) => !own[page]).length);
    }
    return pages;
  }

  /** What chance lets expect of `used`: of DATA, each write leaves 1 - 1/DATA as it was. */
  get expected(): number {
    if (!this.preload) return this.used;
    const copies = this.workers.map(({ answers }) => copied(answers * this.written));
    return copies.reduce((sum, each) => sum + each, ALL);
  }

  /** Answers of the worker that has given fewest. */
  get fewest(): number {
    return Math.min(...this.workers.map(({ answers }) => answers));
  }
}

/** Pages of DATA that so many writes have reached, on average. */
export const copied = (writes: number) => DATA * (1 - (1 - 1 / DATA) ** writes);
