/** What holds of the shop whatever comes: nothing is lost, Little's law, and no bound is passed. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { Dice } from '../dice';
import { ABOUT, shop as shopOn } from '../shop';
import { ShopModel } from '../shop_model';
import { randomTimes } from '../shop_times';
import { bound } from '../theory';

const dice = new Dice(42);
const one = (...of) => of[Math.floor(dice.uniform() * of.length)];

function anyShop() {
  return {
    users: one(1, 4, 16, 60),
    think: one(0, 0, 0.3),
    rate: one(0, 0, 20),
    cpu: one(0, 0.005, 0.02),
    wait: one(0, 0.05, 0.2),
    cores: one(1, 2, 4),
    workers: one(1, 3, 16, 64),
    places: one(0, 2, 16, 2048),
  };
}

function whole(model, settings) {
  const states = { away: 0, refused: 0, queued: 0, computing: 0, waiting: 0 };
  for (const { state } of model.requests.values()) states[state] += 1;
  const { asked, done } = model.totals();
  assert.equal(asked - done, model.underWay);
  assert.equal(states.queued, model.line.length);
  assert.equal(states.computing, model.onCores);
  assert.equal(states.computing + states.waiting, model.inService);
  assert.equal(states.queued + states.refused + model.inService, model.underWay);
  assert.ok(model.line.length <= settings.places);
  assert.ok(model.inService <= settings.workers);
  assert.ok(model.line.length === 0 || model.inService === settings.workers, 'idle beside a line');
}

for (let i = 0; i < 40; i += 1) {
  const values = anyShop();
  test(`nothing is lost: ${JSON.stringify(values)}`, () => {
    const model = new ShopModel({ ...values, rate: 0 }, randomTimes(values, new Dice(i), i % 2 === 0));
    model.change(values);
    model.bring(values.users, 100_000);
    for (let step = 0; step < 3000; step += 1) {
      model.step();
      whole(model, values);
    }
  });

  test(`Little's law, to the microsecond: ${JSON.stringify(values)}`, () => {
    // Over a time that begins and ends with nobody under way it is an identity.
    const crowd = { ...values, users: 0, rate: 0 };
    const model = new ShopModel(crowd, randomTimes(values, new Dice(i), true));
    for (let each = 0; each < 300; each += 1) model.send(each * 7_000);
    while (model.nextAt < Infinity) model.step();
    const { asked, done, response, underWay } = model.totals();
    assert.equal(asked, 300);
    assert.equal(done, 300);
    assert.equal(underWay, response);
  });

  test(`no bound is passed: ${JSON.stringify(values)}`, () => {
    const closed = { ...values, rate: 0 };
    const model = new ShopModel(closed, randomTimes(closed, new Dice(i), false));
    model.bring(values.users, 0);
    const { cpu: D, wait: V, think: Z, cores: c, workers: W } = values;
    const length = D + V + Z > 0 ? 30 : 0.01; // seconds; at 1 µs a request, millions a second
    model.run(length * 1e6);
    const { done, busyCores, now } = model.totals();
    // At a rate of the bound, and those who were answered in the last moment.
    const most = length * bound(values.users, { D: D || (V + Z ? 0 : 1e-6), V, Z, c, W });
    assert.ok(done <= most + values.users, `${done} of ${most}`);
    assert.ok(busyCores <= now * c);
  });
}

test('the same seed, the same course; another, another', () => {
  const values = { ...anyShop(), users: 20, cpu: 0.02, wait: 0.1, workers: 8, rate: 0 };
  const course = (seed) => {
    const model = new ShopModel(values, randomTimes(values, new Dice(seed), true));
    model.bring(20, 1000);
    model.run(5e6);
    return model.totals().response;
  };
  assert.equal(course(3), course(3));
  assert.notEqual(course(3), course(4));
});

// -- the scene around it ---------------------------------------------------------------------

function scene(given, options = {}) {
  const values = { users: 0, think: 0, rate: 0, cpu: 0, wait: 0, cores: 1, workers: 1, places: 2048, ...given };
  const stage = { values, option: (name) => options[name] ?? null, turn() {}, did() {}, seed: 1 };
  const shop = shopOn(stage);
  shop.start();
  const turn = (changes) => {
    Object.assign(values, changes);
    shop.changed();
  };
  return { shop, turn };
}

const TABLE = [
  // goal, the page's numbers, what is turned, seconds, reached before and after
  ['time-to-think', { users: 16, cpu: 0.05 }, { think: 1.5 }],
  ['all-cores', { users: 12, cpu: 0.05, cores: 4, workers: 16 }, { users: 4 }],
  ['within-a-second', { users: 200, cpu: 0.02, cores: 2, workers: 200 }, { users: 100 }],
  ['fewest-cores', { users: 256, cpu: 0.002, wait: 0.2, cores: 8, workers: 256 }, { cores: 3 }],
  ['smallest-pool', { users: 96, wait: 0.2, cores: 4, workers: 64 }, { workers: 96 }],
  ['everybody-in', { users: 64, wait: 0.2, cores: 4, workers: 16, places: 17 }, { places: 48 }],
  ['cores-filled', { users: 60, cpu: 0.02, wait: 0.18, cores: 4, workers: 9 }, { workers: 48 }],
];

for (const [goal, given, changes] of TABLE) {
  test(`the goal ${goal} can be reached, and is not at first`, () => {
    const { shop, turn } = scene(given);
    shop.advance(20e6);
    assert.equal(shop.goals[goal](), false);
    turn(changes);
    shop.advance(40e6);
    assert.equal(shop.goals[goal](), true, JSON.stringify(shop.counted()));
  });
}

test('the goal of the front page: somebody is turned away', () => {
  const { shop } = scene({ cpu: 0.02, wait: 1, cores: 2, workers: 8, places: 12 }, { hold: '30' });
  shop.send(true);
  shop.advance(3e6);
  shop.send(false);
  assert.equal(shop.goals['turned-away'](), true);
  shop.advance(60e6);
  assert.deepEqual(shop.rows().find(([what]) => what === 'under way'), ['under way', '0']);
});

test('the goal of the launch: the line is gone', () => {
  const { shop, turn } = scene({ rate: 24, wait: 0.5, cores: 2, workers: 8 });
  shop.advance(10e6);
  assert.equal(shop.goals['line-is-gone'](), false);
  turn({ workers: 32 });
  shop.advance(10e6);
  assert.equal(shop.goals['line-is-gone'](), true, JSON.stringify(shop.counted()));
});

test('every goal has been tried', () => {
  const tried = [...TABLE.map(([goal]) => goal), 'turned-away', 'line-is-gone'];
  assert.deepEqual(Object.keys(ABOUT.goals).sort(), tried.sort());
});

test('who finds no place is missing from X times R', () => {
  const { shop } = scene({ users: 64, wait: 0.2, cores: 4, workers: 16, places: 17 }, { times: 'alike' });
  shop.advance(20e6);
  const { X, R, refused } = shop.counted();
  assert.ok(refused > 0);
  assert.ok(Math.abs(X * R - 33) < 1, `${X * R}`);
  assert.ok(shop.rows().some(([what]) => what === 'users without an answer'));
});

test('each step says what happens', () => {
  const { shop } = scene({ users: 2, cpu: 0.05 });
  assert.match(shop.step(), /^At [\d.]+ s: Request \d/);
});

test('a press in step by step is one visitor', () => {
  const { shop } = scene({ cpu: 0.02, cores: 1, workers: 1 }, { hold: '30', times: 'alike' });
  shop.send(true);
  shop.send(false);
  assert.equal(shop.step(), 'At 0.0000 s: Request 1 knocks. A worker takes request 1.');
  assert.equal(shop.step(), 'At 0.0200 s: Request 1 has had its CPU time. Request 1 is answered.');
  assert.equal(shop.step(), 'Nothing is under way.');
});
