/** Response time over the arrival rate: the curve of a pool that is fuller and fuller, and dots of
 * people who come by chance. Poisson arrivals, W workers, first come first served. */
import { Dice } from './dice';
import { upTo } from './parameters';
import { Queue } from './event_queue';
import { percent, seconds, short } from './say';
import type { About, Scene, Stage } from './scene';
import { axes, DASH, dot, place, stroke, type Plot } from './sketch';
import { line } from './theory';

const DOTS = 9; // rates that are simulated
const FULLEST = 0.95; // of what the pool is worth: the last of them
const COME = 30_000; // people, for each dot
const TOP = 6; // answers alone, the height of the axis
const POINTS = 200; // of the curve
const MARGIN = { left: 50, right: 14, top: 26, bottom: 26 };

export const ABOUT: About = {
  title: 'response time over the arrivals a second, and where the pool is full',
  legend: { model: 'model', bound: 'the pool is full', dot: 'simulated' },
  columns: ['alone', 'model'],
  goals: { 'twice-as-long': 'Find a rate that the pool can bear, and yet an answer takes twice as long as alone.' },
};

/** Mean response time, in seconds, of people who come to W workers by chance. A time that a worker
 * is held is partly the same for all and partly exponential, so that it varies by `variation`. */
export function waited(rate: number, V: number, W: number, variation: number, seed: number): number {
  const dice = new Dice(seed);
  const by = (mean: number) => -mean * Math.log(dice.uniform());
  const free = new Queue<number>((one, other) => one < other); // when each worker will be
  for (const _ of upTo(W)) free.push(0);
  let now = 0;
  let sum = 0;
  for (let n = 0; n < COME; n += 1) {
    now += by(1 / rate);
    const done = Math.max(now, free.pop()!) + V * (1 - variation) + by(V * variation);
    free.push(done);
    sum += done - now;
  }
  return sum / COME;
}

export function arrivals(stage: Stage): Scene {
  const { values } = stage;
  let dots: [rate: number, R: number][];
  let pending: number[];
  let plot: Plot = { x: 0, y: 0, w: 1, h: 1, most: 1, top: 1 };

  const worth = () => values.workers / values.wait;
  const R = (rate: number) => values.wait + line(rate, values.wait, values.workers, values.variation);
  const full = () => values.rate >= worth();

  /** The reader's own rate, where it can be borne. */
  const asked = () => (values.rate > 0 && values.rate <= FULLEST * worth() ? [values.rate] : []);

  function reckon(): void {
    dots = [];
    pending = [...asked(), ...upTo(DOTS).map((i) => (FULLEST * worth() * i) / DOTS)];
  }

  return {
    start: reckon,
    changed(name) {
      if (name !== 'rate') reckon();
      else pending.unshift(...asked());
    },
    restless: () => pending.length > 0,
    simulate() {
      const rate = pending.shift();
      if (rate === undefined) return false;
      dots.push([rate, waited(rate, values.wait, values.workers, values.variation, stage.seed + pending.length)]);
      return true;
    },
    height: () => 260,
    draw(pen) {
      const { left, right, top, bottom } = MARGIN;
      const highest = TOP * values.wait;
      const [w, h] = [pen.width - left - right, pen.height - top - bottom];
      plot = { x: left, y: top, w, h, most: 1.1 * worth(), top: highest };
      const at = (rate: number, value: number) => place(plot, rate, value);
      const ticks = [0, 2, 4, 6].map((times) => times * values.wait);
      axes(pen, plot, 'response time R', ticks, seconds, `${short(worth())} arrivals a second`);
      const [wall, floor] = at(worth(), 0);
      stroke(pen, pen.muted, [[wall, plot.y], [wall, floor]], 2, DASH);
      const rates = upTo(POINTS).map((i) => (worth() * i) / (POINTS + 1));
      const seen = rates.filter((rate) => R(rate) <= highest);
      stroke(pen, pen.accent, [0, ...seen].map((rate) => at(rate, R(rate))), 2);
      for (const [rate, found] of dots) {
        if (found <= highest) dot(pen, pen.text, ...at(rate, found), 3);
      }
      const here = Math.min(values.rate, plot.most);
      dot(pen, full() ? pen.warm : pen.accent, ...at(here, full() ? highest : Math.min(highest, R(here))), 6);
    },
    rows() {
      const { rate, wait } = values;
      const seen = dots.find(([each]) => each === rate);
      return [
        ['response time R', seen ? seconds(seen[1]) : '', seconds(wait), full() ? 'grows' : seconds(R(rate))],
        ['in line', '', '0', full() ? 'grows' : short(rate * (R(rate) - wait))],
        ['more in line each second', '', '', short(Math.max(0, rate - worth()))],
        ['workers busy', '', '', percent(Math.min(1, rate / worth()))],
      ];
    },
    sentence() {
      const { rate } = values;
      if (full()) {
        return `${short(rate)} a second come to a pool that is worth ${short(worth())}: the line grows for as long as they do.`;
      }
      const part = percent(rate / worth());
      return `At ${part} of what the pool is worth an answer takes ${seconds(R(rate))}, ${short(R(rate) / values.wait)} times as long as alone.`;
    },
    goals: {
      'twice-as-long': () => !full() && R(values.rate) >= 2 * values.wait,
    },
    point(x, y, begins) {
      if (y < plot.y - 20 || y > plot.y + plot.h + 20) return false;
      const rate = Math.round(Math.max(0, ((x - plot.x) / plot.w) * plot.most) * 10) / 10;
      if (rate !== values.rate || begins) stage.turn('rate', rate);
      return true;
    },
  };
}
