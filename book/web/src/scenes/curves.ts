/** Throughput and response time over the users: bound, exact curve, and dots from the shop's model. */
import { Dice } from './dice';
import { upTo } from './parameters';
import { rate, seconds, short, some } from './say';
import type { About, Row, Scene, Stage } from './scene';
import { SECOND, ShopModel, type Totals } from './shop_model';
import { byChance, randomTimes, us } from './shop_times';
import { axes, DASH, dot, place, stroke, ticks, words, type Plot } from './sketch';
import { bound, closed, responseBound, shopOf } from './theory';

const DOTS = 9; // levels that are simulated
const ANSWERS = 3000; // counted for each
const SLICE_MS = 1; // of a frame, for simulating
const LEAST = 1e-6; // seconds: something must take time, or there is no top to the scale
const NARROW = 560; // below this one plot stands above the other
const MARGIN = { left: 46, right: 12, top: 24, bottom: 26 };

export const ABOUT: About = {
  title: 'throughput and response time over the number of users',
  legend: { bound: 'bound', model: 'model', dot: 'simulated', trap: 'cores / R, the trap' },
  only: { trap: 'trap' },
  goals: { 'trap-is-right': 'Find the number of users for which cores / R is the throughput.' },
  options: { most: 'numbers', trap: ['shown'], beside: 'numbers' },
  needs: { most: 'how many users the axis has' },
};

