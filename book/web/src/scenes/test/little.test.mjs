/** Two counts of one area: equal to the microsecond whenever nobody is inside, whoever leaves when. */
import assert from 'node:assert/strict';
import test from 'node:test';
import agreed from '../agreed/little.json';
import { Dice } from '../dice';
import { little } from '../little';
import { Stays } from '../little_model';

const TENTH = 100_000;
const many = (of) => of.map((each) => each * TENTH);

for (const { name, arrive, leave, over, columns, rows, left } of agreed) {
  test(`exact: ${name}`, () => {
    const counted = new Stays(many(arrive), many(leave)).counted(over * TENTH);
    assert.deepEqual(counted, { columns: columns * TENTH, rows: rows * TENTH, left });
  });
}

test('whoever comes and leaves: the difference is what those inside have stayed so far', () => {
  const dice = new Dice(5);
  for (let round = 0; round < 100; round += 1) {
    const arrive = Array.from({ length: 12 }, () => dice.exponential(4e6)).sort((a, b) => a - b);
    const leave = arrive.map((at) => at + 1 + dice.exponential(2e6));
    const stays = new Stays(arrive, leave);
    const last = Math.max(...leave);
    for (const until of [...arrive, ...leave, last + 7]) {
      const { columns, rows, left } = stays.counted(until);
      let open = 0;
      arrive.forEach((at, index) => {
        if (at < until && leave[index] > until) open += until - at;
      });
      assert.equal(columns - rows, open);
      assert.equal(left, leave.filter((at) => at <= until).length);
    }
    const { columns, rows } = stays.counted(last);
    assert.equal(columns, rows);
  }
});

test('who leaves before it comes is told', () => {
  assert.throws(() => new Stays([5], [5]), /request 1 leaves before/);
  assert.throws(() => new Stays([5, 4], [6, 7]), /comes too late in the row/);
});

// -- the scene around it ---------------------------------------------------------------------

function scene() {
  const values = { request: 1, leaves: 0 };
  const options = { arrive: '0.5 1 1.3 2.2', leave: '2.1 3.1 4 4.7', over: '10' };
  const stage = { values, option: (name) => options[name] ?? null, did() {}, seed: 1 };
  const made = little(stage);
  stage.turn = (name, value) => {
    values[name] = value;
    made.changed(name);
  };
  made.start();
  made.advance(Infinity); // it is seen whole at first
  return { made, values, turn: stage.turn };
}

test('the slider follows the request that is chosen, and no stay is turned round', () => {
  const { values, turn } = scene();
  assert.equal(values.leaves, 2.1);
  turn('request', 3);
  assert.equal(values.leaves, 4);
  turn('leaves', 0.2);
  assert.equal(values.leaves, 1.4);
  turn('request', 1);
  assert.equal(values.leaves, 2.1);
});

test('the goal: only who stays over the end breaks the law', () => {
  const { made, turn } = scene();
  assert.equal(made.goals['break-the-law'](), false);
  for (const leaves of [0.6, 1.2, 5, 9.9, 10]) {
    turn('leaves', leaves);
    assert.equal(made.goals['break-the-law'](), false, `${leaves}`);
    assert.match(made.sentence(), /It is the same area/);
  }
  turn('leaves', 10.1);
  assert.equal(made.goals['break-the-law'](), true);
  assert.match(made.sentence(), /9.5 s belong to requests that haven't left/);
});

test('it begins anew from its end, and each step says who comes and who leaves', () => {
  const { made } = scene();
  assert.equal(made.over(), true);
  assert.equal(made.step(), 'At 0.5 s: request 1 comes, 1 inside.');
  for (let step = 0; step < 3; step += 1) made.step();
  assert.equal(made.step(), 'At 2.2 s: request 4 comes, 3 inside.');
  made.advance(60e6);
  assert.equal(made.over(), true);
  assert.equal(made.clock(), '10.0 s');
});
