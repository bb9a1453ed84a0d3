/** Throughput and response time over the users: bound, exact curve, and dots from the shop's model. */
import { Dice } from './dice';
import type { Pen } from './look';
import { short, seconds, type Name } from './parameters';
import type { Row, Scene, Stage } from './scene';
import { SECOND, ShopModel, type Totals } from './shop_model';
import { RandomTimes, us } from './shop_times';
import { words } from './sketch';
import { bound, closed, responseBound } from './theory';

const DOTS = 9; // levels that are simulated
const ANSWERS = 3000; // counted for each
const SLICE_MS = 4; // of a frame, for simulating
const LEAST = 1e-6; // seconds: something must take time, or there is no top to the scale
const NARROW = 560; // below this one plot stands above the other
const MARGIN = { left: 46, right: 12, top: 24, bottom: 26 };

interface Dot {
  N: number;
  X: number;
  R: number;
}

interface Plot {
  x: number;
  y: number;
  w: number;
  h: number;
  top: number; // of the scale
}

class Curves implements Scene {
  readonly moves = false;
  readonly title = 'throughput and response time over the number of users';
  readonly legend: [string, string][] = [
    ['bound', 'bound'],
    ['model', 'model'],
    ['dot', 'simulated'],
  ];
  private readonly trapped: boolean; // whether cores / R is drawn too
  private readonly most: number; // users on the axis
  private readonly others: number[]; // of cores, whose curves stay beside it
  private readonly chance: boolean;
  private seed = 1;
  private exact: number[] = [];
  private pale: number[][] = [];
  private dots: Dot[] = [];
  private pending: number[] = [];
  private running: { model: ShopModel; N: number; until: number; from?: Totals } | undefined;
  private plots: Plot[] = [];

  constructor(private stage: Stage) {
    this.most = Number(stage.option('most') ?? 2 * Math.max(8, stage.values.users));
    this.chance = stage.option('times') !== 'alike';
    this.trapped = stage.option('trap') !== 'none';
    this.others = (stage.option('beside') ?? '').split(' ').filter(Boolean).map(Number);
    if (this.trapped) this.legend.push(['trap', 'cores / R, the trap']);
  }

  start(seed: number): void {
    this.seed = seed;
    this.reckon();
  }

  advance(): void {}

  clock(): string {
    return '';
  }

  step(): string {
    return '';
  }

  changed(name: Name): void {
    if (name !== 'users') this.reckon();
  }

  restless(): boolean {
    return this.pending.length > 0 || this.running !== undefined;
  }

  private get laws() {
    const { cpu, wait, cores, workers, think } = this.stage.values;
    return { D: cpu + wait > 0 ? cpu : LEAST, V: wait, c: cores, W: workers, Z: think };
  }

  private reckon(): void {
    this.exact = closed(this.most, this.laws);
    this.pale = this.others.map((c) => closed(this.most, { ...this.laws, c }));
    this.dots = [];
    this.running = undefined;
    this.pending = [];
    for (let i = 1; i <= DOTS; i += 1) {
      const N = Math.max(1, Math.round((this.most * i) / DOTS));
      if (!this.pending.includes(N)) this.pending.push(N);
    }
  }

  /** A little more of the dots, as long as a frame can bear it. */
  private simulate(): void {
    const end = performance.now() + SLICE_MS;
    while (performance.now() < end && this.restless()) {
      if (!this.running) this.begin(this.pending.shift()!);
      const { model, N, until, from } = this.running!;
      for (let i = 0; i < 400 && model.nextAt <= until; i += 1) model.step();
      if (model.nextAt <= until) continue;
      model.run(until);
      if (!from) {
        this.running!.from = model.totals();
        this.running!.until = until + us(ANSWERS / this.exact[N - 1]!);
        continue;
      }
      const to = model.totals();
      const done = to.done - from.done;
      if (done > 0) {
        const X = (done * SECOND) / (to.now - from.now);
        this.dots.push({ N, X, R: (to.response - from.response) / done / SECOND });
      }
      this.running = undefined;
    }
  }

