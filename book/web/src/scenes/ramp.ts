/** A crowd comes, and a master forks workers for it, 1, 2, 4 … a second: who stands outside? */
import { Dice } from './dice';
import type { Pen } from './look';
import { short } from './parameters';
import { Master, Ramp } from './ramp_model';
import type { Row, Scene, Stage } from './scene';
import { SECOND } from './shop_model';
import { RandomTimes, us } from './shop_times';

const LEFT = 36;
const TOP = 26;
const FOOT = 26;
const FEW = 10; // outside, for a goal
const SOON_S = 10;

interface Goal {
  words: string;
  reached: (ramp: Ramp, users: number) => boolean;
}

export const GOALS: Record<string, Goal> = {
  'slow-morning': {
    words: `Keep 5 workers at first, and let all 256 users come so slowly that never more than ${FEW} stand outside.`,
    reached: (ramp, users) =>
      users >= 256 && ramp.looks[0]!.workers <= 5 && ramp.there >= users && ramp.outside === 0 && ramp.longest <= FEW,
  },
  'doors-open': {
    words: `All 256 come at once. With how few workers at first does nobody stand outside after ${SOON_S} seconds?`,
    reached: ({ looks }, users) =>
      users >= 256 && looks[0]!.workers <= 70 && looks[0]!.there >= users && looks[SOON_S]?.outside === 0,
  },
};

class Growth implements Scene {
  readonly moves = true;
  readonly title = 'users, workers and the line outside over time';
  readonly legend: [string, string][] = [
    ['bound', 'users who have come'],
    ['model', 'workers'],
    ['outside', 'users outside'],
  ];
  private model!: Ramp;
  private seed = 1;
  private inside: number | undefined; // second in which all were

  constructor(private stage: Stage) {}

  start(seed: number): void {
    const { values } = this.stage;
    this.seed = seed;
    const times = new RandomTimes(values, new Dice(seed), this.stage.option('times') !== 'alike');
    this.model = new Ramp(values.first, values.limit, values.users, us(values.within), times);
    this.model.run(0);
    this.inside = undefined;
  }

  changed(): void {
    this.start(this.seed);
  }

  advance(time: number): void {
    const until = this.model.now + time;
    while (this.model.nextAt <= until) this.next();
    this.model.run(until);
  }

  private next(): number | undefined {
    const change = this.model.step();
    const { there, outside, now } = this.model;
    if (outside > 0) this.inside = undefined;
    else if (there >= this.stage.values.users) this.inside ??= now / SECOND;
    return change;
  }

  clock(): string {
    return `${(this.model.now / SECOND).toFixed(1)} s`;
  }

  /** To the master's next look. */
  step(): string {
    let change: number | undefined;
    while (change === undefined) change = this.next();
    const { master, outside, now, looks } = this.model;
    const does = change > 0 ? `forks ${change}` : change < 0 ? 'sends one home' : 'leaves it at that';
    return `Look ${looks.length - 1}, at ${now / SECOND} s: the master ${does}. ${master.workers} workers, ${outside} users outside.`;
  }

  height(): number {
    return 250;
  }

  draw(pen: Pen): void {
    const { g, width, height } = pen;
    const { model } = this;
    const { users } = this.stage.values;
    const { looks, master, outside, there, now } = model;
    const w = width - LEFT - 8;
    const h = height - TOP - FOOT;
    const span = Math.max(20, 1.15 * (now / SECOND));
    const top = 1.08 * Math.max(users, ...looks.map(({ workers }) => workers));
    const xOf = (second: number) => LEFT + (w * second) / span;
    const yOf = (count: number) => TOP + h * (1 - count / top);
    const points = [...looks, { workers: master.workers, outside, there }];
    const at = (index: number) => xOf(index < looks.length ? index : now / SECOND);
    g.beginPath();
    g.moveTo(xOf(0), yOf(0));
    points.forEach((point, index) => g.lineTo(at(index), yOf(point.outside)));
    g.lineTo(at(looks.length), yOf(0));
    g.fillStyle = pen.warm;
    g.globalAlpha = 0.35;
    g.fill();
    g.globalAlpha = 1;
    g.strokeStyle = pen.warm;
    g.lineWidth = 1.5;
    g.stroke();
    g.strokeStyle = pen.muted;
    g.setLineDash([6, 5]);
    g.beginPath();
    points.forEach((point, index) => g.lineTo(at(index), yOf(point.there)));
    g.stroke();
    g.setLineDash([]);
    g.strokeStyle = pen.accent;
    g.lineWidth = 2.5;
    g.beginPath();
    points.forEach((point, index) => {
      if (index > 0) g.lineTo(at(index), yOf(points[index - 1]!.workers)); // a staircase
      g.lineTo(at(index), yOf(point.workers));
    });
    g.stroke();
    g.strokeStyle = pen.line;
    g.lineWidth = 1;
    g.beginPath();
    g.moveTo(LEFT, TOP - 8);
    g.lineTo(LEFT, TOP + h);
    g.lineTo(LEFT + w, TOP + h);
    g.stroke();
    g.fillStyle = pen.muted;
    g.textAlign = 'right';
    for (const count of [0, users]) g.fillText(String(count), LEFT - 6, yOf(count) + 5);
    g.fillText(`${short(Math.round(span))} s`, width - 8, height - 8);
    g.textAlign = 'left';
    g.fillText(`workers ${master.workers}, outside ${outside}`, LEFT + 8, 14);
  }

  /** The seconds in which as many workers are there as are wanted, if all have come at once. */
  private wanted(): string {
    const { users, first, limit, within } = this.stage.values;
    if (within > 0 || limit < users) return '';
    const master = new Master(first, limit);
    let looks = 0;
    for (; master.workers < users; looks += 1) master.look(0);
    return `${looks} s`;
  }

  rows(): Row[] {
    const { model, inside } = this;
    const { users, limit } = this.stage.values;
    return [
      ['users who have come', String(model.there), `≤ ${short(users)}`, ''],
      ['workers', String(model.master.workers), `≤ ${short(limit)}`, ''],
      ['users outside', String(model.outside), '', ''],
      ['the longest line so far', String(model.longest), '', ''],
      ['all are inside after', inside === undefined ? '–' : `${short(inside)} s`, '', this.wanted()],
    ];
  }

  sentence(): string {
    const { master, outside, there, longest } = this.model;
    return `${there} users have come; ${master.workers} workers are there, and ${outside} users stand outside. At most it was ${longest}.`;
  }

  answer(): { value: number; words: string } | undefined {
    const { inside } = this;
    return inside === undefined ? undefined : { value: inside, words: `${short(inside)} s` };
  }

  goal(name: string): { words: string; reached: boolean } {
    const goal = GOALS[name];
    if (!goal) throw new Error(`goal="${name}": there are ${Object.keys(GOALS).join(', ')}.`);
    return { words: goal.words, reached: goal.reached(this.model, this.stage.values.users) };
  }
}

export const ramp = (stage: Stage): Scene => new Growth(stage);
