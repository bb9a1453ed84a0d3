/** Busy threads that the operating system moves over the cores. Each stays on a core for a while,
 * then goes on at once on any core that is free, its own too, as the dice have it. Where several
 * move in the same microsecond, the first of them goes first. */
import type { Dice } from './dice';

export interface Stay {
  thread: number;
  core: number;
  from: number; // µs
  until: number;
}

const KEPT = 10e6; // µs that can be looked back

export class Hopping {
  now = 0;
  stays: Stay[] = []; // by when they began
  threads: Stay[] = []; // where each is

  constructor(
    private dice: Dice,
    readonly cores: number,
    threads: number,
    private time: () => number,
  ) {
    for (let thread = 0; thread < Math.min(threads, cores); thread += 1) this.#move(thread, 0);
  }

  get nextAt(): number {
    return Math.min(...this.threads.map(({ until }) => until));
  }

  run(until: number): void {
    while (this.nextAt <= until) this.step();
    this.now = until;
    if (this.stays.length > 999 && this.stays[499]!.until < until - KEPT) this.stays.splice(0, 500);
  }

  step(): Stay {
    const at = this.nextAt;
    this.now = at;
    return this.#move(this.threads.findIndex(({ until }) => until === at), at);
  }

  #move(thread: number, from: number): Stay {
    const others = this.threads.filter((stay) => stay.thread !== thread).map(({ core }) => core);
    const free = Array.from({ length: this.cores }, (_, core) => core).filter((core) => !others.includes(core));
    const core = free[Math.floor(this.dice.uniform() * free.length)]!;
    const stay = { thread, core, from, until: from + Math.max(1, this.time()) };
    this.threads[thread] = stay;
    this.stays.push(stay);
    return stay;
  }

  /** The busy part of each core in the last `window` µs, 0 to 1. */
  shares(window: number): number[] {
    const shares = Array.from({ length: this.cores }, () => 0);
    const length = Math.min(window, this.now);
    for (const { core, from, until } of this.stays) {
      const time = Math.min(until, this.now) - Math.max(from, this.now - length);
      if (time > 0) shares[core]! += time / length;
    }
    return shares;
  }
}
