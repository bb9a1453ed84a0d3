/** Ceilings, core-hopping, quota and samples: their models against what second ones did
 * (agreed/), and what holds of them whatever comes. */
import assert from 'node:assert/strict';
import test from 'node:test';
import ceilingRows from '../agreed/ceilings.json';
import hoppingRows from '../agreed/hopping.json';
import quotaRows from '../agreed/quota.json';
import sampleRows from '../agreed/samples.json';
import { ceilings } from '../ceilings';
import { Dice } from '../dice';
import { hopping } from '../hopping';
import { Hopping } from '../hopping_model';
import { PARAMETERS } from '../parameters';
import { quota } from '../quota';
import { PERIOD, Quota } from '../quota_model';
import { samples } from '../samples';
import { below, claimed, error, misled, Samples, student } from '../samples_model';
import { Stations } from '../stations_model';

const near = (value, wanted, part, what = '') =>
  assert.ok(Math.abs(value / wanted - 1) < part, `${what} ${value}, not ${wanted}`);

/** A scene as a page has it; `turn` as a reader turns. */
function scene(kind, given, options = {}) {
  const values = Object.fromEntries(Object.entries(PARAMETERS).map(([name, { without }]) => [name, without]));
  Object.assign(values, given);
  const turn = (name, value) => {
    values[name] = value;
    made.changed(name);
  };
  const made = kind({ values, option: (name) => options[name] ?? null, turn, did() {}, seed: 1 });
  made.start();
  return { made, values, turn, row: (what) => made.rows().find(([label]) => label.startsWith(what)) };
}

const thingsOf = (row) => row.things.map(([units, us]) => ({ units, us }));

// ---- ceilings ----

for (const row of ceilingRows) {
  for (const kind of ['alike', 'chance']) {
    test(`exact: the things of "${row.name}", times ${kind}`, () => {
      const dice = new Dice(row.seed);
      const draw = kind === 'alike' ? (us) => us : (us) => dice.exponential(us);
      const model = new Stations(thingsOf(row), row.users, draw);
      const log = row[kind].map(() => {
        const [thing, id] = model.step();
        return [model.now, thing, id];
      });
      assert.deepEqual(log, row[kind]);
    });
  }

  test(`nobody is lost, and no ceiling passed: "${row.name}"`, () => {
    const dice = new Dice(3);
    const things = thingsOf(row);
    const model = new Stations(things, row.users, (us) => dice.exponential(us));
    for (let i = 0; i < 20_000; i += 1) {
      model.step();
      const behind = things.map((_, k) => model.taken[k] + model.lines[k].length);
      assert.equal(behind[0], row.users);
      assert.equal(behind.slice(1).reduce((all, each) => all + each), model.taken[0]);
      things.forEach(({ units }, k) => {
        assert.ok(model.taken[k] <= units);
        assert.ok(model.lines[k].length === 0 || model.taken[k] === units, 'idle beside a line');
      });
    }
    const X = (1e6 * model.done) / model.now;
    assert.ok(X < 1.03 * row.bound, `${X} of ${row.bound}`);
  });

  test(`within 1 % of the exact network: "${row.name}"`, () => {
    const dice = new Dice(11);
    const things = thingsOf(row);
    things[0].units = 1e9;
    const model = new Stations(things, Math.min(20, row.users), (us) => dice.exponential(us));
    while (model.done < 150_000) model.step();
    near((1e6 * model.done) / model.now, row.roomy, 0.01, 'X');
  });
}

const ORDER = { users: 40, cpu: 0.005, cores: 4, locked: 0.002, query: 0.04, connections: 10, disk: 0.01, workers: 32 };

test('the disk holds until it is repaired, then the database does', () => {
  const shop = scene(ceilings, ORDER, { turn: 'cpu disk' });
  assert.match(shop.made.sentence(), /the disk that holds, at 100 .* Next comes: database, at 250/);
  assert.deepEqual(shop.row('at the door')[1], '8 of 40');
  for (const [name, value, reached] of [['cpu', 0.001, false], ['cpu', 0.005, false], ['disk', 0.002, true]]) {
    shop.turn(name, value);
    shop.made.advance(30e6);
    assert.equal(shop.made.goals['one-repair'](), reached, name);
  }
  assert.match(shop.made.sentence(), /the database that holds, at 250/);
});

test('where two ceilings are alike, both are fallen short of', () => {
  const page = scene(ceilings, { users: 60, cpu: 0.02, wait: 0.18, cores: 4, workers: 9 });
  assert.equal(page.made.goals['same-height'](), false);
  page.turn('workers', 40);
  page.made.advance(60e6);
  assert.ok(page.made.goals['same-height']());
  near(page.made.counted().X, 182, 0.03); // as chapter 13 has it
});

test('a bar is drawn by its end, to a step of its slider', () => {
  const shop = scene(ceilings, ORDER, { turn: 'disk workers' });
  const pen = new Proxy({}, { get: () => () => {}, set: () => true });
  const colours = { text: '', muted: '', line: '', accent: '', warm: '', wash: '', font: '' };
  shop.made.draw({ g: pen, width: 920, height: 300, ratio: 1, ...colours }, 0); // 1 pixel: 1 a second
  assert.ok(shop.made.point(200, 18 + 4 * 58, true));
  assert.equal(shop.values.disk, 0.005);
  assert.ok(shop.made.point(340, 0, false), 'goes on with the bar that it began with');
  assert.equal(shop.values.disk, 0.003);
  assert.equal(shop.made.point(200, 18 + 58, true), false, 'the cores have no slider here');
});

// ---- core-hopping ----

