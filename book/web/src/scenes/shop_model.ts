/** The model behind the shop: requests, a listen queue, workers, and cores that are shared.
 *
 * A discrete-event model with a clock of its own, in whole microseconds. It knows nothing of
 * pictures or of real time. README.md says in which order things happen that fall together, and how
 * processor sharing is rounded; tests/unit/test_scenes.py holds both to a second model, in Python. */
import type { Values } from './parameters';
import { Queue } from './event_queue';

export const SECOND = 1_000_000;
const SHARES = 1024; // work is reckoned in 1/1024 microseconds of a core
const LINEAR_RETRIES = 4; // as `retry_delay` of labs/theory/laws.py
const LONGEST_PAUSE = 6; // doublings: 64 s

export type State = 'away' | 'refused' | 'queued' | 'computing' | 'waiting' | 'gone';

/** One request under way, or a user between two of them. The picture reads it. */
export interface Request {
  id: number;
  state: State;
  returns: boolean; // a user, who asks again; else a visitor, who asks once
  asked: number; // when it knocked first
  rounds: number; // answers so far
  lost: number; // SYNs in a row that found no place
  cpu: number; // microseconds
  wait: number;
  tag: number; // of the cores' share: where its work will be done
}

/** What is asked of the shop. Numbers whole; places in the listen queue and workers may be infinite. Of
 * the visitors who come at a rate each asks once. */
export type Settings = Pick<Values, 'users' | 'rate' | 'cores' | 'workers' | 'places'>;

/** Where times come from: dice, or a trace. Microseconds; cpu + wait + think is above 0. */
export interface Times {
  cpu(id: number): number;
  wait(id: number): number;
  /** Before a user asks again; undefined: it doesn't. */
  think(id: number): number | undefined;
  /** Until the next visitor, at so many a second. */
  gap(rate: number): number;
}

export type Happening = 'ask' | 'queue' | 'refuse' | 'start' | 'computed' | 'done';

/** Sums since the model began. Differences between two of them are a measurement. */
const NOTHING = {
  now: 0,
  asked: 0,
  done: 0,
  refusals: 0,
  response: 0, // microseconds, of those done
  underWay: 0, // requests times microseconds
  busyCores: 0, // cores times microseconds
};

export type Totals = typeof NOTHING;

interface Timer {
  at: number;
  order: number;
  what: 'ask' | 'again' | 'answer' | 'visitor';
  request: Request | undefined;
  call: number; // of `visitor`: void when the rate has changed since
}

/** Microseconds from a lost SYN, the nth in a row, to the next try. */
export function pause(lost: number): number {
  return SECOND * 2 ** Math.min(LONGEST_PAUSE, Math.max(0, lost - LINEAR_RETRIES - 1));
}

const whole = (a: number, b: number) => (a - (a % b)) / b; // exact below 2^53

export class ShopModel {
  now = 0;
  /** Everybody there is: users, and visitors under way. */
  readonly requests = new Map<number, Request>();
  /** The listen queue, first come first. */
  readonly line: Request[] = [];
  inService = 0;
  underWay = 0;
  log: ((at: number, what: Happening, id: number) => void) | undefined;

  #cores = new Queue<Request>((a, b) => a.tag < b.tag || (a.tag === b.tag && a.id < b.id));
  #timers = new Queue<Timer>((a, b) => a.at < b.at || (a.at === b.at && a.order < b.order));
  #order = 0;
  #ids = 0;
  #users = 0;
  #share = 0; // what each request on the cores has had since the beginning
  #sharedAt = 0;
  #call = 0;
  #sums = { ...NOTHING };

  constructor(
    private settings: Settings,
    private times: Times,
  ) {}

  get onCores(): number {
    return this.#cores.size;
  }

