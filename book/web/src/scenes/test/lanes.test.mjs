/** Who runs when: exactly as a second model has it, and nothing is lost. */
import assert from 'node:assert/strict';
import test from 'node:test';
import agreed from '../agreed/lanes.json';
import turns from '../agreed/turns.json';
import { Dice } from '../dice';
import { lanes } from '../lanes';
import { LanesModel } from '../lanes_model';
import { bound } from '../theory';

const MS = 1000;

for (const trace of agreed) {
  test(`exact: ${trace.name}`, () => {
    const { places, holds, calls, end } = trace;
    const turn = trace.turn ? trace.turn * MS : Infinity;
    const rules = { cpu: trace.cpu * MS, wait: trace.wait * MS, places, turn, holds };
    const model = new LanesModel(rules, trace.starts.map((at) => at * MS));
    const log = [];
    model.log = (...event) => log.push(event);
    for (const [at, length] of calls) {
      model.run(at * MS);
      model.insert(length * MS);
    }
    model.run(end * MS);
    assert.deepEqual(log, trace.log);
  });
}

for (const { N, cpu, wait, turn, X } of turns.throughput) {
  test(`within 1 %: ${N} of ${cpu} + ${wait} ms, turns of ${turn}`, () => {
    const rules = { cpu: cpu * MS, wait: wait * MS, places: 1, turn: turn * MS || Infinity, holds: turn === 0 };
    const cycle = Math.max(cpu + wait, N * cpu) * MS;
    const model = new LanesModel(rules, Array.from({ length: N }, (_, id) => Math.round((cycle * id) / N)));
    const done = [];
    model.log = (at, what, id) => what === 'done' && done.push({ at, id });
    model.run(40 * cycle);
    const [first, last] = [done.findIndex(({ id }) => id === 0), done.findLastIndex(({ id }) => id === 0)];
    const found = (1e6 * (last - first)) / (done[last].at - done[first].at);
    assert.ok(Math.abs(found / X - 1) < 0.01, `${found} of ${X}`);
  });
}

test('arrivals under the lock are answered as worked out before', () => {
  const { come, cpu, wait, turn, ends } = turns.arrivals;
  const rules = { cpu: cpu * MS, wait: wait * MS, places: 1, turn: turn * MS, holds: false };
  const model = new LanesModel(rules, come.map((at) => at * MS));
  const done = [];
  model.log = (at, what, id) => what === 'done' && (done[id] ??= at / MS);
  model.run(140 * MS); // until the first comes again
  assert.deepEqual(done, ends.map((at) => (at <= 140 ? at : undefined)).filter((at) => at));
});

test('nothing is lost, no bound is passed, and Little holds', () => {
  const dice = new Dice(8);
  const one = (...of) => of[Math.floor(dice.uniform() * of.length)];
  for (let round = 0; round < 60; round += 1) {
    const N = one(1, 3, 8, 12);
    const rules = {
      cpu: one(3, 20, 50) * MS + 7,
      wait: one(0, 10, 90) * MS,
      places: one(1, 2, 4),
      turn: one(5 * MS, Infinity),
      holds: one(true, false),
    };
    const starts = Array.from({ length: N }, () => Math.floor(dice.uniform() * 50 * MS));
    const model = new LanesModel(rules, starts);
    let done = 0;
    let response = 0;
    model.log = (_, what, id, took) => {
      done += Number(what === 'done');
      response += took;
    };
    for (let step = 0; step < 2000; step += 1) {
      if (step % 97 === 96) model.insert(30 * MS);
      model.happen();
      const states = { away: 0, ready: 0, running: 0, waiting: 0, blocking: 0 };
      for (const { state } of model.lanes) states[state] += 1;
      const held = states.running + (rules.holds ? states.blocking : 0);
      assert.equal(states.ready, model.ready.length);
      assert.ok(held <= rules.places);
      assert.ok(states.ready === 0 || held === rules.places, 'a free place beside who is ready');
      assert.ok(model.lanes.every(({ until }) => until > model.now));
      const sums = model.totals();
      assert.equal(Object.values(sums).reduce((a, b) => a + b), N * model.now);
      // Requests under way are those of all lanes but the ones away: the sum of their stays.
      const open = model.lanes.filter(({ state }) => state !== 'away');
      const stays = response + open.reduce((sum, { asked }) => sum + model.now - asked, 0);
      assert.equal(stays, N * model.now - sums.away);
      // Each answer has had its CPU time, and nobody has had more.
      assert.ok(sums.running >= done * rules.cpu);
      assert.ok(sums.running <= (done + N) * rules.cpu);
    }
    const D = rules.cpu / 1e6;
    const most = bound(N, { D, V: 0, c: rules.places, W: N, Z: 0 });
    assert.ok(done <= (model.now / 1e6) * most);
  }
});