for (const { cores, threads, mean, seed, stays } of hoppingRows) {
  test(`exact: ${threads} threads on ${cores} cores`, () => {
    const dice = new Dice(seed);
    const model = new Hopping(dice, cores, threads, () => dice.exponential(mean));
    while (model.stays.length < stays.length) model.step();
    assert.deepEqual(model.stays.map(({ thread, core, from, until }) => [thread, core, from, until]), stays);
  });

  test(`cores at work add up, however long one averages: ${threads} on ${cores}`, () => {
    const dice = new Dice(seed);
    const model = new Hopping(dice, cores, threads, () => dice.exponential(mean));
    for (let now = 0; now <= 30e6; now += 1_234_567) model.run(now);
    for (const window of [1, 1000, 77_777, 1e6, 9e6]) {
      near(model.shares(window).reduce((all, each) => all + each), threads, 1e-9);
    }
  });
}

test('who averages for long sees quarters, who looks shortly a core that is full', () => {
  const machine = scene(hopping, { users: 1, cpu: 0.05, cores: 4, window: 10 });
  assert.ok(Number.parseInt(machine.row('the busiest core')[1], 10) < 35);
  assert.equal(machine.row('part of the machine')[1], '25 %');
  assert.equal(machine.made.goals['one-is-full'](), false);
  machine.turn('window', 0.01);
  for (let i = 0; i < 20 && !machine.made.goals['one-is-full'](); i += 1) machine.made.step();
  machine.made.advance(11_000);
  const full = Array.from({ length: 50 }, () => (machine.made.advance(7000), machine.made.goals['one-is-full']()));
  assert.ok(full.filter(Boolean).length > 25, 'most moments');
});

// ---- quota ----

for (const row of quotaRows) {
  test(`exact, to the microsecond: ${row.workers} workers, ${row.quota} of ${row.cores} cores`, () => {
    const model = new Quota(row);
    row.done.forEach((done, period) => {
      model.now = period * PERIOD + Math.floor(PERIOD / 3);
      assert.equal(model.answers, done);
    });
  });

  test(`the budget is never passed: ${row.workers} workers, ${row.quota} of ${row.cores} cores`, () => {
    const model = new Quota(row);
    assert.ok(model.runs * model.running <= row.quota * PERIOD);
    for (let worker = 0; worker < row.workers; worker += 1) {
      for (let nth = 1; nth < 50; nth += 1) {
        const at = model.doneAt(worker, nth);
        assert.deepEqual([model.done(worker, at - 1), model.done(worker, at)], [nth - 1, nth]);
      }
    }
  });
}

test('a quota takes nothing from a lone worker, and much from four', () => {
  const box = scene(quota, { workers: 4, cores: 8, quota: 1.5, cpu: 0.02 });
  assert.equal(box.row('standing still')[1], '63 %');
  box.made.advance(60e6);
  near(Number(box.row('answers')[1]), 75, 0.01); // q / D
  assert.equal(box.made.goals['never-stopped'](), false);
  assert.match(box.made.step(), /150 ms of CPU time are spent. All stand still/);
  assert.match(box.made.step(), /A new period/);
  box.turn('workers', 1);
  assert.ok(box.made.goals['never-stopped']());
  assert.equal(box.row('periods')[1], '0');
});

test('two hyper-threads do less than twice, and each request costs more', () => {
  const box = scene(quota, { workers: 4, cores: 4, cpu: 0.02, pair: 1.3 });
  box.made.advance(60e6);
  near(Number(box.row('answers')[1]), 130, 0.01);
  assert.equal(box.row('CPU time')[1], '30.8 ms');
});

// ---- samples ----

test('Student’s t is that of the tables', () => {
  for (const [freedom, t] of sampleRows.student) near(student(freedom), t, 0.003);
  near(below(1.959964), 0.975, 1e-6);
  near(below(-1), 0.158655, 1e-5);
});

for (const { requests, apart, deviation, course, error: wavers, misled: fooled } of sampleRows.rows) {
  const of = { requests, apart, deviation, mean: 1_162_000 };
  test(`the same requests for the same dice: ${requests} of each, ${apart} µs apart`, () => {
    const model = new Samples(new Dice(5));
    const sums = [1, 2].flatMap(() => model.pair(of).tests.map(({ times }) => times.reduce((all, each) => all + each)));
    assert.deepEqual(sums, course);
  });

  test(`as often fooled as theory says: ${requests} of each, ${apart} µs apart`, () => {
    near(error(of), wavers, 1e-9);
    assert.ok(Math.abs(misled(of) - fooled) < 1e-6);
    const model = new Samples(new Dice(2));
    const pairs = Math.round(Math.min(6000, 400_000 / requests));
    for (let i = 0; i < pairs; i += 1) model.pair(of);
    const off = (count, part) => assert.ok(Math.abs(count / pairs - part) < 3.5 * Math.sqrt(part / pairs) + 0.003);
    near(model.wavered, wavers, 0.06);
    off(model.misled, fooled);
    off(model.claimed, claimed(of));
    if (apart === 0) assert.equal(model.wrong, model.claimed);
  });
}

test('ten requests are too few for 43 ms, a thousand are enough', () => {
  const tests = scene(samples, { requests: 10, mean: 1.162, apart: 0.043, deviation: 0.312 });
  tests.made.advance(100e6);
  assert.ok(Number.parseFloat(tests.row('the slower one')[1]) > 30);
  assert.equal(tests.made.goals['nine-of-ten'](), false);
  tests.turn('requests', 1200);
  tests.made.advance(10e6);
  assert.ok(tests.made.goals['nine-of-ten']());
  assert.match(tests.made.step(), /^1\.\d+ s and 1\.\d+ s\. The difference is .* ms, plus or minus .* ms, so/);
});
