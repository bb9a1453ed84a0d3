/** Each scene of the book: with each of its sliders at either end what it says is a number, and its
 * committed still picture is what it draws. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import test from 'node:test';
import { ABOUT, KINDS } from '../kinds';
import { stepsWith } from '../parameters';
import { still, stageOf } from '../stills';

const BLOCK = /^```\{scene\} (\S+)\n((?::.*\n)*)/gm;
const OPTION = /^:([\w-]+): (.*)$/gm;
const { BOOK } = process.env; // the folder of the pages, told by run.mjs

const chapters = readdirSync(BOOK).filter((name) => /^\d/.test(name));
const files = ['', ...chapters].flatMap((part) => {
  const names = readdirSync(join(BOOK, part)).filter((name) => name.endsWith('.md'));
  return names.map((name) => join(part, name));
});
const found = files.flatMap((file) =>
  [...readFileSync(join(BOOK, file), 'utf8').matchAll(BLOCK)].map(([, kind, written], index) => {
    const options = Object.fromEntries([...written.matchAll(OPTION)].map(([, name, value]) => [name, value]));
    const picture = join(BOOK, 'scenes', `${basename(file, '.md')}-${index + 1}.svg`);
    return { file, kind, options, picture };
  }),
);

/** The scene with those of its sliders at the right, and the others at the left. */
function scene(kind, options, turned, right) {
  const stage = stageOf(options);
  const { values } = stage;
  const made = KINDS[kind](stage);
  made.start();
  turned.forEach((name, index) => {
    values[name] = stepsWith(name, values[name]).at(right[index] ? -1 : 0);
    made.changed(name);
  });
  return { made, values };
}

test('there are scenes of each kind', () => {
  assert.deepEqual([...new Set(found.map(({ kind }) => kind))].sort(), Object.keys(KINDS).sort());
});

for (const [kind, { goals = {} }] of Object.entries(ABOUT)) {
  test(`each goal of ${kind} has words, and a moment when it is reached`, () => {
    const options = found.find((each) => each.kind === kind).options;
    const made = KINDS[kind](stageOf(options));
    assert.deepEqual(Object.keys(made.goals ?? {}), Object.keys(goals));
  });
}

for (const { file, kind, options, picture } of found) {
  test(`${file}: the still picture of ${kind} is what it draws, or "make figures" has to be run`, () => {
    const drawn = readFileSync(picture, 'utf8');
    const [, mark] = /data-scene="(\w+)"/.exec(drawn);
    assert.equal(still({ mark, name: kind, options }), drawn);
  });

  const turned = (options.turn ?? '').split(' ').filter(Boolean);
  test(`${file}: ${kind} ${turned.join(' ')}`, () => {
    for (let corner = 0; corner < 2 ** turned.length; corner += 1) {
      const { made, values } = scene(kind, options, turned, turned.map((_, index) => corner & (1 << index)));
      made.advance?.(200_000);
      const said = [...made.rows().flat(), made.sentence()].join('\n');
      const where = turned.map((name) => `${name} ${values[name]}`).join(', ');
      assert.doesNotMatch(said, /∞|NaN|undefined|-0(\.0)?\b/, where);
    }
  });
}