// -- the scene around it ---------------------------------------------------------------------

function scene(given, options) {
  const values = { lanes: 4, cpu: 0.05, wait: 0, cores: 2, call: 0, ...given };
  const stage = { values, option: (name) => options[name] ?? null, turn() {}, did() {}, seed: 1 };
  const made = lanes(stage);
  made.start();
  const number = (name) => {
    const [, text] = made.rows().find(([what]) => what.startsWith(name));
    return parseFloat(text);
  };
  return { made, values, number };
}

const MEANS = [
  // who, numbers, requests a second, cores busy
  ['processes', { lanes: 4, cpu: 0.05, cores: 2 }, 40, 2],
  ['counting', { lanes: 4, cpu: 0.05, cores: 2 }, 20, 1],
  ['hashing', { lanes: 4, cpu: 0.05, cores: 2 }, 40, 2],
  ['hashing', { lanes: 1, cpu: 0.05, cores: 2 }, 20, 1],
  ['counting', { lanes: 3, cpu: 0.01, wait: 0.04, cores: 2 }, 60, 0.6],
  ['counting', { lanes: 8, cpu: 0.01, wait: 0.04, cores: 2 }, 100, 1],
  ['loop', { lanes: 6, cpu: 0.02, wait: 0.18, cores: 4 }, 30, 0.6],
  ['loop', { lanes: 12, cpu: 0.02, wait: 0.18, cores: 4 }, 50, 1],
];

for (const [who, given, X, busy] of MEANS) {
  test(`${who} of ${JSON.stringify(given)} do ${X} a second`, () => {
    const { made, number } = scene(given, { who });
    made.advance(20e6);
    assert.ok(Math.abs(number('requests a second') / X - 1) < 0.01, made.rows().join('\n'));
    assert.ok(Math.abs(number('cores busy') / busy - 1) < 0.02, made.rows().join('\n'));
    const N = given.lanes;
    const R = number('response time') / 1000;
    assert.ok(Math.abs(X * R - N) < 0.02 * N, made.rows().join('\n'));
  });
}

test('the goal of the cores: threads of one process, and work that lets go of the lock', () => {
  for (const [who, reached] of [['counting', false], ['hashing', true], ['processes', false]]) {
    const { made } = scene({}, { who });
    made.advance(10e6);
    assert.equal(made.goals['both-cores'](), reached, who);
  }
});

test('the goal of the loop: one call, and everybody is late; among threads only one is', () => {
  for (const [who, reached] of [['loop', true], ['counting', false]]) {
    const { made } = scene({ lanes: 6, cpu: 0.02, wait: 0.18, call: 0.5 }, { who });
    made.advance(5e6);
    assert.equal(made.goals['everybody-waits'](), false);
    made.insert();
    made.advance(3e6);
    assert.equal(made.goals['everybody-waits'](), reached, who);
  }
});

test('each step says who goes next', () => {
  const { made } = scene({ lanes: 2, cpu: 0.02 }, { who: 'counting' });
  const said = [made.step(), made.step()];
  for (const words of said) assert.match(words, /^At [\d.]+ s: [AB] /);
});

/** What of its tools listens; Node has no page to put them on. */
function tools(made) {
  const all = [];
  globalThis.document = {
    createElement() {
      const node = { on: {}, append() {}, setAttribute() {} };
      node.addEventListener = (event, heard) => {
        node.on[event] = heard;
        all.push(node);
      };
      return node;
    },
  };
  globalThis.Option = class {};
  made.tools();
  delete globalThis.document;
  delete globalThis.Option;
  return all;
}

test('a bet is held against what the scene began with, and against nothing else', () => {
  const made = scene({ call: 0.5 }, { who: 'counting hashing' }).made;
  const bet = () => {
    made.advance(10e6);
    return made.answer()?.words;
  };
  const [list] = tools(made);
  const choose = (who) => {
    list.value = who;
    list.on.change();
  };
  assert.equal(bet(), '20 requests a second');
  choose('hashing');
  assert.equal(bet(), undefined);
  choose('counting');
  assert.equal(bet(), '20 requests a second');
  made.insert();
  assert.equal(bet(), undefined);
  made.start();
  assert.equal(bet(), '20 requests a second');
});

test('where nothing takes time the lanes are not without end', () => {
  const { made, number } = scene({ lanes: 12, cpu: 0 }, { who: 'loop' });
  made.advance(10e6);
  const X = number('requests a second X');
  assert.ok(X > 0 && X < 20_000, X);
  assert.doesNotMatch(made.rows().flat().join('\n'), /∞/);
});
