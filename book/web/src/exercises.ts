/** The exercises of a page: a field below each, and the judge of what is typed there. What is right
 * is told by Python, with the book's numbers when it is built, with those that a seed draws, or with
 * those that a lab of this page has measured. */
import { now } from './browser_storage';
import { data, make, Refused } from './make';
import { digits, written } from './numbers';
import type { Place } from './progress';
import { withAnswer } from './progress_format';

/** By what an answer is judged; `Key` of labs/exercises/key.py. */
interface Key {
  unit: string;
  answer: number;
  tolerance: number; // relative
  rounded: number | null; // right as well
  right: string;
  slips: [value: number, sentence: string][];
  hint: string;
  prompt: string;
}

interface Reply {
  kind: 'right' | 'wrong' | 'later' | 'measure';
  sentence: string;
  value?: number; // the answer that was judged
}

const CLOSE = 0.02; // an answer rounded to two digits is meant exactly
const SIGNS = { right: '✓', wrong: '✗', later: '…', measure: '…' };
const OWN = 'This asks about your own run, so it is checked where the book is live.';

/** A field below each exercise in there that has an answer; what is answered is kept in that place. */
export function offerChecks(inside: ParentNode, record: Place, live: boolean): void {
  for (const place of inside.querySelectorAll<HTMLElement>('.wt-asked')) {
    const known = data<Key | string>(place.querySelector('script'))!; // of one about the reader's own run, the lab
    const own = typeof known === 'string';
    place.append(own && !live ? make('p', { class: 'wt-own' }, OWN) : field(place.dataset, known, record));
  }
}

function field({ exercise = '', seed = '' }: DOMStringMap, known: Key | string, record: Place): HTMLElement {
  const unit = typeof known === 'string' ? '' : known.unit;
  const sentence = `First press Run in the lab “${known as string}” above: this asks about your machine.`;
  const notYet: Reply = { kind: 'measure', sentence };
  const number = make('input', { type: 'text', autocomplete: 'off', placeholder: unit });
  const told = make('div', { class: 'wt-reply', 'aria-live': 'polite' }); // a status within a cell is heard.ts's to say
  const form = make(
    'form',
    { class: 'wt-check' },
    make('label', {}, `Your answer to ${exercise}${seed && ` (“${seed}”)`} `, number),
    make('button', { type: 'submit', class: 'wt-button wt-first' }, 'Check'),
    told,
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const key = typeof known === 'string' ? measured(exercise) : known;
    const { kind, sentence, value } = key ? judge(key, number.value) : notYet;
    told.replaceChildren(
      make('div', { class: `wt-answer wt-${kind}` }, make('span', { 'aria-hidden': 'true' }, SIGNS[kind]), ` ${sentence}`),
    );
    if (value === undefined) return;
    const answer = { exercise, seed, value, right: kind === 'right', at: now() };
    record.change((kept) => withAnswer(kept, answer)).catch(console.error);
  });
  return form;
}

/** What the labs of this page have measured, as labs/panel/lab.py hands it over. */
function measured(id: string): Key | undefined {
  const labs = [...document.querySelectorAll('script.wt-keys')];
  return labs.map((keys) => data<Record<string, Key>>(keys)![id]).find((key) => key);
}

function judge(key: Key, text: string): Reply {
  if (!text.trim()) return { kind: 'later', sentence: key.prompt };
  try {
    return judged(key, written(text, key.unit));
  } catch (refused) {
    if (!(refused instanceof Refused)) throw refused;
    return { kind: 'wrong', sentence: refused.message };
  }
}

function judged(key: Key, value: number): Reply {
  const alike = key.rounded !== null && near(value, key.rounded, 1e-9);
  if (alike || near(value, key.answer, key.tolerance)) return { kind: 'right', sentence: key.right, value };
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
