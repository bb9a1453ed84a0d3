/** Threads that add to one counter, one instruction after another; whoever is chosen goes next.
 * No clock: the order is all there is. */
export type Instruction = 'read' | 'work' | 'write' | 'lock' | 'unlock';

/** What an addition consists of: without a lock, with a short one, with one around all of it. */
export const PROGRAMS: Instruction[][] = [
  ['read', 'work', 'write'],
  ['work', 'lock', 'read', 'write', 'unlock'],
  ['lock', 'read', 'work', 'write', 'unlock'],
];

export interface Thread {
  at: number; // the next instruction of its program
  done: number; // additions
  note: number; // what it has read
}

export interface Step {
  who: number;
  what: Instruction;
  counter: number; // afterwards
  over: number; // what a write found there
  note: number;
}

export class Interleaving {
  readonly program: Instruction[];
  counter!: number;
  holder!: number; // of the lock; -1 for nobody
  threads!: Thread[];
  steps!: Step[];
  written!: number;
  sideBySide!: number; // threads that were at work at once, at most

  constructor(
    readonly count: number,
    readonly rounds: number,
    lock: number,
  ) {
    this.program = PROGRAMS[lock]!;
    this.#begin();
  }

  #begin(): void {
    this.counter = this.written = this.sideBySide = 0;
    this.holder = -1;
    this.threads = Array.from({ length: this.count }, () => ({ at: 0, done: 0, note: 0 }));
    this.steps = [];
  }

  /** Its next instruction; undefined once it is through. */
  next(who: number): Instruction | undefined {
    return this.threads[who]!.done < this.rounds ? this.program[this.threads[who]!.at] : undefined;
  }

  /** Whether it can go on: it isn't through, and nobody has the lock that it wants. */
  can(who: number): boolean {
    const next = this.next(who);
    return next !== undefined && (next !== 'lock' || this.holder < 0);
  }

  get able(): number[] {
    return this.threads.map((_, who) => who).filter((who) => this.can(who));
  }

  get over(): boolean {
    return this.threads.every(({ done }) => done === this.rounds);
  }

  /** It goes one step, if it can. */
  go(who: number): Step | undefined {
    if (!this.can(who)) return undefined;
    const thread = this.threads[who]!;
    const what = this.next(who)!;
    const over = this.counter;
    if (what === 'read') thread.note = this.counter;
    else if (what === 'lock') this.holder = who;
    else if (what === 'unlock') this.holder = -1;
    else if (what === 'write') {
      this.counter = thread.note + 1;
      this.written += 1;
    }
    thread.at += 1;
    const atWork = this.threads.filter(({ at }) => this.program[at - 1] === 'work').length;
    this.sideBySide = Math.max(this.sideBySide, atWork);
    if (thread.at === this.program.length) {
      thread.at = 0;
      thread.done += 1;
    }
    const step = { who, what, counter: this.counter, over, note: thread.note };
    this.steps.push(step);
    return step;
  }

  /** As if the last step had not been. */
  back(): Step | undefined {
    const { steps } = this;
    const last = steps.pop();
    this.#begin();
    for (const { who } of steps) this.go(who);
    return last;
  }

  /** The least that can be left: 2 without a lock, if each adds more than once; with one, all. */
  get least(): number {
    const all = this.count * this.rounds;
    return this.program.includes('lock') ? all : Math.min(2, this.rounds, all);
  }
}