  private begin(N: number): void {
    const { cores, workers } = this.stage.values;
    const values = { ...this.stage.values, users: N, cpu: this.laws.D };
    const times = new RandomTimes(values, new Dice(this.seed + N), this.chance);
    const model = new ShopModel({ users: N, rate: 0, cores, workers, places: 1e6 }, times);
    const round = us(responseBound(N, this.laws) + this.laws.Z);
    model.bring(N, round);
    this.running = { model, N, until: 6 * round };
  }

  private get at(): number {
    return Math.min(this.most, Math.max(1, this.stage.values.users));
  }

  private R(N: number): number {
    return N / this.exact[N - 1]! - this.laws.Z;
  }

  height(width: number): number {
    return width < NARROW ? 440 : 260;
  }

  draw(pen: Pen): void {
    this.simulate();
    const { laws, most } = this;
    const narrow = pen.width < NARROW;
    const w = (narrow ? pen.width : (pen.width - 8) / 2) - MARGIN.left - MARGIN.right;
    const h = (narrow ? pen.height / 2 : pen.height) - MARGIN.top - MARGIN.bottom;
    const y = MARGIN.top + (narrow ? pen.height / 2 : 0);
    const x = MARGIN.left + (narrow ? 0 : pen.width / 2 + 4);
    const slowest = (X: number[]) => most / X[most - 1]! - laws.Z;
    const highest = Math.max(...this.exact, bound(most, laws), ...this.pale.flat());
    this.plots = [
      { x: MARGIN.left, y: MARGIN.top, w, h, top: 1.12 * highest },
      { x, y, w, h, top: 1.08 * Math.max(responseBound(most, laws), ...[this.exact, ...this.pale].map(slowest)) },
    ];
    const [upper, lower] = this.plots as [Plot, Plot];
    this.axes(pen, upper, 'requests a second X', short);
    this.axes(pen, lower, 'response time R', seconds);
    const each = Array.from({ length: most }, (_, index) => index + 1);
    this.pale.forEach((X, index) => {
      const last = X[most - 1]!;
      this.line(pen, upper, each, (N) => X[N - 1]!, pen.line, []);
      this.line(pen, lower, each, (N) => N / X[N - 1]! - laws.Z, pen.line, []);
      for (const [plot, value] of [[upper, last], [lower, slowest(X)]] as const) {
        words(pen, cores(this.others[index]!), plot.x + plot.w - 4, plot.y + plot.h * (1 - value / plot.top) - 5, 1);
      }
    });
    this.line(pen, upper, each, (N) => bound(N, laws), pen.muted, [6, 5]);
    this.line(pen, lower, each, (N) => responseBound(N, laws), pen.muted, [6, 5]);
    this.line(pen, upper, each, (N) => this.exact[N - 1]!, pen.accent, []);
    this.line(pen, lower, each, (N) => this.R(N), pen.accent, []);
    const trap = (N: number) => laws.c / this.R(N);
    if (this.trapped) this.line(pen, upper, each, trap, pen.warm, [2, 4]);
    for (const { N, X, R } of this.dots) {
      this.dot(pen, upper, N, X, pen.text, 3);
      this.dot(pen, lower, N, R, pen.text, 3);
    }
    if (this.trapped) this.dot(pen, upper, this.at, Math.min(upper.top, trap(this.at)), pen.warm, 6);
    this.dot(pen, upper, this.at, this.exact[this.at - 1]!, pen.accent, 5);
    this.dot(pen, lower, this.at, this.R(this.at), pen.accent, 6);
  }

  private axes(pen: Pen, plot: Plot, title: string, say: (value: number) => string): void {
    const { g } = pen;
    g.strokeStyle = pen.line;
    g.lineWidth = 1;
    g.beginPath();
    g.moveTo(plot.x, plot.y);
    g.lineTo(plot.x, plot.y + plot.h);
    g.lineTo(plot.x + plot.w, plot.y + plot.h);
    g.stroke();
    g.fillStyle = pen.muted;
    g.fillText(title, plot.x + 6, plot.y - 8);
    const step = round(plot.top / 3);
    g.textAlign = 'right';
    g.textBaseline = 'middle';
    for (let value = 0; value <= plot.top; value += step) {
      g.fillText(say(value), plot.x - 5, plot.y + plot.h * (1 - value / plot.top));
    }
    g.textBaseline = 'alphabetic';
    g.fillText(`${this.most} users`, plot.x + plot.w, plot.y + plot.h + 18);
    g.textAlign = 'left';
    g.fillText('0', plot.x, plot.y + plot.h + 18);
  }

