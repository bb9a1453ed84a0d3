/** Curves: what they simulate is what the laws say, and the trap is right for as many users as cores. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { curves } from '../curves';

function scene(given, options = {}) {
  const values = { users: 1, think: 0, rate: 0, cpu: 0, wait: 0, cores: 1, workers: 1, places: 2048, ...given };
  const made = curves({ values, option: (name) => options[name] ?? null, turn() {}, did() {}, seed: 1 });
  made.start();
  return { made, values };
}

test('the dots lie on the curve', () => {
  const shop = { users: 60, cpu: 0.02, wait: 0.18, cores: 4, workers: 40 };
  const { made, values } = scene(shop, { most: '90' });
  while (made.restless()) made.simulate();
  for (const users of [10, 20, 30, 40, 50, 60, 70, 80, 90]) {
    values.users = users;
    const [, simulated, , model] = made.rows()[0];
    assert.ok(Math.abs(Number(simulated) / Number(model) - 1) < 0.06, `${users}: ${simulated}, ${model}`);
  }
});

test('the trap is right where users are as many as cores, and nowhere else', () => {
  const shop = { cpu: 0.05, cores: 4, workers: 16 };
  const { made, values } = scene(shop, { most: '32', trap: 'shown' });
  const right = [];
  for (let users = 1; users <= 32; users += 1) {
    values.users = users;
    if (made.goals['trap-is-right']()) right.push(users);
  }
  assert.deepEqual(right, [4]);
  values.users = 16;
  assert.match(made.sentence(), /would be 20, and the truth is 4 times that/);
});

test('the curves of other numbers of cores stay beside it, and workers hold them all', () => {
  const shop = { users: 12, cpu: 0.05, cores: 3, workers: 8 };
  const { made, values } = scene(shop, { most: '12', beside: '1 2 4' });
  const beside = () => made.rows().slice(2).map(([what, , , model]) => `${what}: ${model}`);
  const told = (...rates) => ['1 core', '2 cores', '4 cores'].map((of, n) => `requests a second, ${of}: ${rates[n]}`);
  assert.deepEqual(beside(), told(20, 40, 80));
  values.workers = 2;
  made.changed('workers');
  assert.deepEqual(beside(), told(20, 40, 40));
});

/** A canvas that draws nothing, and keeps the words. */
function canvas(said) {
  const g = { fillText: (words) => said.push(words) };
  return new Proxy(g, { get: (_, name) => g[name] ?? (() => {}), set: () => true });
}

for (const think of [0, 1]) {
  test(`where nothing takes time, think time ${think} s, the axes still have an end`, () => {
    const { made, values } = scene({ users: 16, cpu: 0.05, think });
    values.cpu = 0;
    made.changed('cpu');
    while (made.restless()) made.simulate();
    assert.doesNotMatch([...made.rows().flat(), made.sentence()].join('\n'), /∞|NaN/);
    for (const width of [800, 400]) {
      const said = [];
      made.draw({ g: canvas(said), width, height: made.height(width) });
      assert.ok(said.length < 30 && !said.join('\n').includes('∞'), said.join('\n'));
    }
  });
}
