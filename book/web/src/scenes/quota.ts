/** A quota: a budget of CPU time for each 100 ms, and workers that stand still once it is spent. */
import type { Pen } from './look';
import { PERIOD, Quota, worth } from './quota_model';
import { clock, percent, rate, seconds, short, some, time } from './say';
import type { About, Scene, Stage } from './scene';
import { SECOND } from './shop_model';
import { us } from './shop_times';
import { box, stroke, words } from './sketch';

const SEEN = 6 * PERIOD;
const BEFORE = 20 * PERIOD; // what has been before the reader looks at it
const LAST = 20; // requests of each worker whose response times count
const TOP = 22;
const BUDGET = 74; // CSS pixels, the plot of what is left
const ROWS = 120; // and the most that workers take

export const ABOUT: About = {
  title: 'a budget of CPU time that is spent, and workers that stand still until the next',
  legend: { core: 'a worker runs', trap: 'stopped', dot: 'a request is done' },
  goals: { 'never-stopped': 'Find the most workers that this quota never stops.' },
};

export function quota(stage: Stage): Scene {
  let model: Quota;

  function start(): void {
    const { workers, cores, quota, cpu, pair } = stage.values;
    model = new Quota({ workers, cores, quota: Math.min(quota || cores, cores), cpu: us(cpu), pair });
    model.now = BEFORE;
  }

  const high = () => Math.min(16, ROWS / model.setting.workers);
  const X = () => (model.answers * SECOND) / model.now;
  const budget = () => `${short(model.setting.quota * 100)} ms`;

  function draw(pen: Pen): void {
    const { g, width: w, height } = pen;
    const { now, runs, running, throttled } = model;
    const { workers, quota } = model.setting;
    const begin = now - SEEN;
    const at = (moment: number) => (w * (moment - begin)) / SEEN;
    words(pen, `left of ${budget()} CPU time in each 100 ms`, 0, 13);
    const wide = high();
    const top = TOP + BUDGET + 24;
    words(pen, some(workers, 'worker'), 0, top - 6);
    g.save();
    g.beginPath();
    g.rect(0, 0, w, height);
    g.clip();
    const points: number[][] = [];
    const spent = (BUDGET * running * runs) / (quota * PERIOD); // pixels, in a period
    for (let from = Math.floor(begin / PERIOD) * PERIOD; from <= now; from += PERIOD) {
      const stop = Math.min(now, from + runs);
      const next = at(Math.min(now, from + PERIOD));
      points.push([at(from), TOP], [at(stop), TOP + (spent * (stop - from)) / runs]);
      if (now > stop) points.push([next, TOP + spent]);
      box(pen, pen.line, at(from), TOP, 1, height - TOP - 18, 0.7);
      for (const worker of model.workers) {
        const y = top + worker * wide;
        box(pen, pen.accent, at(from), y, at(stop) - at(from), wide - 2, 0.35);
        const middle = y + wide / 2 - 1;
        if (now > stop && throttled) stroke(pen, pen.warm, [[at(stop), middle], [next, middle]], 1.5, [2, 4]);
      }
    }
    stroke(pen, pen.accent, points, 2);
    for (const worker of model.workers) {
      for (let nth = model.done(worker); nth > 0; nth -= 1) {
        const done = model.doneAt(worker, nth);
        if (done <= begin) break;
        box(pen, pen.text, at(done) - 1.5, top + worker * wide, 3, wide - 2);
      }
    }
    g.restore();
    stroke(pen, pen.line, [[0, TOP + BUDGET], [w, TOP + BUDGET]]);
    words(pen, `the last ${time(SEEN)}`, w, height - 4, 1);
  }

  return {
    start,
    changed: start,
    draw,
    advance(time) {
      model.now += time;
    },
    clock: () => clock(model.now, 3),
    step() {
      const { now, runs, throttled } = model;
      const spent = now % PERIOD;
      const stops = throttled && spent < runs;
      model.now += (stops ? runs : PERIOD) - spent;
      return stops
        ? `After ${time(runs)} the ${budget()} of CPU time are spent. All stand still.`
        : `A new period: ${budget()} of CPU time.`;
    },
    height: () => TOP + BUDGET + model.setting.workers * high() + 44,
    rows() {
      const { setting, needs, running, runs, times } = model;
      const { workers, cores, quota, cpu } = setting;
      const all = model.responses(LAST);
      const least = `≥ ${time(cpu)}`;
      return [
        ['answers a second X', short(X()), `≤ ${short((Math.min(quota, workers) * SECOND) / cpu)}`],
        ['response time R', seconds(workers / X()), least],
        ['the slowest', all.length > 0 ? time(Math.max(...all)) : '–'],
        ['CPU time of a request', time((needs * running) / workers), least],
        ['standing still', percent(1 - runs / PERIOD)],
        ['periods cut short, nr_throttled', `${times}`],
        ['os.cpu_count()', `${cores}`],
      ];
    },
    sentence() {
      const { setting, running, runs, throttled } = model;
      const doing = `At work: ${running} of ${setting.cores} logical cores, worth ${some(Number(short(worth(running, setting))), 'core')}`;
      if (!throttled) return `${doing}, and the quota stops nobody.`;
      return (
        `${doing}, until the ${budget()} are spent, after ${time(runs)}. ` +
        `Then all stand still for ${time(PERIOD - runs)}.`
      );
    },
    answer: () => (model.now < SECOND ? undefined : rate(X())),
    goals: {
      'never-stopped'() {
        const { workers, quota, cores } = model.setting;
        return !model.throttled && workers + 1 > quota && quota < cores;
      },
    },
  };
}
