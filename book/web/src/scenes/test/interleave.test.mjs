/** The lost update: every order of every small race, as Python tells them, and what a lock mends. */
import assert from 'node:assert/strict';
import test from 'node:test';
import agreed from '../agreed/interleavings.json';
import { interleave } from '../interleave';
import { Interleaving } from '../interleave_model';

/** Orders that lead to each end: by going every way there is. */
function ends(model, from = new Map()) {
  const state = JSON.stringify([model.counter, model.holder, model.threads]);
  if (from.has(state)) return from.get(state);
  const found = {};
  if (model.over) found[model.counter] = 1;
  for (const who of model.able) {
    model.go(who);
    for (const [end, ways] of Object.entries(ends(model, from))) found[end] = (found[end] ?? 0) + ways;
    model.back();
  }
  from.set(state, found);
  return found;
}

for (const { threads, rounds, lock, ends: told } of agreed) {
  test(`every order: ${threads} threads, ${rounds} each, lock ${lock}`, () => {
    const model = new Interleaving(threads, rounds, lock);
    assert.deepEqual(ends(model), told);
    assert.equal(Math.min(...Object.keys(told).map(Number)), model.least);
  });
}

function scene(given, options = {}) {
  const values = { racers: 2, rounds: 3, lock: 0, ...given };
  const made = interleave({ values, option: (name) => options[name] ?? null, turn() {}, did() {}, seed: 1 });
  made.start();
  return made;
}

const order = (made, names) => [...names].forEach((name) => made.go('ABCD'.indexOf(name)));

test('six additions can leave two, and one after the other they leave six', () => {
  const made = scene({});
  order(made, 'AAABBBAAABBBAAABBB');
  assert.match(made.sentence(), /6 additions were made, and the counter says 6: nothing is lost/);
  assert.ok(!made.goals['only-two']());
  const worst = scene({});
  // B has read 0 and keeps it; A adds twice; B writes 1, which A reads for its last; B goes on alone.
  order(worst, 'B' + 'AAAAAA' + 'BB' + 'A' + 'BBBBBB' + 'AA');
  assert.match(worst.sentence(), /the counter says 2: 4 are lost/);
  assert.ok(worst.goals['only-two']());
  // Three threads that add twice each make six, too, and are not what is asked for.
  const others = scene({ racers: 3, rounds: 2 });
  order(others, 'B' + 'AAA' + 'CCCCCC' + 'BB' + 'A' + 'BBB' + 'AA');
  assert.match(others.sentence(), /6 additions were made, and the counter says 2: 4 are lost/);
  assert.ok(!others.goals['only-two']());
});

test('side by side needs the short lock', () => {
  for (const [lock, reached] of [[0, false], [1, true], [2, false]]) {
    const made = scene({ rounds: 1, lock });
    for (let i = 0; i < 20; i += 1) order(made, 'AB');
    assert.equal(made.goals['side-by-side'](), reached, `lock ${lock}`);
  }
});

test('a step is told, taken back, or has to wait', () => {
  const made = scene({ lock: 2 });
  assert.equal(made.go(0), 'Thread A locks.');
  assert.equal(made.go(1), 'Thread B has to wait: A has the lock.');
  assert.equal(made.back(), 'Taken back: Thread A locks.');
  assert.equal(made.go(1), 'Thread B locks.');
  assert.match(made.chance(), /All are through. 6 additions .* nothing is lost/);
  assert.equal(made.go(0), 'Thread A is through.');
});

test('what a write destroys is said', () => {
  const made = scene({ rounds: 1 });
  order(made, 'ABABA');
  assert.equal(made.go(1), 'Thread B writes 1, over the 1 that another has written. All are through. 2 additions were made, and the counter says 1: 1 is lost.');
});
