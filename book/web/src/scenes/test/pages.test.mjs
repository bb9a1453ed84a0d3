/** Shared pages: what is copied is counted once, PSS adds up to what is used, and chance is kept to. */
import assert from 'node:assert/strict';
import test from 'node:test';
import agreed from '../agreed/pages.json';
import { Dice } from '../dice';
import { pages } from '../pages';
import { ALL, CODE, copied, DATA, LOADED, Pages, REQUEST_US } from '../pages_model';

test('as many pages are copied as Python says to expect', () => {
  for (const { writes, mean } of agreed.copies) {
    assert.ok(Math.abs(copied(writes) - mean) < 1e-9, `${writes}: ${copied(writes)} of ${mean}`);
  }
});

test('as many workers fit as the law of memory says', () => {
  const { base, each, memory, workers } = agreed.fit;
  assert.deepEqual([ALL, DATA, Math.floor((memory - ALL) / DATA)], [base, each, workers]);
});

for (const { seed, workers, preload, written, used } of agreed.courses) {
  test(`the same dice, the same pages: seed ${seed}`, () => {
    const model = new Pages(workers, preload, written, new Dice(seed));
    const course = used.map(() => {
      model.step();
      return model.used;
    });
    assert.deepEqual(course, used);
  });
}

for (const preload of [true, false]) {
  test(`all PSS together is what is used, ${preload ? 'with' : 'without'} preload`, () => {
    const model = new Pages(7, preload, 3, new Dice(5));
    for (let i = 0; i < 300; i += 1) {
      model.step();
      if (i === 100) model.resize(11);
      if (i === 200) model.resize(4);
      let sum = 0;
      for (let who = -1; who < model.workers.length; who += 1) sum += model.pss(who);
      assert.ok(Math.abs(sum - model.used) < 1e-6, `${sum} of ${model.used}`);
    }
    assert.ok(model.pss(0) <= ALL);
  });
}

test('within 1 %: copies after many requests', () => {
  const model = new Pages(200, true, 2, new Dice(11));
  model.run(200 * 25 * REQUEST_US);
  assert.equal(model.workers.reduce((sum, { answers }) => sum + answers, 0), 5000);
  assert.equal(model.fewest, 25);
  assert.ok(Math.abs(model.used / model.expected - 1) < 0.01, `${model.used} of ${model.expected}`);
});

test('preload spares what is only read, however late one weighs', () => {
  const late = (preload) => {
    const model = new Pages(10, preload, 5, new Dice(2));
    model.run(1000 * REQUEST_US);
    return model.used;
  };
  assert.equal(late(true), ALL + 10 * DATA);
  assert.equal(late(false), CODE + 10 * (LOADED + DATA));
});

function scene(given) {
  const values = { workers: 20, preload: 1, written: 3, memory: 552, ...given };
  const made = pages({ values, option: () => null, turn() {}, did() {}, seed: 1 });
  made.start();
  return { made, values };
}

test('the goal: freshly forked twenty fit, and in the end only twelve', () => {
  for (const [workers, reached] of [[10, false], [12, true], [14, false], [20, false]]) {
    const { made } = scene({ workers });
    assert.match(made.sentence(), /and they fit/);
    assert.ok(!made.goals['weigh-late']());
    made.advance(workers * 41 * REQUEST_US);
    assert.equal(made.goals['weigh-late'](), reached, workers);
  }
});

test('who stays keeps what was copied; the frames of a page lose no time', () => {
  const { made, values } = scene({});
  for (let i = 0; i < 600; i += 1) made.advance(1_667);
  assert.equal(made.clock(), '1.00 s');
  values.workers = 12;
  made.changed('workers');
  assert.match(made.sentence(), /^12 workers use \d\d\d pages after 5 answers each/);
  assert.match(made.step(), /^Worker \d+ answers a request and writes to/);
});
