/** Ceilings: what a request needs, how many a second each of these allows, and where lines stand. */
import { Dice } from './dice';
import type { Pen } from './look';
import { seconds, short, stepsWith, type Name, type Values } from './parameters';
import type { Row, Scene, Stage } from './scene';
import { SECOND } from './shop_model';
import { us } from './shop_times';
import { box, dot, stroke, words } from './sketch';
import { Stations, type Thing } from './stations_model';

const WARM_UP = 12; // rounds, before the reader looks at it for the first time
const SETTLES = 3; // rounds after a change, before anything is counted
const COUNTED = 300; // answers at least, before a goal is reached
const SHOWN = 20; // answers at least, before a number is shown
const LEAST = 1e-4; // seconds that a request takes: something must take time
const TOP = 18;
const ROW = 58; // CSS pixels

interface Need {
  label: string;
  units: Name | ''; // what can be turned of it
  time: Name | '';
  count: number;
  held: number; // seconds
  full: string; // what is seen if this one holds
}

const GOALS: Record<string, [words: string, reached: (of: Ceilings) => boolean]> = {
  'one-repair': [
    'Turn one thing only, until it serves more than 200 a second.',
    (of) => of.counted().enough && of.counted().X > 200 && of.turned.length === 1,
  ],
  'same-height': [
    'Find the pool whose ceiling is as high as that of the cores.',
    ({ needs }) => Math.abs((ceiling(needs[0]!) * needs[1]!.held) / needs[1]!.count - 1) < 0.02,
  ],
};

const off = (value: number, wanted: number) => Math.abs(Math.log(value / wanted));

const ceiling = ({ count, held }: Need) => count / held;

export class Ceilings implements Scene {
  readonly moves = true;
  readonly title = 'how many requests a second each thing allows that they need, and the lines before them';
  readonly legend: [string, string][] = [
    ['core', 'in use'],
    ['wait', 'free'],
    ['line', 'in line for it'],
    ['bound', 'answers a second now'],
  ];
  needs: Need[] = [];
  model!: Stations;
  private readonly first: Values;
  private top = 1; // answers a second at the right edge
  private width = 1; // of the picture, when it was last drawn
  private pulled = 0;
  private settled = 0;
  private from = { now: 0, done: 0, busy: [] as number[] };

  constructor(private stage: Stage) {
    this.first = { ...stage.values };
  }

  start(seed: number): void {
    const dice = new Dice(seed);
    const chance = this.stage.option('times') !== 'alike';
    this.reckon();
    const shown = this.shown.map(ceiling).filter((each) => each < Infinity);
    this.top = 1.15 * Math.max(...shown);
    const draw = (mean: number) => (chance ? dice.exponential(mean) : mean);
    this.model = new Stations(this.things, this.stage.values.users, draw);
    this.settle(WARM_UP);
    this.advance(this.settled);
  }

  /** Names of what is no longer as the page has it. */
  get turned(): string[] {
    return Object.keys(this.first).filter((name) => this.first[name as Name] !== this.stage.values[name as Name]);
  }

  private get things(): Thing[] {
    // A request needs some CPU time at least, or its user would come round in no time.
    return this.needs.map(({ count, held }, index) => ({
      units: count,
      us: index === 1 ? Math.max(1, us(held)) : us(held),
    }));
  }

  private reckon(): void {
    const { wait, locked, query, disk, cores, connections, workers } = this.stage.values;
    const others = wait + locked + query + disk;
    const cpu = this.stage.values.cpu || (others > 0 ? 0 : LEAST);
    const all = cpu + others;
    const need = (label: string, units: Name | '', time: Name | '', count: number, held: number, full: string) =>
      ({ label, units, time, count, held, full });
    this.needs = [
      need('pool', 'workers', '', workers, all, 'everybody stands at the door, and who is in finds all things free'),
      need('cores', 'cores', 'cpu', cores, cpu, 'the cores are full'),
      need('wait', '', 'wait', Infinity, wait, ''),
      need('lock', '', 'locked', 1, locked, 'workers sleep, while disk and database have little to do'),
      need('database', 'connections', 'query', connections, query, 'all its connections are in use'),
      need('disk', '', 'disk', 1, disk, 'its writes a second stop rising'),
    ];
  }

  /** Those that are a ceiling. */
  private get shown(): Need[] {
    return this.needs.filter(({ count, held }) => held > 0 && count < Infinity);
  }

  private get lowest(): Need {
    return this.shown.reduce((least, each) => (ceiling(each) < ceiling(least) ? each : least));
  }

  private get most(): number {
    return Math.min(ceiling(this.lowest), this.stage.values.users / this.needs[0]!.held);
  }

  private settle(rounds: number): void {
    this.settled = this.model.now + Math.ceil((rounds * SECOND * this.stage.values.users) / this.most);
    this.count();
  }

  private count(): void {
    const { now, done, busy } = this.model;
    this.from = { now, done, busy: [...busy] };
  }

  advance(time: number): void {
    const until = this.model.now + time;
    if (this.settled > this.from.now && this.settled <= until) {
      this.model.run(this.settled);
      this.count();
    }
    this.model.run(until);
  }

  clock(): string {
    return `${(this.model.now / SECOND).toFixed(2)} s`;
  }

