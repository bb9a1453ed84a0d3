/** Samples: two servers are tested again and again; what an interval vouches for, and how often one
 * is fooled. */
import { Dice } from './dice';
import type { Pen } from './look';
import { seconds, short } from './parameters';
import { claimed, error, misled, Samples, type Setting, type Test } from './samples_model';
import type { Row, Scene, Stage } from './scene';
import { SECOND } from './shop_model';
import { us } from './shop_times';
import { box, dot, stroke, words } from './sketch';

const PAIR_US = 100_000; // of the model's clock, for two tests however long
const ENOUGH = 60; // pairs, before a goal is reached
const DRAWN = 120; // requests of a test
const NARROW = 560;
const HIGH = 250;

const GOALS: Record<string, [words: string, reached: (of: Setting, model: Samples) => boolean]> = {
  'nine-of-ten': [
    'Find the fewest requests with which nine pairs of ten show the difference.',
    (of, { claimed: seen, wrong, count }) => of.requests <= 1200 && (seen - wrong) / count >= 0.88,
  ],
  'no-difference': [
    'Two servers that are equal: let the interval claim a difference all the same.',
    (of, { wrong }) => of.apart === 0 && wrong > 0,
  ],
};

const percent = (part: number) => `${short(Math.round(1000 * part) / 10)} %`;
const time = (value: number) => seconds(value / SECOND);

class TwoServers implements Scene {
  readonly moves = true;
  readonly title = 'two tests of two servers, their intervals, and the interval of the difference';
  readonly legend: [string, string][] = [
    ['line', 'no difference claimed'],
    ['core', 'claimed, and true'],
    ['refused', 'claimed, and wrong'],
    ['bound', 'the truth'],
  ];
  readonly columns: [string, string] = ['', 'model'];
  private model!: Samples;
  private now = 0;

  constructor(private stage: Stage) {}

  private get setting(): Setting {
    const { requests, mean, apart, deviation } = this.stage.values;
    return { requests, mean: us(mean), apart: us(apart), deviation: us(deviation) };
  }

  start(seed: number): void {
    this.model = new Samples(new Dice(seed));
    this.now = 0;
    this.model.pair(this.setting);
  }

  advance(time: number): void {
    const before = Math.floor(this.now / PAIR_US);
    this.now += time;
    for (let i = Math.floor(this.now / PAIR_US) - before; i > 0; i -= 1) this.model.pair(this.setting);
  }

  clock(): string {
    const { count } = this.model;
    return `${count} ${count === 1 ? 'pair' : 'pairs'} of tests`;
  }

  step(): string {
    const { tests, difference, half, claims, wrong } = this.model.pair(this.setting);
    const claim = claims ? `so a difference is claimed, ${wrong ? 'wrongly' : 'rightly'}` : 'so none is claimed';
    return (
      `${time(tests[0].mean)} and ${time(tests[1].mean)}. The difference is ${time(difference)}, ` +
      `plus or minus ${time(half)}, ${claim}.`
    );
  }

  changed(): void {
    this.model.forget();
    this.model.pair(this.setting);
  }

  height(width: number): number {
    return width < NARROW ? 2 * HIGH : HIGH;
  }

  draw(pen: Pen): void {
    const narrow = pen.width < NARROW;
    const w = narrow ? pen.width : pen.width / 2 - 16;
    this.drawTests(pen, w);
    this.drawDifferences(pen, narrow ? 0 : pen.width / 2 + 16, narrow ? HIGH : 0, w);
  }

