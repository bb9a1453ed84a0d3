/** Connections by the dice: the same as Python's, to the connection, and on average as its law says. */
import assert from 'node:assert/strict';
import test from 'node:test';
import agreed from '../agreed/deals.json';
import { deal } from '../deal';
import { Deals, expected } from '../deal_model';
import { Dice } from '../dice';

for (const row of agreed) {
  const { N, P, T } = row;
  test(`the same dice, the same split: ${N} on ${P} × ${T}`, () => {
    const model = new Deals(N, P, T, new Dice(row.seed));
    for (const split of row.splits) {
      model.deal();
      assert.deepEqual(model.split, split);
      assert.equal(split.reduce((sum, n) => sum + n), N);
      assert.equal(model.served, split.reduce((sum, n) => sum + Math.min(n, T), 0));
    }
  });

  test(`what to expect: ${N} on ${P} × ${T}`, () => {
    const { served, everybody } = expected(N, P, T);
    assert.ok(Math.abs(served / row.served - 1) < 1e-9, `${served} of ${row.served}`);
    assert.ok(Math.abs(everybody - row.everybody) < 1e-9, `${everybody} of ${row.everybody}`);
  });

  test(`within 1 %: ${N} on ${P} × ${T}`, () => {
    const model = new Deals(N, P, T, new Dice(3));
    for (let i = 0; i < 4000; i += 1) model.deal();
    assert.ok(Math.abs(model.sum / model.count / row.served - 1) < 0.01);
    assert.ok(Math.abs(model.everybody / model.count - row.everybody) < 0.03);
    assert.equal([...model.counts.values()].reduce((sum, n) => sum + n), 4000);
    assert.ok(Math.max(...model.counts.keys()) <= Math.min(N, P * T));
  });
}

function scene(given) {
  const values = { users: 64, processes: 4, threads: 16, cpu: 0, wait: 0.2, ...given };
  const made = deal({ values, option: () => null, turn() {}, did() {}, seed: 1 });
  made.start();
  return { made, values };
}

test('ten milliseconds a deal, however they come', () => {
  const { made } = scene({});
  for (let i = 0; i < 600; i += 1) made.advance(16_667);
  assert.equal(made.clock(), '1001 deals');
});

test('the mean of many deals is less than what even ones give', () => {
  const { made } = scene({});
  made.advance(10e6);
  const value = Number(made.rows()[1][1]);
  assert.ok(value > 285 && value < 300, value);
  assert.match(made.rows()[1][2], /≤ 320/);
});

test('the goal: 20 threads for each are enough, 16 are not, and more are no art', () => {
  for (const [threads, reached] of [[16, false], [20, true], [24, false]]) {
    const { made } = scene({ threads });
    made.advance(10e6);
    assert.equal(made.goals['spare-threads'](), reached, threads);
  }
});

test('one process loses nothing', () => {
  const { made } = scene({ processes: 1, threads: 64 });
  assert.match(made.step(), /^64 of 64 users have a thread: 320 requests a second/);
  assert.equal(made.rows()[3][1], '100.0 %');
});
