/** The shop: users, a listen queue, workers, and cores or waits; what is counted, beside the laws. */
import { Dice } from './dice';
import { short, seconds, type Values } from './parameters';
import type { Row, Scene, Stage } from './scene';
import { GOALS } from './shop_goals';
import { SECOND, ShopModel, type Happening, type Settings, type Totals } from './shop_model';
import { ShopPicture } from './shop_picture';
import { RandomTimes, us } from './shop_times';
import { bound, responseBound, throughput } from './theory';

const WARM_UP = 8; // response times, before the reader looks at a crowd for the first time
const SETTLES = 2; // after a change, before anything is counted
const SHOWN = 20; // answers at least, before a number is shown
const COUNTED = 100; // answers at least, before a number is held against a bet or a goal
const WINDOW_S = 2; // for visitors, whose number finds no level
const SNAPSHOTS = 8; // in a window
const MOST_TOLD = 3; // happenings of one step

/** What was counted since the reader last turned something. */
export interface Counted {
  seconds: number;
  answers: number;
  X: number; // answers a second
  R: number; // seconds
  arrived: number; // a second
  busy: number; // of the cores, 0 to 1
  refused: number; // SYNs
  outside: number; // turned away, now
  line: number; // now
  longest: number; // line since then
  peak: number; // line since the beginning
  enough: boolean;
}

export class Shop implements Scene {
  readonly moves = true;
  readonly title = 'requests on their way through a listen queue, workers and cores';
  readonly legend: [string, string][];
  model!: ShopModel;
  private readonly picture = new ShopPicture();
  private readonly values: Values;
  private readonly chance: boolean;
  private readonly rateHeld: number;
  private origin!: Totals;
  private settled = 0;
  private recent: Totals[] = [];
  private longest = 0;
  private peak = 0;
  private happened: string[] = [];

  constructor(private stage: Stage) {
    this.values = stage.values;
    this.chance = stage.option('times') !== 'alike';
    this.rateHeld = Number(stage.option('hold') ?? 0);
    this.legend = [
      ['line', 'in line'],
      ['core', 'in a worker, on a core'],
      ['wait', 'in a worker, waiting'],
    ];
    if (this.values.think > 0 || stage.option('turn')?.includes('think')) {
      this.legend.push(['away', 'thinking']);
    }
    if (this.values.places < 1000) this.legend.push(['refused', 'turned away, tries again']);
  }

  start(seed: number): void {
    const times = new RandomTimes(this.values, new Dice(seed), this.chance);
    this.model = new ShopModel({ ...this.settings(), rate: 0 }, times);
    this.model.change(this.settings());
    this.model.bring(this.values.users, us(this.round()));
    this.peak = 0;
    this.picture.forget();
    this.settle(WARM_UP);
    // A crowd that has found its level is what the reader looks at first; visitors begin from none.
    if (this.values.users > 0) this.advance(this.settled);
  }

  advance(time: number): void {
    const until = this.model.now + time;
    while (this.model.now < until) {
      const next = this.model.now < this.settled ? this.settled : Infinity;
      this.model.run(Math.min(until, next, this.model.now + us(WINDOW_S / SNAPSHOTS)));
      if (this.model.now === next) this.count();
      this.longest = Math.max(this.longest, this.model.line.length);
      this.peak = Math.max(this.peak, this.longest);
      const last = this.recent.at(-1);
      if (!last || this.model.now - last.now >= us(WINDOW_S / SNAPSHOTS)) {
        this.recent.push(this.model.totals());
        if (this.recent.length > SNAPSHOTS + 1) this.recent.shift();
      }
    }
  }

  clock(): string {
    return `${(this.model.now / SECOND).toFixed(2)} s`;
  }

  step(): string {
    this.happened = [];
    this.model.log = (_, what, id) => this.happened.push(WORDS[what](id + 1));
    let at = this.model.now;
    while (this.happened.length === 0 && this.model.nextAt < Infinity) {
      at = this.model.nextAt;
      this.advance(at - this.model.now);
      this.model.run(at); // also what is due this very moment
    }
    this.model.log = undefined;
    if (this.happened.length === 0) return 'Nothing is under way.';
    const more = this.happened.length - MOST_TOLD;
    const told = this.happened.slice(0, MOST_TOLD).join(' ') + (more > 0 ? ` And ${more} more.` : '');
    return `At ${(at / SECOND).toFixed(4)} s: ${told}`;
  }

  changed(): void {
    this.model.change(this.settings());
    const missing = this.values.users - this.model.present;
    if (missing > 0) this.model.bring(missing, us(this.round()));
    this.settle();
  }

  send(held: boolean): void {
    this.stage.values.rate = held ? this.rateHeld : 0;
    if (held) this.model.send();
    this.model.change(this.settings());
  }

  height(width: number): number {
    return this.picture.height(width);
  }

  draw(pen: Parameters<Scene['draw']>[0], ms: number): void {
    this.picture.draw(pen, this.model, this.values, ms, this.rateHeld > 0 || this.values.rate > 0);
  }