  private drawTests(pen: Pen, w: number): void {
    const { mean, apart, deviation } = this.setting;
    const left = Math.max(0, mean - 3.2 * deviation);
    const at = (value: number) => ((value - left) / (mean + apart + 3.2 * deviation - left)) * w;
    words(pen, 'response times of the last two tests', 0, 14);
    const { tests } = this.model.pairs.at(-1)!;
    tests.forEach((test: Test, index) => {
      const y = 76 + index * 92;
      words(pen, index === 0 ? 'one' : 'the other', 0, y - 38, 0, pen.text);
      stroke(pen, pen.line, [[0, y + 14], [w, y + 14]]);
      test.times.slice(0, DRAWN).forEach((each, i) => {
        dot(pen, pen.accent, at(each), y + 4 - ((i * 7) % 5) * 6, 2.5, false);
      });
      const [from, to] = [at(test.mean - test.half), at(test.mean + test.half)];
      box(pen, pen.text, from, y + 20, Math.max(2, to - from), 6);
      dot(pen, pen.text, at(test.mean), y + 23, 6);
      const truth = at(mean + index * apart);
      stroke(pen, pen.muted, [[truth, y - 28], [truth, y + 34]], 1.5, [5, 4]);
    });
    words(pen, time(left), 0, 232);
    words(pen, time(mean + apart + 3.2 * deviation), w, 232, 1);
  }

  private drawDifferences(pen: Pen, x: number, y: number, w: number): void {
    const setting = this.setting;
    const wide = setting.apart + 4 * error(setting) * 1.3;
    const at = (value: number) => x + w * Math.min(1, Math.max(0, 0.5 + value / wide / 2));
    words(pen, 'intervals of the difference', x, y + 14);
    const { pairs } = this.model;
    pairs.forEach(({ difference, half, claims, wrong }, index) => {
      const row = y + 214 - (pairs.length - 1 - index) * 5.4;
      const colour = wrong ? pen.warm : claims ? pen.accent : pen.muted;
      stroke(pen, colour, [[at(difference - half), row], [at(difference + half), row]], claims ? 3 : 1.5);
      if (wrong) words(pen, '×', at(difference), row + 5, 0.5, pen.warm);
    });
    stroke(pen, pen.text, [[at(0), y + 22], [at(0), y + 218]], 1.5);
    const truth = at(setting.apart);
    stroke(pen, pen.muted, [[truth, y + 22], [truth, y + 218]], 1.5, [5, 4]);
    words(pen, '0', at(0), y + 232, 0.5);
    if (truth - at(0) > 34) words(pen, time(setting.apart), truth, y + 232, 0.5);
  }

  rows(): Row[] {
    const setting = this.setting;
    const model = this.model;
    const { count } = model;
    const part = (of: number) => percent(of / count);
    const rows: Row[] = [];
    if (setting.apart > 0) {
      rows.push(['the slower one looks faster', part(model.misled), '', percent(misled(setting))]);
    }
    rows.push(['a difference is claimed', part(model.claimed), '', percent(claimed(setting))]);
    rows.push(['claimed, and wrong', part(model.wrong), '', setting.apart === 0 ? percent(claimed(setting)) : '']);
    rows.push(['the two bars don’t overlap', part(model.separate), '', '']);
    const wavers = count > 9 ? time(model.wavered) : '–';
    rows.push(['a difference wavers by', wavers, '', time(error(setting))]);
    return rows;
  }

  sentence(): string {
    const model = this.model;
    const setting = this.setting;
    const { count } = model;
    const fooled =
      setting.apart === 0
        ? `there is no difference, and ${model.wrong} of them claim one`
        : `${model.misled} show the slower server as the faster, and ${model.claimed - model.wrong} show the difference`;
    return `After ${count} pairs of tests with ${setting.requests} requests each: ${fooled}.`;
  }

  answer(): { value: number; words: string } | undefined {
    const { count, misled: fooled } = this.model;
    if (count < ENOUGH) return undefined;
    return { value: (100 * fooled) / count, words: percent(fooled / count) };
  }

  goal(name: string): { words: string; reached: boolean } {
    const [told, reached] = GOALS[name]!;
    return { words: told, reached: this.model.count >= ENOUGH && reached(this.setting, this.model) };
  }
}

export const samples = (stage: Stage): Scene => new TwoServers(stage);
