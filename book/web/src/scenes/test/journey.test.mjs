/** One request's journey: what each clock shows is what Python reckons, at every moment and at the end. */
import assert from 'node:assert/strict';
import test from 'node:test';
import agreed from '../agreed/journey.json';
import { journey } from '../journey';
import { CLOCKS, Journey } from '../journey_model';

for (const { name, numbers, parts, clocks } of agreed) {
  const given = { ...numbers };
  for (const each of ['way', 'cpu', 'wait', 'late']) given[each] = Math.round(1e6 * given[each]);
  const made = new Journey(given);

  test(`exact: ${name}`, () => {
    const told = Object.fromEntries(made.spans.map(({ part, from, to }) => [part, to - from]));
    const taken = Object.fromEntries(Object.entries(parts).filter(([, length]) => length > 0));
    assert.deepEqual(told, taken);
    for (const clock of Object.keys(CLOCKS)) assert.equal(made.clock(clock, made.total), clocks[clock]);
  });

  test(`nothing is lost on the way: ${name}`, () => {
    assert.equal(made.spans.reduce((sum, { from, to }) => sum + to - from, 0), made.total);
    made.spans.slice(1).forEach(({ from }, index) => assert.equal(from, made.spans[index].to));
    for (let at = 0; at <= made.total; at += Math.max(1, Math.floor(made.total / 53))) {
      // Each clock runs inside the one above it, and ab's is the whole of it.
      const shown = ['ab', 'locust', 'client', 'log', 'cpu'].map((clock) => made.clock(clock, at));
      assert.equal(shown[0], at);
      assert.deepEqual(shown, [...shown].sort((a, b) => b - a));
    }
  });
}

// -- the scene around it ---------------------------------------------------------------------

function scene(given, clocks) {
  const values = {
    ...{ way: 0.001, ahead: 0, workers: 1, others: 0, cores: 1, cpu: 0.05, wait: 0.15, late: 0 },
    ...given,
  };
  const made = journey({ values, option: (name) => (name === 'clocks' ? clocks : null), turn() {} });
  made.start();
  made.advance(Infinity); // it is seen whole at first
  const turn = (changes) => {
    Object.assign(values, changes);
    made.changed();
  };
  return { made, turn };
}

const TABLE = [
  // goal, the page's numbers, what is turned
  ['mostly-waiting', {}, { wait: 0.7 }],
  ['mostly-waiting', {}, { others: 12 }],
  ['log-is-quick', { cpu: 0.005, wait: 0.5, workers: 25, ahead: 75 }, { workers: 8 }],
  ['tool-doubles', { cpu: 0.005, wait: 0.02 }, { late: 0.05 }],
];

for (const [goal, given, changes] of TABLE) {
  test(`the goal ${goal} can be reached by ${JSON.stringify(changes)}, and is not at first`, () => {
    const { made, turn } = scene(given);
    assert.equal(made.goals[goal](), false);
    turn(changes);
    assert.equal(made.goals[goal](), true, made.sentence());
  });
}

test('step by step, from the knock to the answer', () => {
  const { made } = scene({}, 'client log cpu');
  const said = Array.from({ length: 7 }, () => made.step());
  assert.match(said[0], /^At 0.000 s: SYN/);
  assert.match(said[1], /^At 0.002 s: It is connected/);
  assert.match(said[2], /^At 0.003 s: A core works/);
  assert.match(said[3], /^At 0.053 s: It waits/);
  assert.match(said[4], /^At 0.203 s: The response is on its way/);
  assert.equal(said[5], 'At 0.204 s: The response is read.');
  assert.match(said[6], /^At 0.000 s: SYN/);
  assert.deepEqual(made.rows().map(([, shown]) => shown), ['0 s', '0 s', '0 s']);
});