  private line(
    pen: Pen,
    plot: Plot,
    each: number[],
    of: (N: number) => number,
    colour: string,
    dash: number[],
  ): void {
    const { g } = pen;
    g.save();
    g.beginPath();
    g.rect(plot.x, plot.y - 1, plot.w + 1, plot.h + 2);
    g.clip();
    g.setLineDash(dash);
    g.strokeStyle = colour;
    g.lineWidth = 2;
    g.beginPath();
    each.forEach((N, index) => {
      const x = plot.x + (plot.w * N) / this.most;
      const y = plot.y + plot.h * (1 - Math.min(4, of(N) / plot.top));
      if (index === 0) g.moveTo(x, y);
      else g.lineTo(x, y);
    });
    g.stroke();
    g.restore();
  }

  private dot(pen: Pen, plot: Plot, N: number, value: number, colour: string, radius: number): void {
    const { g } = pen;
    g.beginPath();
    g.arc(plot.x + (plot.w * N) / this.most, plot.y + plot.h * (1 - value / plot.top), radius, 0, 7);
    g.fillStyle = colour;
    g.fill();
  }

  rows(): Row[] {
    const { laws, at } = this;
    const X = this.exact[at - 1]!;
    const dot = this.dots.find(({ N }) => N === at);
    const R = this.R(at);
    const rows: Row[] = [
      [`requests a second X, ${people(at)}`, dot ? short(dot.X) : '', `≤ ${short(bound(at, laws))}`, short(X)],
      ['response time R', dot ? seconds(dot.R) : '', `≥ ${seconds(responseBound(at, laws))}`, seconds(R)],
    ];
    this.pale.forEach((X, index) => {
      rows.push([`requests a second, ${cores(this.others[index]!)}`, '', '', short(X[at - 1]!)]);
    });
    if (this.trapped) rows.push([`the trap: ${laws.c} / R`, '', '', short(laws.c / R)]);
    return rows;
  }

  sentence(): string {
    const { laws, at } = this;
    const X = this.exact[at - 1]!;
    const trap = laws.c / this.R(at);
    const off = trap / X;
    const verdict =
      Math.abs(off - 1) < 0.02
        ? 'which is right here'
        : off < 1
          ? `${short(1 / off)} times too few`
          : `${short(off)} times too many`;
    const says = `With ${people(at)} the model says ${short(X)} requests a second and ${seconds(this.R(at))}.`;
    return this.trapped ? `${says} Cores divided by response time would be ${short(trap)}, ${verdict}.` : says;
  }

  goal(name: string): { words: string; reached: boolean } {
    if (name !== 'trap-is-right') throw new Error(`goal="${name}": there is trap-is-right.`);
    const { at, laws } = this;
    const X = this.exact[at - 1]!;
    return {
      words: 'Find a number of users for which cores / R is nearly right.',
      reached: Math.abs(laws.c / this.R(at) / X - 1) < 0.02,
    };
  }

  point(x: number, y: number, begins: boolean): boolean {
    const plot = this.plots.find(
      (each) =>
        Math.abs(x - each.x - each.w / 2) < each.w / 2 + 12 &&
        Math.abs(y - each.y - each.h / 2) < each.h / 2 + 20,
    );
    if (!plot) return false;
    const N = Math.round(((x - plot.x) / plot.w) * this.most);
    const users = Math.min(this.most, Math.max(1, N));
    if (users !== this.stage.values.users || begins) this.stage.turn('users', users);
    return true;
  }
}

const cores = (count: number) => (count === 1 ? '1 core' : `${count} cores`);
const people = (count: number) => (count === 1 ? '1 user' : `${count} users`);

/** 1, 2 or 5 times a power of ten, at least that. */
function round(least: number): number {
  const ten = 10 ** Math.floor(Math.log10(least));
  return ten * ([1, 2, 5, 10].find((times) => times * ten >= least) ?? 10);
}

export const curves = (stage: Stage): Scene => new Curves(stage);
