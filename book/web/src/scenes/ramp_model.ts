/** A master that counts its idle workers once a second, as Apache's prefork does: too few, and it
 * forks 1, then 2, 4, … at most 32; too many, and it sends one home. `looks` of labs/theory/laws.py. */
import { SECOND, ShopModel, type Times } from './shop_model';

export const LEAST_IDLE = 5;
export const MOST_IDLE = 10;
export const MOST_AT_ONCE = 32;
const PLACES = 511; // Apache's listen queue

export class Master {
  more = 1;

  constructor(
    public workers: number,
    readonly limit: number,
  ) {}

  /** What it does about so many idle ones: workers more, or one less. */
  look(idle: number): number {
    let change = 0;
    if (idle > MOST_IDLE) change = -1;
    if (idle >= LEAST_IDLE || this.workers >= this.limit) {
      this.more = 1;
    } else {
      change = Math.min(this.more, this.limit - this.workers);
      this.more = Math.min(2 * this.more, MOST_AT_ONCE);
    }
    this.workers += change;
    return change;
  }
}

/** A crowd comes to a pool that grows. */
export class Ramp {
  readonly master: Master;
  readonly shop: ShopModel;
  /** One a second; `outside` are users in line when the master looked, `there` those who had come. */
  readonly looks: { workers: number; outside: number; there: number }[] = [];
  longest = 0; // line

  constructor(
    first: number,
    limit: number,
    private users: number,
    private over: number, // microseconds within which they come
    times: Times,
  ) {
    this.master = new Master(Math.min(first, limit), limit);
    this.shop = new ShopModel(this.#settings, times);
    this.shop.bring(users, over);
    this.shop.run(0); // who comes at once is there
    this.longest = this.outside;
    this.#note();
  }

  get #settings() {
    return { users: this.users, rate: 0, cores: 64, workers: this.master.workers, places: PLACES };
  }

  get now(): number {
    return this.shop.now;
  }

  /** Users who have come so far. */
  get there(): number {
    if (this.now >= this.over) return this.users;
    return Math.min(this.users, 1 + Math.floor((this.now * this.users) / this.over));
  }

  get outside(): number {
    return this.shop.underWay - this.shop.inService;
  }

  /** When the next thing happens: in the shop, or the master looks. */
  get nextAt(): number {
    return Math.min(this.shop.nextAt, this.looks.length * SECOND);
  }

  run(until: number): void {
    while (this.nextAt <= until) this.step();
    this.shop.run(until);
  }

  /** The next thing that happens; what the master did, if it was its look. */
  step(): number | undefined {
    const look = this.looks.length * SECOND;
    if (this.shop.nextAt < look) {
      this.shop.step();
      this.longest = Math.max(this.longest, this.outside);
      return undefined;
    }
    this.shop.run(look);
    this.longest = Math.max(this.longest, this.outside);
    const change = this.master.look(this.master.workers - this.shop.inService);
    this.shop.change(this.#settings);
    this.#note();
    return change;
  }

  #note(): void {
    this.looks.push({ workers: this.master.workers, outside: this.outside, there: this.there });
  }
}
