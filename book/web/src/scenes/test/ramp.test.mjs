/** The ramp: as many looks as the law says, and nobody is lost on the way. */
import assert from 'node:assert/strict';
import test from 'node:test';
import agreed from '../agreed/looks.json';
import { Dice } from '../dice';
import { ramp } from '../ramp';
import { Master, Ramp } from '../ramp_model';
import { randomTimes } from '../shop_times';

for (const { wanted, start, looks } of agreed) {
  test(`from ${start} to ${wanted} workers`, () => {
    const master = new Master(start, wanted);
    let count = 0;
    for (; master.workers < wanted; count += 1) master.look(0);
    assert.equal(count, looks);

    // The same with a crowd that is there at once, and asks without end.
    const times = { cpu: () => 0, wait: () => 200_000, think: () => 0, gap: () => Infinity };
    const model = new Ramp(start, wanted, wanted, 0, times);
    assert.equal(model.longest, wanted - start); // they stand there at once
    model.run((looks + 1) * 1e6);
    assert.equal(model.looks.findIndex(({ workers }) => workers >= wanted), looks);
    assert.equal(model.longest, wanted - start);
  });
}

test('the master is content between 5 and 10 idle ones, and sends home one a look', () => {
  const master = new Master(32, 64);
  assert.deepEqual([11, 10, 5, 4, 4, 4, 7, 4].map((idle) => master.look(idle)), [-1, 0, 0, 1, 2, 4, 0, 1]);
});

function scene(given) {
  const values = {
    ...{ users: 256, think: 0, cpu: 0, wait: 0.2 },
    ...{ first: 5, limit: 256, within: 0, ...given },
  };
  const made = ramp({ values, option: () => null, turn() {}, did() {}, seed: 1 });
  made.start();
  return { made, values };
}

test('nobody is lost: inside, outside, or not yet come', () => {
  const values = { think: 0, cpu: 0, wait: 0.2 };
  const model = new Ramp(5, 256, 256, 20e6, randomTimes(values, new Dice(1), true));
  const { shop, master } = model;
  model.run(0);
  for (let i = 1; i <= 400; i += 1) {
    model.run(i * 100_000);
    const { outside, there } = model;
    assert.equal(shop.inService + outside, shop.underWay);
    assert.equal(shop.underWay, there);
    assert.ok(shop.inService <= master.workers);
  }
  const { made } = scene({ within: 20 });
  made.advance(40e6);
  assert.match(made.sentence(), /^256 users have come; 256 workers are there, and 0 users stand outside/);
});

test('a launch takes as long as the table says', () => {
  const { made } = scene({});
  made.advance(20e6);
  assert.deepEqual(made.rows().at(-1).slice(1), ['12 s', '', '12 s']);
  assert.match(made.sentence(), /At most it was 251/);
});

const TABLE = [
  ['slow-morning', { within: 0 }, { within: 90 }, 100],
];

for (const [goal, given, changes, seconds] of TABLE) {
  test(`the goal ${goal} can be reached, and is not at first`, () => {
    const { made, values } = scene(given);
    made.advance(seconds * 1e6);
    assert.ok(!made.goals[goal]());
    Object.assign(values, changes);
    made.changed();
    assert.ok(!made.goals[goal]());
    made.advance(seconds * 1e6);
    assert.ok(made.goals[goal]());
  });
}

test('every goal has a row here', () => {
  assert.deepEqual(TABLE.map(([goal]) => goal).sort(), Object.keys(scene({}).made.goals).sort());
});

test('a step is a look of the master', () => {
  const { made } = scene({});
  assert.match(made.step(), /^Look 1, at 1 s: the master forks 1. 6 workers, 250 users outside/);
  assert.match(made.step(), /^Look 2, at 2 s: the master forks 2. 8 workers/);
});
