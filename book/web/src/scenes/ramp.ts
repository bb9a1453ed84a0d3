/** A crowd comes, and a master forks workers for it, 1, 2, 4 … a second: who stands outside? */
import { Dice } from './dice';
import type { Pen } from './look';
import { Master, Ramp } from './ramp_model';
import { clock, short } from './say';
import type { About, Scene, Stage } from './scene';
import { SECOND } from './shop_model';
import { byChance, randomTimes, us } from './shop_times';
import { DASH, stroke, words } from './sketch';

const LEFT = 36;
const TOP = 26;
const FOOT = 26;
const FEW = 10; // outside, for a goal

export const ABOUT: About = {
  title: 'users, workers and the line outside over time',
  legend: { bound: 'users who have come', model: 'workers', outside: 'users outside' },
  goals: {
    'slow-morning':
      'Keep 5 workers at first, and let all 256 users come so slowly that never more than 10 stand outside.',
  },
  needs: { users: 'how many come' },
  still: (scene) => scene.advance!(15 * SECOND),
};

export function ramp(stage: Stage): Scene {
  const { values } = stage;
  let model: Ramp;
  let inside = NaN; // second in which all were

  function begin(): void {
    const times = randomTimes(values, new Dice(stage.seed), byChance(stage));
    model = new Ramp(values.first, values.limit, values.users, us(values.within), times);
    model.run(0);
    inside = NaN;
  }

  function next(): number | undefined {
    const change = model.step();
    const { there, outside, now } = model;
    if (outside > 0) inside = NaN;
    else if (there >= values.users && !(inside >= 0)) inside = now / SECOND;
    return change;
  }

  function draw(pen: Pen): void {
    const { g, width, height } = pen;
    const { looks, master, outside, there, now } = model;
    const w = width - LEFT - 8;
    const h = height - TOP - FOOT;
    const floor = TOP + h;
    const span = Math.max(20, 1.15 * (now / SECOND));
    const top = 1.08 * Math.max(values.users, ...looks.map(({ workers }) => workers));
    const yOf = (count: number) => floor - (h * count) / top;
    const points = [...looks, { workers: master.workers, outside, there }].map((look, index) => ({
      ...look,
      x: LEFT + (w * (index < looks.length ? index : now / SECOND)) / span,
    }));
    const crowd = points.map((each) => [each.x, yOf(each.outside)]);
    stroke(pen, pen.warm, [[LEFT, floor], ...crowd, [points.at(-1)!.x, floor]], 1.5);
    g.fillStyle = pen.warm;
    g.globalAlpha = 0.35;
    g.fill();
    g.globalAlpha = 1;
    stroke(pen, pen.muted, points.map((each) => [each.x, yOf(each.there)]), 1.5, DASH);
    const stairs = points.flatMap(({ x, workers }, index) => [
      [x, yOf(points[Math.max(0, index - 1)]!.workers)],
      [x, yOf(workers)],
    ]);
    stroke(pen, pen.accent, stairs, 2.5);
    stroke(pen, pen.line, [[LEFT, TOP - 8], [LEFT, floor], [LEFT + w, floor]]);
    for (const count of [0, values.users]) words(pen, count, LEFT - 6, yOf(count) + 5, 1);
    words(pen, `${short(Math.round(span))} s`, width - 8, height - 8, 1);
    words(pen, `workers ${master.workers}, outside ${outside}`, LEFT + 8, 14);
  }

  /** The seconds in which as many workers are there as are wanted, if all have come at once. */
  function wanted(): string {
    const { users, first, limit, within } = values;
    if (within > 0 || limit < users) return '';
    const master = new Master(first, limit);
    let looks = 0;
    for (; master.workers < users; looks += 1) master.look(0);
    return `${looks} s`;
  }

  return {
    draw,
    start: begin,
    changed: begin,
    advance(time) {
      const until = model.now + time;
      while (model.nextAt <= until) next();
      model.run(until);
    },
    clock: () => clock(model.now, 1),
    /** To the master's next look. */
    step() {
      let change: number | undefined;
      while (change === undefined) change = next();
      const { master, outside, now, looks } = model;
      const does = change > 0 ? `forks ${change}` : change < 0 ? 'sends one home' : 'leaves it at that';
      return `Look ${looks.length - 1}, at ${now / SECOND} s: the master ${does}. ${master.workers} workers, ${outside} users outside.`;
    },
    height: () => 250,
    rows: () => [
      ['users who have come', `${model.there}`, `≤ ${short(values.users)}`],
      ['workers', `${model.master.workers}`, `≤ ${short(values.limit)}`],
      ['users outside', `${model.outside}`],
      ['the longest line so far', `${model.longest}`],
      ['all are inside after', inside >= 0 ? `${short(inside)} s` : '–', '', wanted()],
    ],
    sentence() {
      const { master, outside, there, longest } = model;
      return `${there} users have come; ${master.workers} workers are there, and ${outside} users stand outside. At most it was ${longest}.`;
    },
    goals: {
      'slow-morning'() {
        const { looks, there, outside, longest } = model;
        const all = values.users >= 256 && there >= values.users;
        return all && looks[0]!.workers <= 5 && outside === 0 && longest <= FEW;
      },
    },
  };
}
