/** A quota: a budget of CPU time for each 100 ms, and workers that stand still once it is spent. */
import type { Pen } from './look';
import { seconds, short } from './parameters';
import { PERIOD, Quota, worth, type Setting } from './quota_model';
import type { Row, Scene, Stage } from './scene';
import { SECOND } from './shop_model';
import { us } from './shop_times';
import { box, stroke, words } from './sketch';

const SEEN = 6 * PERIOD;
const BEFORE = 20 * PERIOD; // what has been before the reader looks at it
const LAST = 20; // requests of each worker whose response times count
const TOP = 22;
const BUDGET = 74; // CSS pixels, the plot of what is left
const ROWS = 120; // and the most that workers take

class UnderQuota implements Scene {
  readonly moves = true;
  readonly title = 'a budget of CPU time that is spent, and workers that stand still until the next';
  readonly legend: [string, string][] = [
    ['core', 'a worker runs'],
    ['trap', 'stopped'],
    ['dot', 'a request is done'],
  ];
  private model!: Quota;

  constructor(private stage: Stage) {}

  start(): void {
    const { workers, cores, quota, cpu, pair } = this.stage.values;
    const setting: Setting = { workers, cores, quota: Math.min(quota || cores, cores), cpu: us(cpu), pair };
    this.model = new Quota(setting);
    this.model.now = BEFORE;
  }

  advance(time: number): void {
    this.model.now += time;
  }

  clock(): string {
    return `${(this.model.now / SECOND).toFixed(3)} s`;
  }

  step(): string {
    const model = this.model;
    const spent = model.now % PERIOD;
    const stops = model.throttled && spent < model.runs;
    model.now += (stops ? model.runs : PERIOD) - spent;
    const budget = `${short(model.setting.quota * 100)} ms of CPU time`;
    return stops
      ? `After ${seconds(model.runs / SECOND)} the ${budget} are spent. All stand still.`
      : `A new period: ${budget}.`;
  }

  changed(): void {
    this.start();
  }

  height(): number {
    return TOP + BUDGET + this.model.setting.workers * this.high + 44;
  }

  private get high(): number {
    return Math.min(16, ROWS / this.model.setting.workers);
  }

  draw(pen: Pen): void {
    const model = this.model;
    const { workers, quota } = model.setting;
    const w = pen.width;
    const begin = model.now - SEEN;
    const at = (moment: number) => (w * (moment - begin)) / SEEN;
    words(pen, `left of ${short(quota * 100)} ms CPU time in each 100 ms`, 0, 13);
    const high = this.high;
    const top = TOP + BUDGET + 24;
    words(pen, workers === 1 ? '1 worker' : `${workers} workers`, 0, top - 6);
    pen.g.save();
    pen.g.beginPath();
    pen.g.rect(0, 0, w, pen.height);
    pen.g.clip();
    const points: number[][] = [];
    const spent = (model.running * model.runs) / (quota * PERIOD); // of a budget, in a period
    for (let from = Math.floor(begin / PERIOD) * PERIOD; from <= model.now; from += PERIOD) {
      const stop = Math.min(model.now, from + model.runs);
      const part = (stop - from) / model.runs;
      points.push([at(from), TOP], [at(stop), TOP + BUDGET * spent * part]);
      if (model.now > stop) points.push([at(Math.min(model.now, from + PERIOD)), TOP + BUDGET * spent]);
      box(pen, pen.line, at(from), TOP, 1, pen.height - TOP - 18, 0.7);
      for (let worker = 0; worker < workers; worker += 1) {
        const y = top + worker * high;
        box(pen, pen.accent, at(from), y, at(stop) - at(from), high - 2, 0.35);
        if (model.now > stop && model.throttled) {
          const to = at(Math.min(model.now, from + PERIOD));
          stroke(pen, pen.warm, [[at(stop), y + high / 2 - 1], [to, y + high / 2 - 1]], 1.5, [2, 4]);
        }
      }
    }
    stroke(pen, pen.accent, points, 2);
    for (let worker = 0; worker < workers; worker += 1) {
      const done = model.done(worker);
      for (let nth = done; nth > 0 && model.doneAt(worker, nth) > begin; nth -= 1) {
        box(pen, pen.text, at(model.doneAt(worker, nth)) - 1.5, top + worker * high, 3, high - 2);
      }
    }
    pen.g.restore();
    stroke(pen, pen.line, [[0, TOP + BUDGET], [w, TOP + BUDGET]]);
    words(pen, `the last ${seconds(SEEN / SECOND)}`, w, pen.height - 4, 1);
  }

  rows(): Row[] {
    const model = this.model;
    const { workers, cores, quota, cpu } = model.setting;
    const X = (model.answers * SECOND) / model.now;
    const all = model.responses(LAST);
    const slowest = all.length > 0 ? seconds(Math.max(...all) / SECOND) : '–';
    const least = cpu / SECOND;
    return [
      ['answers a second X', short(X), `≤ ${short((Math.min(quota, workers) * SECOND) / cpu)}`, ''],
      ['response time R', seconds(workers / X), `≥ ${seconds(least)}`, ''],
      ['the slowest', slowest, '', ''],
      ['CPU time of a request', seconds((model.needs * model.running) / workers / SECOND), `≥ ${seconds(least)}`, ''],
      ['standing still', `${Math.round(100 - (100 * model.runs) / PERIOD)} %`, '', ''],
      ['periods cut short, nr_throttled', String(model.times), '', ''],
      ['os.cpu_count()', String(cores), '', ''],
    ];
  }

  sentence(): string {
    const model = this.model;
    const { setting, running } = model;
    const doing = `${running} of ${setting.cores} logical cores do ${short(worth(running, setting))} cores’ worth of work`;
    if (!model.throttled) return `${doing}, and the quota stops nobody.`;
    return (
      `${doing} until the ${short(setting.quota * 100)} ms are spent, after ${seconds(model.runs / SECOND)}. ` +
      `Then all stand still for ${seconds((PERIOD - model.runs) / SECOND)}.`
    );
  }

  answer(): { value: number; words: string } | undefined {
    if (this.model.now < SECOND) return undefined;
    const X = (this.model.answers * SECOND) / this.model.now;
    return { value: X, words: `${short(X)} requests a second` };
  }

  goal(): { words: string; reached: boolean } {
    const { throttled, setting } = this.model;
    return {
      words: 'Find the most workers that this quota never stops.',
      reached: !throttled && setting.workers + 1 > setting.quota && setting.quota < setting.cores,
    };
  }
}

export const quota = (stage: Stage): Scene => new UnderQuota(stage);
