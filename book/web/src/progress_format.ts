/** The one format of a reader's progress, as labs/records/progress.py has it: in the browser's storage,
 * in the file of a live book, and in what *Save* writes on *My progress*. */

/** A prediction; numbers are in its unit. Measured by a live lab's run, or by the book's recording. */
export interface Foretold {
  key: string;
  lab: string;
  question: string;
  unit: string;
  value: number;
  at: string; // ISO 8601, UTC
  measured?: number | null;
  model?: number | null;
  band?: [low: number, high: number] | null; // of the model
  measured_at?: string;
  fit?: boolean; // whether that can be believed; only then it settles the bet
}

/** The answer to an exercise: the right one, or else the last one given. */
export interface Answered {
  exercise: string;
  seed: string;
  value: number;
  right: boolean;
  tries: number; // different answers in a row, up to the first right one
  at: string;
}

/** What the reader said that limits the server of a mystery. */
export interface Diagnosed {
  lab: string;
  seed: number;
  guess: string; // the name of a limit
  right: boolean;
  tries: number;
  at: string;
  told?: boolean; // the solution was asked for before a right one was given
}

/** A goal that was reached at a scene, or a bet that was made there. */
export interface Played {
  page: string; // 1-cpu-time/one-core
  what: string; // the name of the goal, or the question of the bet
  at: string;
  words?: string | null; // of the goal
  value?: number | null; // that was bet
}

export interface Kept {
  predictions: Foretold[];
  answers: Answered[];
  diagnoses: Diagnosed[];
  scenes: Played[];
  book: 'Wall Time';
  schema: 1;
}

export const NOTHING: Kept = { predictions: [], answers: [], diagnoses: [], scenes: [], book: 'Wall Time', schema: 1 };

type Measured = Pick<Foretold, 'measured' | 'fit'>;
type List = 'predictions' | 'answers' | 'diagnoses' | 'scenes';
const LISTS: List[] = ['predictions', 'answers', 'diagnoses', 'scenes'];

/** What each entry of a list has; what ends with ? may be missing. */
const FIELDS: Record<List, Record<string, string>> = {
  predictions: {
    ...{ key: 'string', lab: 'string', question: 'string', unit: 'string', value: 'number', at: 'string' },
    ...{ measured: 'number?', model: 'number?', band: 'pair?', measured_at: 'string?', fit: 'boolean?' },
  },
  answers: { exercise: 'string', seed: 'string', value: 'number', right: 'boolean', tries: 'whole', at: 'string' },
  diagnoses: {
    ...{ lab: 'string', seed: 'whole', guess: 'string', right: 'boolean', tries: 'whole', at: 'string' },
    told: 'boolean?',
  },
  scenes: { page: 'page', what: 'string', at: 'string', words: 'string?', value: 'number?' },
};
const PAGE = /^(?!\/)[\w./-]+$/; // of the book, so that it becomes an address of no other kind

export function isEmpty(kept: Kept): boolean {
  return !LISTS.some((list) => kept[list].length);
}

/** What such a file holds; undefined for what is none. An entry that is none spoils it, or is left out. */
export function parsed(text: string, take: 'all or nothing' | 'what is sound'): Kept | undefined {
  try {
    const file = JSON.parse(text) as Record<string, unknown>;
    if (file.book !== 'Wall Time' || file.schema !== 1) return undefined;
    const kept: Kept = { ...NOTHING };
    for (const list of LISTS) {
      const all = (file[list] ?? []) as unknown[];
      const sound = all.filter((entry) => isSound(entry, FIELDS[list]));
      if (sound.length < all.length && take === 'all or nothing') return undefined;
      Object.assign(kept, { [list]: sound });
    }
    return kept;
  } catch {
    return undefined; // no JSON, or no lists
  }
}

function isSound(entry: unknown, fields: Record<string, string>): boolean {
  if (typeof entry !== 'object' || entry === null) return false;
  return Object.entries(fields).every(([name, kind]) => {
    const value = (entry as Record<string, unknown>)[name] ?? undefined;
    if (value === undefined) return kind.endsWith('?');
    if (kind === 'page') return typeof value === 'string' && PAGE.test(value);
    if (kind === 'pair?') return Array.isArray(value) && value.length === 2 && value.every(Number.isFinite);
    if (kind === 'whole') return Number.isSafeInteger(value);
    return `${typeof value}?`.startsWith(kind) && (typeof value !== 'number' || Number.isFinite(value));
  });
}

/** The fields by which an entry is the same as another one. */
const SAME: Record<List, string[]> = {
  predictions: ['key'],
  answers: ['exercise', 'seed'],
  diagnoses: ['lab', 'seed'],
  scenes: ['page', 'what'],
};

function nameOf(list: List, entry: object): string {
  return SAME[list].map((field) => (entry as Record<string, unknown>)[field]).join(' ');
}

/** `more` beside what is there. Of two that are the same the first stays, unless only the other is done. */
export function joined(kept: Kept, more: Kept): Kept {
  const isDone = (each: Measured & { right?: boolean; told?: boolean }) => isFit(each) || each.right || each.told;
  const both = { ...kept };
  for (const list of LISTS) {
    const all = new Map<string, object>();
    for (const each of [...kept[list], ...more[list]] as object[]) {
      const before = all.get(nameOf(list, each));
      if (!before || (isDone(each) && !isDone(before))) all.set(nameOf(list, each), each);
    }
    Object.assign(both, { [list]: [...all.values()] });
  }
  return both;
}

/** Without those of `gone`. */
export function without(kept: Kept, gone: Kept): Kept {
  const left = { ...kept };
  for (const list of LISTS) {
    const names = new Set(gone[list].map((each) => nameOf(list, each)));
    Object.assign(left, { [list]: kept[list].filter((each) => !names.has(nameOf(list, each))) });
  }
  return left;
}

/** Whether what was measured settles the bet. */
export function isFit<Bet extends Measured>(bet: Bet): bet is Bet & { measured: number } {
  return bet.fit !== false && Number.isFinite(bet.measured);
}

/** With that answer. What was solved stays solved, and the same answer again is no new try. */
export function withAnswer(kept: Kept, answer: Omit<Answered, 'tries'>): Kept {
  const { exercise, seed } = answer;
  const before = kept.answers.find((each) => each.exercise === exercise && each.seed === seed);
  if (before && (before.right || (before.value === answer.value && !answer.right))) return kept;
  const others = kept.answers.filter((each) => each !== before);
  return { ...kept, answers: [...others, { ...answer, tries: (before?.tries ?? 0) + 1 }] };
}
