/** Arrivals: the curve is Erlang's, the dots lie on it, and the line has no level from where the pool is full. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { arrivals, waited } from '../arrivals';
import { line } from '../theory';

/** Erlang's C by its sum, as chapter 12 has it. */
function erlang(rate, V, W) {
  const a = rate * V;
  const factorial = (n) => (n < 2 ? 1 : n * factorial(n - 1));
  const all = a ** W / factorial(W) / (1 - a / W);
  let others = 0;
  for (let j = 0; j < W; j += 1) others += a ** j / factorial(j);
  return ((all / (all + others)) * V) / (W - a);
}

test('line gives Erlang C, Pollaczek and Khinchine for one worker, and nobody in line for none', () => {
  for (const [rate, V, W] of [[12, 0.5, 8], [1, 0.5, 1], [15, 0.5, 8], [90, 0.02, 2]]) {
    assert.ok(Math.abs(line(rate, V, W, 1) / erlang(rate, V, W) - 1) < 1e-9);
  }
  const rho = 0.8; // of one worker who is held for 1 s
  for (const cv of [0, 0.5, 1]) {
    assert.ok(Math.abs(line(rho, 1, 1, cv) - (rho * (1 + cv ** 2)) / 2 / (1 - rho)) < 1e-9);
  }
  assert.equal(line(0, 1, 4, 1), 0);
  assert.equal(line(4, 1, 4, 1), Infinity);
});

test('from 80 to 90 % of what a pool is worth the wait in line more than doubles', () => {
  for (const W of [1, 8, 64]) assert.ok(line(0.9 * W, 1, W, 1) > 2 * line(0.8 * W, 1, W, 1));
});

test('those who come by chance wait as long as the curve says', () => {
  for (const cv of [0, 0.5, 1]) {
    for (const part of [0.3, 0.6, 0.85]) {
      const rate = (part * 8) / 0.5;
      const R = 0.5 + line(rate, 0.5, 8, cv);
      assert.ok(Math.abs(waited(rate, 0.5, 8, cv, 7) / R - 1) < 0.06, `${cv} at ${part}`);
    }
  }
});

test('an answer takes twice as long as alone before the pool is full, and grows without end from another on', () => {
  const values = { rate: 4, wait: 0.5, workers: 8, variation: 1 };
  const made = arrivals({ values, option: () => null, turn() {}, did() {}, seed: 1 });
  made.start();
  const found = [];
  for (let rate = 0; rate <= 20; rate += 0.1) {
    values.rate = rate;
    if (made.goals['twice-as-long']()) found.push(rate);
  }
  assert.ok(found.length > 0 && found[0] > 14 && found[0] < 15 && found.at(-1) < 16, `${found}`);
  values.rate = 24;
  assert.match(made.sentence(), /grows for as long as they do/);
  assert.deepEqual(made.rows()[2], ['more in line each second', '', '', '8']);
});