export function curves(stage: Stage): Scene {
  const { values } = stage;
  const most = Number(stage.option('most') ?? 2 * Math.max(8, values.users)); // users on the axis
  const trapped = stage.option('trap') === 'shown'; // whether cores / R is drawn too
  const others = (stage.option('beside') ?? '').split(' ').filter(Boolean).map(Number); // of cores
  let exact: number[];
  let pale: number[][]; // with so many other cores
  let dots: { N: number; X: number; R: number }[];
  let pending: number[];
  let running: { model: ShopModel; N: number; until: number; from?: Totals } | undefined;
  let plots: Plot[] = [];

  function reckon(): void {
    const laws = shopOf(values, LEAST);
    exact = closed(most, laws);
    pale = others.map((c) => closed(most, { ...laws, c }));
    dots = [];
    running = undefined;
    pending = [...new Set(upTo(DOTS).map((i) => Math.max(1, Math.round((most * i) / DOTS))))];
  }

  const restless = () => pending.length > 0 || running !== undefined;

  /** A little more of the dots, as long as a frame can bear it. */
  function simulate(): boolean {
    const { length } = dots;
    const end = performance.now() + SLICE_MS;
    while (performance.now() < end && restless()) {
      running ??= begin(pending.shift()!);
      const { model, N, until, from } = running;
      for (let i = 0; i < 50 && model.nextAt <= until; i += 1) model.step();
      if (model.nextAt <= until) continue;
      model.run(until);
      const to = model.totals();
      if (!from) {
        running.from = to;
        running.until += us(ANSWERS / exact[N - 1]!);
        continue;
      }
      const done = to.done - from.done;
      if (done > 0) {
        const X = (done * SECOND) / (to.now - from.now);
        dots.push({ N, X, R: (to.response - from.response) / done / SECOND });
      }
      running = undefined;
    }
    return dots.length > length;
  }

  function begin(N: number) {
    const laws = shopOf(values, LEAST);
    const times = randomTimes({ ...values, users: N, cpu: laws.D }, new Dice(stage.seed + N), byChance(stage));
    const model = new ShopModel({ ...values, users: N, rate: 0, places: 1e6 }, times);
    const round = us(responseBound(N, laws) + laws.Z);
    model.bring(N, round);
    return { model, N, until: 6 * round };
  }

  /** Where the reader looks: users, X and R there by the model, and what the trap says. */
  function here() {
    const N = Math.min(most, Math.max(1, values.users));
    const X = exact[N - 1]!;
    const R = N / X - values.think;
    return { N, X, R, trap: values.cores / R };
  }

  function draw(pen: Parameters<Scene['draw']>[0]): void {
    const laws = shopOf(values, LEAST);
    const narrow = pen.width < NARROW;
    const w = (narrow ? pen.width : (pen.width - 8) / 2) - MARGIN.left - MARGIN.right;
    const h = (narrow ? pen.height / 2 : pen.height) - MARGIN.top - MARGIN.bottom;
    const y = MARGIN.top + (narrow ? pen.height / 2 : 0);
    const x = MARGIN.left + (narrow ? 0 : pen.width / 2 + 4);
    const last = (X: number[]) => X[most - 1]!;
    const R = (N: number, X: number) => N / X - laws.Z;
    const bounds = upTo(most).map((N) => bound(N, laws));
    const all = [bounds, exact, ...pale];
    const upper = { x: MARGIN.left, y: MARGIN.top, w, h, most, top: 1.12 * Math.max(...all.map((X) => Math.max(...X))) };
    const lower = { x, y, w, h, most, top: 1.08 * Math.max(...all.map((X) => R(most, last(X)))) };
    plots = [upper, lower];

    const line = (plot: Plot, each: number[], colour: string, dash?: number[]) => {
      const { g } = pen;
      g.save();
      g.beginPath();
      g.rect(plot.x, plot.y - 1, plot.w + 1, plot.h + 2);
      g.clip();
      stroke(pen, colour, each.map((value, index) => place(plot, index + 1, value)), 2, dash);
      g.restore();
    };
    const both = (X: number[], colour: string, dash?: number[]) => {
      line(upper, X, colour, dash);
      line(lower, X.map((each, index) => R(index + 1, each)), colour, dash);
    };
    axes(pen, upper, 'requests a second X', ticks(upper.top, 3), short, `${most} users`);
    axes(pen, lower, 'response time R', ticks(lower.top, 3), seconds, `${most} users`);
    pale.forEach((X, index) => {
      both(X, pen.line);
      for (const [plot, value] of [[upper, last(X)], [lower, R(most, last(X))]] as const) {
        const [right, high] = place(plot, most, value);
        words(pen, some(others[index]!, 'core'), right - 4, high - 5, 1);
      }
    });
    both(bounds, pen.muted, DASH);
    both(exact, pen.accent);
    for (const each of dots) {
      dot(pen, pen.text, ...place(upper, each.N, each.X), 3);
      dot(pen, pen.text, ...place(lower, each.N, each.R), 3);
    }
    const found = here();
    if (trapped) {
      line(upper, exact.map((X, index) => laws.c / R(index + 1, X)), pen.warm, [2, 4]);
      dot(pen, pen.warm, ...place(upper, found.N, Math.min(upper.top, found.trap)), 6);
    }
    dot(pen, pen.accent, ...place(upper, found.N, found.X), 5);
    dot(pen, pen.accent, ...place(lower, found.N, found.R), 6);
  }

  return {
    simulate,
    restless,
    draw,
    start: reckon,
    changed(name) {
      if (name !== 'users') reckon();
    },
    height: (width) => (width < NARROW ? 440 : 260),
    rows() {
      const laws = shopOf(values, LEAST);
      const { N, X, R, trap } = here();
      const seen = dots.find((each) => each.N === N);
      const rows: Row[] = [
        [`requests a second X, ${some(N, 'user')}`, seen ? short(seen.X) : '', `≤ ${short(bound(N, laws))}`, short(X)],
        ['response time R', seen ? seconds(seen.R) : '', `≥ ${seconds(responseBound(N, laws))}`, seconds(R)],
      ];
      pale.forEach((each, index) => {
        rows.push([`requests a second, ${some(others[index]!, 'core')}`, '', '', short(each[N - 1]!)]);
      });
      if (trapped) rows.push([`the trap: ${laws.c} / R`, '', '', short(trap)]);
      return rows;
    },
    sentence() {
      const { N, X, R, trap } = here();
      const off = trap / X;
      const verdict =
        Math.abs(off - 1) < 0.02
          ? 'which is just that'
          : off < 1
            ? `and the truth is ${short(1 / off)} times that`
            : `${short(off)} times the truth`;
      const says = `With ${some(N, 'user')} the model says ${rate(X).words} and ${seconds(R)}.`;
      return trapped ? `${says} Cores divided by response time would be ${short(trap)}, ${verdict}.` : says;
    },
    goals: {
      'trap-is-right': () => Math.abs(here().trap / here().X - 1) < 0.02,
    },
    point(x, y, begins) {
      const plot = plots.find(
        (each) =>
          Math.abs(x - each.x - each.w / 2) < each.w / 2 + 12 &&
          Math.abs(y - each.y - each.h / 2) < each.h / 2 + 20,
      );
      if (!plot) return false;
      const users = Math.min(most, Math.max(1, Math.round(((x - plot.x) / plot.w) * most)));
      if (users !== values.users || begins) stage.turn('users', users);
      return true;
    },
  };
}
