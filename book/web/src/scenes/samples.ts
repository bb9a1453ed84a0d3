/** Samples: two servers are tested again and again; what an interval vouches for, and how often one
 * is fooled. */
import { Dice } from './dice';
import type { Pen } from './look';
import { claimed, error, misled, Samples, type Setting } from './samples_model';
import { short, some, time } from './say';
import type { About, Row, Scene, Stage } from './scene';
import { us } from './shop_times';
import { box, dot, stroke, words } from './sketch';

const PAIR_US = 100_000; // of the model's clock, for two tests however long
const ENOUGH = 60; // pairs, before a goal is reached
const DRAWN = 120; // requests of a test
const NARROW = 560;
const HIGH = 250;
const TRUTH = [5, 4]; // its dash

const percent = (part: number) => `${short(Math.round(1000 * part) / 10)} %`;

export const ABOUT: About = {
  title: 'two tests of two servers, their intervals, and the interval of the difference',
  legend: {
    line: 'no difference claimed',
    core: 'claimed, and true',
    refused: 'claimed, and wrong',
    bound: 'the truth',
  },
  columns: ['', 'model'],
  goals: {
    'nine-of-ten': 'Find the fewest requests with which nine pairs of ten show the difference.',
  },
  still: (scene) => scene.advance!(40 * PAIR_US),
};

export function samples(stage: Stage): Scene {
  let model: Samples;
  let left: number; // microseconds of the next pair

  function setting(): Setting {
    const { requests, mean, apart, deviation } = stage.values;
    return { requests, mean: us(mean), apart: us(apart), deviation: us(deviation) };
  }

  function drawTests(pen: Pen, w: number): void {
    const { mean, apart, deviation } = setting();
    const left = Math.max(0, mean - 3.2 * deviation);
    const right = mean + apart + 3.2 * deviation;
    const at = (value: number) => ((value - left) / (right - left)) * w;
    words(pen, 'response times of the last two tests', 0, 14);
    model.pairs.at(-1)!.tests.forEach((test, index) => {
      const y = 76 + index * 92;
      words(pen, index === 0 ? 'one' : 'the other', 0, y - 38, 0, pen.text);
      stroke(pen, pen.line, [[0, y + 14], [w, y + 14]]);
      test.times.slice(0, DRAWN).forEach((each, i) => {
        dot(pen, pen.accent, at(each), y + 4 - ((i * 7) % 5) * 6, 2.5, false);
      });
      const from = at(test.mean - test.half);
      box(pen, pen.text, from, y + 20, Math.max(2, at(test.mean + test.half) - from), 6);
      dot(pen, pen.text, at(test.mean), y + 23, 6);
      const truth = at(mean + index * apart);
      stroke(pen, pen.muted, [[truth, y - 28], [truth, y + 34]], 1.5, TRUTH);
    });
    words(pen, time(left), 0, 232);
    words(pen, time(right), w, 232, 1);
  }

  function drawDifferences(pen: Pen, x: number, y: number, w: number): void {
    const of = setting();
    const wide = of.apart + 4 * error(of) * 1.3;
    const at = (value: number) => x + w * Math.min(1, Math.max(0, 0.5 + value / wide / 2));
    words(pen, 'intervals of the difference', x, y + 14);
    const { pairs } = model;
    pairs.forEach(({ difference, half, claims, wrong }, index) => {
      const row = y + 214 - (pairs.length - 1 - index) * 5.4;
      const colour = wrong ? pen.warm : claims ? pen.accent : pen.muted;
      stroke(pen, colour, [[at(difference - half), row], [at(difference + half), row]], claims ? 3 : 1.5);
      if (wrong) words(pen, '×', at(difference), row + 5, 0.5, pen.warm);
    });
    const rule = (x: number, colour: string, dash?: number[]) =>
      stroke(pen, colour, [[x, y + 22], [x, y + 218]], 1.5, dash);
    const truth = at(of.apart);
    rule(at(0), pen.text);
    rule(truth, pen.muted, TRUTH);
    words(pen, 0, at(0), y + 232, 0.5);
    if (truth - at(0) > 34) words(pen, time(of.apart), truth, y + 232, 0.5);
  }

  const enough = () => model.count >= ENOUGH;

  return {
    start() {
      model = new Samples(new Dice(stage.seed));
      left = 0;
      model.pair(setting());
    },
    changed() {
      model.forget();
      model.pair(setting());
    },
    advance(us) {
      for (left += us; left >= PAIR_US; left -= PAIR_US) model.pair(setting());
    },
    clock: () => `${some(model.count, 'pair')} of tests`,
    step() {
      const { tests, difference, half, claims, wrong } = model.pair(setting());
      const claim = claims ? `so a difference is claimed, ${wrong ? 'wrongly' : 'rightly'}` : 'so none is claimed';
      return (
        `${time(tests[0].mean)} and ${time(tests[1].mean)}. The difference is ${time(difference)}, ` +
        `plus or minus ${time(half)}, ${claim}.`
      );
    },
    height: (width) => (width < NARROW ? 2 * HIGH : HIGH),
    draw(pen) {
      const narrow = pen.width < NARROW;
      const w = narrow ? pen.width : pen.width / 2 - 16;
      drawTests(pen, w);
      drawDifferences(pen, narrow ? 0 : w + 32, narrow ? HIGH : 0, w);
    },
    rows() {
      const of = setting();
      const part = (count: number) => percent(count / model.count);
      const expected = percent(claimed(of));
      const rows: Row[] = [
        ['a difference is claimed', part(model.claimed), '', expected],
        ['claimed, and wrong', part(model.wrong), '', of.apart === 0 ? expected : ''],
        ['the two bars don’t overlap', part(model.separate)],
        ['a difference scatters by', time(model.count > 9 ? model.wavered : NaN), '', time(error(of))],
      ];
      if (of.apart > 0) rows.unshift(['the slower one looks faster', part(model.misled), '', percent(misled(of))]);
      return rows;
    },
    sentence() {
      const { count, wrong, claimed, misled } = model;
      const { apart, requests } = setting();
      const fooled =
        apart === 0
          ? `there is no difference, and ${wrong} of them claim one`
          : `${misled} show the slower server as the faster, and ${claimed - wrong} show the difference`;
      return `After ${count} pairs of tests with ${requests} requests each: ${fooled}.`;
    },
    answer() {
      const part = model.misled / model.count;
      return enough() ? { value: 100 * part, words: percent(part) } : undefined;
    },
    goals: {
      'nine-of-ten'() {
        const { claimed, wrong, count } = model;
        return enough() && setting().requests <= 1200 && (claimed - wrong) / count >= 0.88;
      },
    },
  };
}