  get busyCores(): number {
    return Math.min(this.#cores.size, this.settings.cores);
  }

  /** The sums up to now. */
  totals(): Totals {
    this.#addUp();
    return { ...this.#sums };
  }

  /** Others are asked for from now on; users that are too many leave after their answer. */
  change(settings: Settings): void {
    this.#addUp();
    this.#shareOut();
    const rate = this.settings.rate;
    this.settings = settings;
    if (settings.rate !== rate) this.#expectVisitor();
    while (this.inService < settings.workers && this.line.length > 0) this.#begin(this.line.shift()!);
    for (const user of this.requests.values()) {
      if (this.#users <= settings.users) break;
      if (user.returns && user.state === 'away') this.#dismiss(user);
    }
  }

  /** Users come, the first after `after`, spread evenly over so many microseconds. */
  bring(count: number, spread: number, after = 0): void {
    for (let i = 0; i < count; i += 1) {
      this.#users += 1;
      this.#later(after + whole(spread * i, count), 'ask', this.#somebody(true));
    }
  }

  get present(): number {
    return this.#users;
  }

  /** One visitor knocks, now or later. */
  send(after = 0): void {
    this.#later(after, 'ask', this.#somebody(false));
  }

  /** When the next thing happens; infinite if nothing will. */
  get nextAt(): number {
    return Math.min(this.#timers.top?.at ?? Infinity, this.#computedAt());
  }

  /** Everything that happens up to that time, and the clock set to it. */
  run(until: number): void {
    while (this.nextAt <= until) this.step();
    this.now = Math.max(this.now, until);
  }

  /** The next thing that happens. */
  step(): void {
    const computed = this.#computedAt();
    const due = this.#timers.top?.at ?? Infinity;
    if (computed === Infinity && due === Infinity) return;
    this.now = Math.min(computed, due);
    this.#addUp();
    if (computed <= due) {
      this.#shareOut();
      this.#computed(this.#cores.pop()!);
      return;
    }
    const timer = this.#timers.pop()!;
    const { request } = timer;
    if (timer.what === 'visitor') {
      if (timer.call === this.#call) {
        this.#ask(this.#somebody(false));
        this.#expectVisitor();
      }
    } else if (request!.state !== 'gone') {
      if (timer.what === 'ask') this.#ask(request!);
      else if (timer.what === 'again') this.#knock(request!);
      else this.#done(request!);
    }
  }

  #somebody(returns: boolean): Request {
    const request: Request = {
      ...{ id: this.#ids++, state: 'away', returns, asked: 0 },
      ...{ rounds: 0, lost: 0, cpu: 0, wait: 0, tag: 0 },
    };
    this.requests.set(request.id, request);
    return request;
  }

  #dismiss(request: Request): void {
    if (request.returns) this.#users -= 1;
    request.state = 'gone';
    this.requests.delete(request.id);
  }

  #later(after: number, what: Timer['what'], request?: Request): void {
    this.#timers.push({ at: this.now + after, order: this.#order++, what, request, call: this.#call });
  }

  #expectVisitor(): void {
    this.#call += 1;
    if (this.settings.rate > 0) this.#later(this.times.gap(this.settings.rate), 'visitor');
  }

  #ask(request: Request): void {
    request.asked = this.now;
    request.lost = 0;
    this.#sums.asked += 1;
    this.underWay += 1;
    this.log?.(this.now, 'ask', request.id);
    this.#knock(request);
  }

  #knock(request: Request): void {
    if (this.inService < this.settings.workers && this.line.length === 0) {
      this.#begin(request);
    } else if (this.line.length < this.settings.places) {
      request.state = 'queued';
      this.line.push(request);
      this.log?.(this.now, 'queue', request.id);
    } else {
      request.state = 'refused';
      request.lost += 1;
      this.#sums.refusals += 1;
      this.log?.(this.now, 'refuse', request.id);
      this.#later(pause(request.lost), 'again', request);
    }
  }

  #begin(request: Request): void {
    request.cpu = this.times.cpu(request.id);
    request.wait = this.times.wait(request.id);
    this.inService += 1;
    this.log?.(this.now, 'start', request.id);
    if (request.cpu === 0) {
      this.#computed(request);
      return;
    }
    this.#shareOut();
    request.state = 'computing';
    request.tag = this.#share + request.cpu * SHARES;
    this.#cores.push(request);
  }

  #computed(request: Request): void {
    this.log?.(this.now, 'computed', request.id);
    request.state = 'waiting';
    if (request.wait > 0) this.#later(request.wait, 'answer', request);
    else this.#done(request);
  }

  #done(request: Request): void {
    this.log?.(this.now, 'done', request.id);
    this.#sums.done += 1;
    this.#sums.response += this.now - request.asked;
    this.underWay -= 1;
    this.inService -= 1;
    request.rounds += 1;
    request.state = 'away';
    if (this.line.length > 0 && this.inService < this.settings.workers) {
      this.#begin(this.line.shift()!);
    }
    const leaves = !request.returns || this.#users > this.settings.users;
    const think = leaves ? undefined : this.times.think(request.id);
    if (think === undefined) this.#dismiss(request);
    else this.#later(think, 'ask', request);
  }

  /** When the first request on the cores will have its work done, by their present number. */
  #computedAt(): number {
    const first = this.#cores.top;
    if (!first) return Infinity;
    const rate = SHARES * this.busyCores;
    const left = (first.tag - this.#share) * this.#cores.size;
    return left <= 0 ? this.#sharedAt : this.#sharedAt + whole(left + rate - 1, rate);
  }

  /** Each request on the cores gets its part of the time since the last change. */
  #shareOut(): void {
    const { size } = this.#cores;
    if (size > 0) {
      this.#share += whole((this.now - this.#sharedAt) * SHARES * this.busyCores, size);
    }
    this.#sharedAt = this.now;
  }

  #addUp(): void {
    const sums = this.#sums;
    const passed = this.now - sums.now;
    sums.underWay += passed * this.underWay;
    sums.busyCores += passed * this.busyCores;
    sums.now = this.now;
  }
}
