/** Who runs when: requests that take turns on cores, on one lock, or in one loop.
 *
 * A discrete-event model in whole microseconds, without chance. What falls on one microsecond happens
 * in this order, each by number: waits end; turns end; then free places go to the head of the ready
 * list. Who finds others ready, or is joined by them, has one turn more and gives way. */

export type State = 'away' | 'ready' | 'running' | 'waiting' | 'blocking';
export type Happening = 'run' | 'yield' | 'wait' | 'block' | 'done';

export interface Rules {
  cpu: number; // of each request, above 0
  wait: number; // after it
  places: number; // how many run at once
  turn: number; // after which it goes to the next who is ready; infinite: nobody is interrupted
  holds: boolean; // whether who blocks keeps its place
}

/** One user, who asks again at once. */
export interface Lane {
  id: number;
  state: State;
  since: number;
  until: number; // infinite while it is ready
  ran: number; // since when it has run
  left: number; // of its CPU time
  asked: number;
}

export interface Span {
  id: number;
  state: State;
  from: number;
  to: number;
}

const KEPT = 3000; // spans, for the picture

export class LanesModel {
  now = 0;
  readonly lanes: Lane[];
  readonly ready: Lane[] = [];
  spans: Span[] = [];
  log: ((at: number, what: Happening, id: number, took: number) => void) | undefined;
  #call = 0;
  #sums: Record<State, number> = { away: 0, ready: 0, running: 0, waiting: 0, blocking: 0 };

  /** `starts`: when each of them asks first. */
  constructor(
    readonly rules: Rules,
    starts: number[],
  ) {
    this.lanes = starts.map((until, id) => {
      return { id, state: 'away', since: 0, until, ran: 0, left: 0, asked: 0 };
    });
  }

  get nextAt(): number {
    return Math.min(...this.lanes.map(({ until }) => until));
  }

  /** The next who has computed makes one call that blocks for so long, in place of its wait. */
  insert(call: number): void {
    this.#call = call;
  }

  /** Lanes times microseconds in each state so far; they add up to all there is. */
  totals(): Record<State, number> {
    const all = { ...this.#sums };
    for (const { state, since } of this.lanes) all[state] += this.now - since;
    return all;
  }

  run(until: number): void {
    while (this.nextAt <= until) this.happen();
    this.now = until;
  }

  happen(): void {
    const at = (this.now = this.nextAt);
    const due = this.lanes.filter((lane) => lane.until === at);
    for (const lane of due) if (lane.state !== 'running') this.#answered(lane);
    for (const lane of due) if (lane.state === 'running' && lane.until === at) this.#turned(lane);
    const { places, holds } = this.rules;
    const held = this.lanes.filter(({ state }) => state === 'running' || (holds && state === 'blocking'));
    for (let free = places - held.length; free > 0 && this.ready.length > 0; free -= 1) {
      const lane = this.ready.shift()!;
      this.#go(lane, 'running');
      this.#grant(lane);
      this.log?.(at, 'run', lane.id, 0);
    }
    if (this.ready.length === 0) return;
    for (const lane of this.lanes) {
      if (lane.state === 'running') lane.until = Math.min(lane.until, at + this.rules.turn);
    }
  }

  #turned(lane: Lane): void {
    const { now, rules } = this;
    lane.left -= now - lane.ran;
    if (lane.left > 0) {
      if (this.ready.length === 0) return this.#grant(lane);
      this.log?.(now, 'yield', lane.id, 0);
      this.#queue(lane);
    } else if (this.#call > 0) {
      this.#go(lane, 'blocking', now + this.#call);
      this.#call = 0;
      this.log?.(now, 'block', lane.id, 0);
    } else if (rules.wait > 0) {
      this.#go(lane, 'waiting', now + rules.wait);
      this.log?.(now, 'wait', lane.id, 0);
    } else {
      this.#answered(lane);
    }
  }

  #answered(lane: Lane): void {
    if (lane.state !== 'away') this.log?.(this.now, 'done', lane.id, this.now - lane.asked);
    lane.asked = this.now;
    lane.left = this.rules.cpu;
    this.#queue(lane);
  }

  #queue(lane: Lane): void {
    this.#go(lane, 'ready');
    this.ready.push(lane);
  }

  #grant(lane: Lane): void {
    lane.ran = this.now;
    lane.until = this.now + lane.left;
  }

  #go(lane: Lane, state: State, until = Infinity): void {
    const { now, spans } = this;
    this.#sums[lane.state] += now - lane.since;
    if (now > lane.since) spans.push({ id: lane.id, state: lane.state, from: lane.since, to: now });
    if (spans.length > 2 * KEPT) spans.splice(0, KEPT);
    lane.state = state;
    lane.since = now;
    lane.until = until;
  }
}
