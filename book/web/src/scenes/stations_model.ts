/** A closed shop as things in a row, with a line before each. A request takes a worker of the pool,
 * which is thing 0, and keeps it while it goes through all the others, one after another; then its
 * user asks again at once. First come, first served. What falls on one microsecond happens in the
 * order in which it was put down. A thing of which nothing is needed (0 µs) is passed by. */
import { Queue } from './event_queue';

/** How many there are of it, and for how long a request holds one, on average: whole microseconds. */
export interface Thing {
  units: number;
  us: number;
}

export class Stations {
  now = 0;
  done = 0;
  present = 0; // users
  readonly taken: number[]; // of each thing
  readonly lines: number[][]; // who stands before each
  readonly busy: number[]; // of each thing: units in use, times microseconds
  #order = 0;
  #next = new Queue<[at: number, order: number, id: number, thing: number]>(
    ([at, order], [at2, order2]) => at < at2 || (at === at2 && order < order2),
  );

  constructor(
    public things: Thing[],
    private users: number,
    private draw: (us: number) => number,
  ) {
    this.taken = things.map(() => 0);
    this.busy = things.map(() => 0);
    this.lines = things.map(() => []);
    this.#bring();
  }

  get nextAt(): number {
    return this.#next.top?.[0] ?? Infinity;
  }

  change(things: Thing[], users: number): void {
    this.things = things;
    this.users = users;
    this.#bring();
    things.forEach((_, thing) => this.#admit(thing));
  }

  run(until: number): void {
    while (this.nextAt <= until) this.step();
    this.#pass(until);
  }

  /** To the next that is done with a thing; which one, and whose request. */
  step(): [thing: number, id: number] {
    const [at, , id, thing] = this.#next.pop()!;
    this.#pass(at);
    this.#leave(thing);
    this.#come(id, thing + 1);
    return [thing, id];
  }

  #bring(): void {
    while (this.present < this.users) this.#come(this.present++, 0);
  }

  #pass(to: number): void {
    this.taken.forEach((taken, thing) => (this.busy[thing]! += taken * (to - this.now)));
    this.now = to;
  }

  #come(id: number, from: number): void {
    let thing = from;
    while (thing > 0 && this.things[thing]?.us === 0) thing += 1;
    if (thing === this.things.length) {
      this.done += 1;
      this.#leave(0);
      if (this.present > this.users) this.present -= 1;
      else this.#come(id, 0);
      return;
    }
    this.lines[thing]!.push(id);
    this.#admit(thing);
  }

  #leave(thing: number): void {
    this.taken[thing]! -= 1;
    this.#admit(thing);
  }

  #admit(thing: number): void {
    const { units, us } = this.things[thing]!;
    while (this.lines[thing]!.length > 0 && this.taken[thing]! < units) {
      const id = this.lines[thing]!.shift()!;
      this.taken[thing]! += 1;
      if (thing === 0) this.#come(id, 1);
      else this.#next.push([this.now + Math.max(1, this.draw(us)), (this.#order += 1), id, thing]);
    }
  }
}
