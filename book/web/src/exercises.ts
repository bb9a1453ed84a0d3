/** Fixed exercises, checked in the page itself where there is no Python: as labs/exercises/check.py
 * does it, with what the build has written of each. */
import { answered } from './kept';
import { data, make } from './make';
import { digits, Unusable, written } from './numbers';
import type { Cells } from './page';

/** Written by labs/site/exercise_directives.py, from the one definition of the exercise. */
interface Key {
  unit: string;
  answer: number;
  tolerance: number; // relative
  right: string;
  slips: [value: number, sentence: string][];
  hint: string;
  prompt: string;
}

interface Reply {
  kind: 'right' | 'wrong' | 'later';
  sentence: string;
  value?: number; // the answer that was judged
}

const CLOSE = 0.02; // an answer rounded to two digits is meant exactly
const CHECK = /^check\("([^"]+)", \.\.\.\)$/m;
const OWN = 'This asks about your own run, so it is checked where the book is live.';

/** A field in place of each cell that checks an answer. */
export function offerChecks({ cells }: Cells): void {
  const keys = data<Record<string, Key>>(document.getElementById('wt-exercises'));
  const nodes = document.querySelectorAll<HTMLElement>('.cell.tag_lab');
  if (!keys) return;
  cells
    .filter((cell) => cell.lab)
    .forEach((cell, nth) => {
      const id = CHECK.exec(cell.source)?.[1];
      const node = nodes[nth];
      if (!id || !node) return;
      node.classList.add('wt-checked');
      const key = keys[id];
      node.append(key ? field(id, key) : make('p', { class: 'wt-own' }, OWN));
    });
}

function field(id: string, key: Key): HTMLElement {
  const number = make('input', { type: 'text', autocomplete: 'off', placeholder: key.unit });
  const told = make('div', { class: 'wt-reply', role: 'status' });
  const form = make(
    'form',
    { class: 'wt-check' },
    make('label', {}, `Your answer to ${id} `, number),
    make('button', { type: 'submit', class: 'wt-button wt-first' }, 'Check'),
    told,
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const { kind, sentence, value } = judge(key, number.value);
    const sign = { right: '✓', wrong: '✗', later: '…' }[kind];
    told.replaceChildren(
      make('div', { class: `wt-answer wt-${kind}` }, make('span', { 'aria-hidden': 'true' }, sign), ` ${sentence}`),
    );
    if (value !== undefined) answered(id, value, kind === 'right');
  });
  return form;
}

function judge(key: Key, text: string): Reply {
  if (!text.trim()) return { kind: 'later', sentence: key.prompt };
  try {
    return judged(key, written(text, key.unit));
  } catch (refused) {
    if (!(refused instanceof Unusable)) throw refused;
    return { kind: 'wrong', sentence: refused.message };
  }
}

function judged(key: Key, value: number): Reply {
  if (near(value, key.answer, key.tolerance)) return { kind: 'right', sentence: key.right, value };
  const slip = key.slips.find(([leads]) => near(value, leads, CLOSE));
  if (slip) return { kind: 'wrong', sentence: `Not quite. ${slip[1]}`, value };
  const size = value > key.answer ? 'too large' : 'too small';
  const unit = !key.unit || key.unit.startsWith('as ') ? '' : ` ${key.unit}`;
  return { kind: 'wrong', sentence: `Not yet: ${digits(value)}${unit} is ${size}. ${key.hint}`, value };
}

/** As Python's math.isclose. */
function near(a: number, b: number, tolerance: number): boolean {
  return a === b || Math.abs(a - b) <= tolerance * Math.max(Math.abs(a), Math.abs(b));
}
