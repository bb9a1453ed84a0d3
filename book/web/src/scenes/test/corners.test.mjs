/** Each scene of the book, with each of its sliders at either end: what it says is a number. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { ceilings } from '../ceilings';
import { curves } from '../curves';
import { deal } from '../deal';
import { hopping } from '../hopping';
import { interleave } from '../interleave';
import { journey } from '../journey';
import { lanes } from '../lanes';
import { little } from '../little';
import { pages } from '../pages';
import { NAMES, PARAMETERS, stepsWith } from '../parameters';
import { quota } from '../quota';
import { ramp } from '../ramp';
import { samples } from '../samples';
import { shop } from '../shop';

const KINDS = { ceilings, curves, deal, interleave, journey, lanes, little, pages, quota, ramp, samples, shop, 'core-hopping': hopping };
const BLOCK = /^```\{scene\} (\S+)\n((?::.*\n)*)/gm;
const OPTION = /^:([\w-]+): (.*)$/gm;
const { BOOK } = process.env; // the folder of the pages, told by run.mjs

const chapters = readdirSync(BOOK).filter((name) => /^\d/.test(name));
const files = ['', ...chapters].flatMap((part) => {
  const names = readdirSync(join(BOOK, part)).filter((name) => name.endsWith('.md'));
  return names.map((name) => join(part, name));
});
const found = files.flatMap((file) =>
  [...readFileSync(join(BOOK, file), 'utf8').matchAll(BLOCK)].map(([, kind, written]) => {
    const options = Object.fromEntries([...written.matchAll(OPTION)].map(([, name, value]) => [name, value]));
    return { file, kind, options };
  }),
);

/** The scene with those of its sliders at the right, and the others at the left. */
function scene(kind, options, turned, right) {
  const given = NAMES.map((name) => [name, name in options ? Number(options[name]) : PARAMETERS[name].without]);
  const values = Object.fromEntries(given);
  const stage = { values, option: (name) => options[name] ?? null, turn() {}, did() {}, redraw() {} };
  const made = KINDS[kind](stage);
  made.start(1);
  turned.forEach((name, index) => {
    values[name] = stepsWith(name, values[name]).at(right[index] ? -1 : 0);
    made.changed(name);
  });
  return { made, values };
}

test('there are scenes of each kind', () => {
  assert.deepEqual([...new Set(found.map(({ kind }) => kind))].sort(), Object.keys(KINDS).sort());
});

for (const { file, kind, options } of found) {
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