  step(): string {
    const [thing, id] = this.model.step();
    return `At ${(this.model.now / SECOND).toFixed(4)} s: request ${id + 1} is done with: ${this.needs[thing]!.label}.`;
  }

  changed(): void {
    this.reckon();
    this.model.change(this.things, this.stage.values.users);
    this.settle(SETTLES);
  }

  counted(): { X: number; inside: number; used: number[]; enough: boolean } {
    const { now, done, busy } = this.model;
    const passed = Math.max(1, now - this.from.now);
    const answers = done - this.from.done;
    const used = busy.map((each, index) => (each - this.from.busy[index]!) / passed);
    const X = (answers * SECOND) / passed;
    return { X, used, inside: used[0]! / X, enough: answers >= COUNTED && this.from.now >= this.settled };
  }

  height(): number {
    return TOP + ROW * this.shown.length;
  }

  draw(pen: Pen): void {
    const lowest = this.lowest;
    const model = this.model;
    const top = this.top;
    const scale = pen.width / top;
    this.width = pen.width;
    const now = Math.min(top, this.counted().X || 0) * scale;
    this.shown.forEach((need, row) => {
      const index = this.needs.indexOf(need);
      const y = TOP + row * ROW;
      const allows = ceiling(need);
      const holds = need === lowest;
      const colour = holds ? pen.text : pen.muted;
      words(pen, `${need.label} ${short(need.count)} × ${seconds(need.held)}`, 0, y, 0, colour);
      words(pen, `${short(allows)} a second${holds ? ': it holds' : ''}`, pen.width, y, 1, colour);
      const width = Math.min(pen.width, allows * scale);
      box(pen, pen.accent, 0, y + 6, width, 14, holds ? 0.85 : 0.22);
      box(pen, pen.accent, 0, y + 6, width, 14, -1);
      const line = model.lines[index]!.length;
      const taken = model.taken[index]!;
      const all = Math.max(need.count, taken);
      const pitch = Math.min(10, pen.width / (all + line + 2));
      const radius = Math.max(1, pitch / 2 - 1);
      for (let i = 0; i < all + line; i += 1) {
        const x = pitch * (i + (i < all ? 0.5 : 1.5));
        dot(pen, i < all ? pen.accent : pen.muted, x, y + 29, radius, i < taken || i >= all);
      }
      stroke(pen, pen.text, [[now, y + 4], [now, y + 23]], 2, [4, 3]);
    });
  }

  rows(): Row[] {
    const needs = this.needs;
    const lowest = this.lowest;
    const most = this.most;
    const { X, used, inside } = this.counted();
    const alone = needs[0]!.held;
    const users = this.stage.values.users;
    const known = this.model.done - this.from.done >= SHOWN;
    const shown = (value: string) => (known ? value : '–');
    const rows: Row[] = [['answers a second X', shown(short(X)), `≤ ${short(most)}`, '']];
    rows.push(['time in service', shown(seconds(inside)), `≥ ${seconds(alone)}`, '']);
    rows.push(['at the door, of all users', `${this.model.lines[0]!.length} of ${users}`, '', '']);
    for (const need of this.shown) {
      const busy = used[needs.indexOf(need)]! / need.count;
      rows.push([`${need.label} busy`, shown(`${Math.round(100 * busy)} %`), '', '']);
    }
    rows.push(['really getting on: X · time alone', shown(short(X * alone)), `≤ ${short(ceiling(lowest) * alone)}`, '']);
    return rows;
  }

  sentence(): string {
    const lowest = this.lowest;
    const next = this.shown.filter((each) => each !== lowest).sort((a, b) => ceiling(a) - ceiling(b))[0];
    if (this.most < ceiling(lowest)) return `${this.stage.values.users} users are too few to reach a ceiling.`;
    const then = next ? ` Next comes: ${next.label}, at ${short(ceiling(next))}.` : '';
    return `It is the ${lowest.label} that holds, at ${short(ceiling(lowest))} a second: ${lowest.full}.${then}`;
  }

  answer(): { value: number; words: string } | undefined {
    const { X, enough } = this.counted();
    return enough ? { value: X, words: `${short(X)} requests a second` } : undefined;
  }

  goal(name: string): { words: string; reached: boolean } {
    const [told, reached] = GOALS[name]!;
    return { words: told, reached: reached(this) };
  }

  /** A bar is drawn out or pushed in: the time that its thing is held, or how many there are. */
  point(x: number, y: number, begins: boolean): boolean {
    if (begins) this.pulled = Math.floor((y - TOP + 14) / ROW);
    const need = this.shown[this.pulled];
    if (!need) return false;
    const turns = (this.stage.option('turn') ?? '').split(' ');
    const name = [need.time, need.units].find((each) => each && turns.includes(each)) as Name | undefined;
    if (!name) return false;
    const allowed = Math.max(1, (x * this.top) / this.width);
    const wanted = name === need.time ? need.count / allowed : allowed * need.held;
    const steps = stepsWith(name, this.first[name]).filter((each) => each > 0);
    const value = steps.reduce((near, each) => (off(each, wanted) < off(near, wanted) ? each : near));
    if (value !== this.stage.values[name]) this.stage.turn(name, value);
    return true;
  }
}

export const ceilings = (stage: Stage): Scene => new Ceilings(stage);