  counted(): Counted {
    const now = this.model.totals();
    const from = this.open ? (this.recent[0] ?? this.origin) : this.origin;
    const passed = Math.max(1, now.now - from.now) / SECOND;
    const answers = now.done - from.done;
    return {
      seconds: passed,
      answers,
      X: answers / passed,
      R: answers > 0 ? (now.response - from.response) / answers / SECOND : NaN,
      arrived: (now.asked - from.asked) / passed,
      busy: (now.busyCores - from.busyCores) / SECOND / passed / this.values.cores,
      refused: now.refusals - this.origin.refusals,
      outside: this.model.underWay - this.model.line.length - this.model.inService,
      line: this.model.line.length,
      longest: this.longest,
      peak: this.peak,
      enough: answers >= COUNTED && this.model.now > this.settled,
    };
  }

  rows(): Row[] {
    const counted = this.counted();
    const { values, laws } = this;
    const known = counted.answers >= (this.open ? 1 : SHOWN);
    const shown = (value: number, say: (value: number) => string) => (known ? say(value) : '–');
    const rows: Row[] = [];
    const held = known ? short(counted.X * (counted.R + values.think)) : '–';
    if (this.open) {
      const most = Math.min(bound(Infinity, laws), values.rate || Infinity);
      rows.push(['arrivals a second', short(counted.arrived), '', '']);
      rows.push(['answers a second X', short(counted.X), `≤ ${short(most)}`, '']);
      rows.push(['response time R', shown(counted.R, seconds), `≥ ${seconds(laws.D + laws.V)}`, '']);
      rows.push(['under way', String(this.model.underWay), '', '']);
      rows.push(['in line', String(counted.line), places(values.places), '']);
    } else {
      const N = values.users;
      const X = throughput(N, laws);
      rows.push(['requests a second X', shown(counted.X, short), `≤ ${short(bound(N, laws))}`, short(X)]);
      const least = `≥ ${seconds(responseBound(N, laws))}`;
      rows.push(['response time R', shown(counted.R, seconds), least, seconds(N / X - laws.Z)]);
      rows.push([values.think > 0 ? 'X · (R + Z)' : 'X · R', held, '', `= ${N}`]);
      rows.push(['in line', String(counted.line), places(values.places), '']);
      if (counted.refused > 0 && counted.enough) {
        const without = Math.round(N - counted.X * (counted.R + values.think));
        if (without > 0) rows.push(['users without an answer', `${N} − ${held} = ${without}`, '', '']);
      }
    }
    const cores = `${values.cores === 1 ? 'the core' : `the ${values.cores} cores`} busy`;
    rows.push([cores, known || this.model.onCores ? `${Math.round(100 * counted.busy)} %` : '–', '', '']);
    return rows;
  }

  sentence(): string {
    const { values, model } = this;
    const { line, inService, busyCores } = model;
    const counted = this.counted();
    const standing = line.length === 0 ? 'nobody stands' : `${line.length} stand`;
    const now =
      `${inService} of ${values.workers} workers are taken, ${standing} in line, ` +
      `${busyCores} of ${values.cores} cores work.`;
    if (counted.answers < SHOWN) return now;
    return `${now} ${short(counted.X)} answers a second, after ${seconds(counted.R)} each.`;
  }

  answer(of: string): { value: number; words: string } | undefined {
    const counted = this.counted();
    if (!counted.enough) return undefined;
    if (of === 'response-time') return { value: 1000 * counted.R, words: seconds(counted.R) };
    return { value: counted.X, words: `${short(counted.X)} requests a second` };
  }

  goal(name: string): { words: string; reached: boolean } {
    const goal = GOALS[name];
    if (!goal) throw new Error(`goal="${name}": there are ${Object.keys(GOALS).join(', ')}.`);
    return { words: goal.words, reached: goal.reached(this.counted(), this.values) };
  }

  private get open(): boolean {
    return this.values.users === 0;
  }

  private get laws() {
    const { cpu, wait, cores, workers, think } = this.values;
    return { D: cpu, V: wait, c: cores, W: workers, Z: think };
  }

  private round(): number {
    return responseBound(Math.max(1, this.values.users), this.laws) + this.values.think;
  }

  private settings(): Settings {
    const { users, rate, cores, workers, places } = this.values;
    return { users, rate, cores, workers, places };
  }

  /** What comes now belongs to the change, not to what it leads to. */
  private settle(rounds = SETTLES): void {
    this.settled = this.model.now + Math.max(1, us(rounds * this.round()));
    this.count();
  }

  private count(): void {
    this.origin = this.model.totals();
    this.recent = [this.origin];
    this.longest = this.model.line.length;
  }
}

const places = (value: number) => (value < 1000 ? `of ${short(value)}` : '');

const WORDS: Record<Happening, (id: number) => string> = {
  ask: (id) => `Request ${id} knocks.`,
  queue: (id) => `Request ${id} takes a place in line.`,
  refuse: (id) => `Request ${id} finds no place and goes away.`,
  start: (id) => `A worker takes request ${id}.`,
  computed: (id) => `Request ${id} has had its CPU time.`,
  done: (id) => `Request ${id} is answered.`,
};

export const shop = (stage: Stage): Scene => new Shop(stage);
