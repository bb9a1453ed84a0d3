/** Held to Python in three tiers; tests/unit/test_scenes.py reads the same files. */
import assert from 'node:assert/strict';
import test from 'node:test';
import dice from '../agreed/dice.json';
import theory from '../agreed/theory.json';
import traces from '../agreed/traces.json';
import { Dice } from '../dice';
import { ShopModel } from '../shop_model';
import { randomTimes } from '../shop_times';
import { bound, closed, responseBound, throughput } from '../theory';

/** A trace's shop, with everybody on the way to it, and the log it will write. */
function shopOf(trace) {
  const begun = trace.comers.map(() => -1);
  const times = {
    cpu: (id) => trace.comers[id].rounds[(begun[id] += 1)][0],
    wait: (id) => trace.comers[id].rounds[begun[id]][1],
    think: (id) =>
      begun[id] + 1 < trace.comers[id].rounds.length ? trace.comers[id].rounds[begun[id]][2] : undefined,
    gap: () => Infinity,
  };
  const { cores, workers, places, comers } = trace;
  const model = new ShopModel({ users: comers.length, rate: 0, cores, workers, places }, times);
  const log = [];
  model.log = (at, what, id) => log.push([at, what, id]);
  for (const { at } of comers) model.bring(1, 0, at);
  return { model, log };
}

for (const trace of traces) {
  test(`exact: ${trace.name}`, () => {
    const { model, log } = shopOf(trace);
    model.run(1e12);
    assert.deepEqual(log, trace.log);
    assert.equal(model.requests.size, 0);
  });

  test(`exact, looked at often: ${trace.name}`, () => {
    // The clock may be stopped anywhere: pictures don't change the course of things.
    const { model, log } = shopOf(trace);
    const end = trace.log.at(-1)[0];
    for (let now = 0; now <= end; now += Math.max(1, Math.floor(end / 997))) {
      model.run(now);
      model.totals();
    }
    model.run(end);
    assert.deepEqual(log, trace.log);
  });
}

for (const { seed, words } of dice) {
  test(`bit for bit: seed ${seed}`, () => {
    const rolled = new Dice(seed);
    assert.deepEqual(words.map(() => rolled.next()), words);
  });
}

for (const row of theory) {
  const { N, D, V, Z, c, W } = row;
  const shop = { D, V, Z, c, W };
  const name = `N=${N} D=${D} V=${V} Z=${Z} c=${c} W=${W}`;
  test(`the laws: ${name}`, () => {
    assert.ok(Math.abs(bound(N, shop) / row.bound - 1) < 1e-9);
    assert.ok(Math.abs(throughput(N, shop) / row.X - 1) < 1e-9);
    assert.ok(Math.abs(closed(N, shop)[N - 1] / row.X - 1) < 1e-9);
  });

  test(`within 1 %: ${name}`, () => {
    const values = { users: N, think: Z, rate: 0, cpu: D, wait: V, cores: c, workers: W, places: 4096 };
    const times = randomTimes(values, new Dice(7), true);
    const model = new ShopModel(values, times);
    const round = 1e6 * (responseBound(N, shop) + Z);
    model.bring(N, Math.round(round));
    model.run(Math.round(10 * round));
    const from = model.totals();
    model.run(model.now + Math.round((1e6 * 150_000) / row.X));
    const to = model.totals();
    const X = (1e6 * (to.done - from.done)) / (to.now - from.now);
    assert.ok(Math.abs(X / row.X - 1) < 0.01, `${X} of ${row.X}`);
    const R = (to.response - from.response) / (to.done - from.done) / 1e6;
    assert.ok(Math.abs((X * (R + Z)) / N - 1) < 0.01, `N=${X * (R + Z)}`);
  });
}
