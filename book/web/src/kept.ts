/** What a reader without Python has committed to and answered: in this browser's own storage, in the
 * form of the labs' file of progress (labs/progress_log.py), so that one can be read as the other. */

const PLACE = 'wall-time-progress';
export const MOST_BYTES = 4 * 2 ** 20; // of a file: as many as a browser keeps
const ALWAYS = 'wall-time-always-show';

/** A prediction; numbers are in its unit. What was measured is the book's recording. */
export interface Foretold {
  key: string;
  lab: string;
  question: string;
  unit: string;
  value: number;
  at: string; // ISO 8601, UTC
  measured?: number | null;
  model?: number | null;
  measured_at?: string;
  fit?: boolean; // whether that settles the bet; in files of before nothing is said
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
  diagnoses: object[]; // of the mysteries, which only a live page asks for
  scenes: Played[]; // to which the labs add none
  book: 'Wall Time';
  schema: 1;
}

/** What each entry of a list has, as labs/progress_log.py has it; what ends with ? may be missing. */
const FIELDS: Record<List, Record<string, string>> = {
  predictions: {
    ...{ key: 'string', lab: 'string', question: 'string', unit: 'string', value: 'number', at: 'string' },
    ...{ measured: 'number?', model: 'number?', measured_at: 'string?', fit: 'boolean?' },
  },
  answers: { exercise: 'string', seed: 'string', value: 'number', right: 'boolean', tries: 'number', at: 'string' },
  diagnoses: {
    ...{ lab: 'string', seed: 'number', guess: 'string', right: 'boolean', tries: 'number', at: 'string' },
    told: 'boolean?',
  },
  scenes: { page: 'page', what: 'string', at: 'string', words: 'string?', value: 'number?' },
};
type List = 'predictions' | 'answers' | 'diagnoses' | 'scenes';
const PAGE = /^(?!\/)[\w./-]+$/; // of the book, so that it becomes an address of no other kind

const unkept = new Map<string, string | null>(); // what no storage takes: until the page is left
let works = true;

export const NOTHING: Kept = { predictions: [], answers: [], diagnoses: [], scenes: [], book: 'Wall Time', schema: 1 };

export function read(): Kept {
  return found(stored(PLACE) ?? '', 'what is sound') ?? NOTHING;
}

export function isEmpty({ predictions, answers, diagnoses, scenes }: Kept): boolean {
  return ![predictions, answers, diagnoses, scenes].some((list) => list.length);
}

/** What such a file holds; undefined for what is none, or has an entry that is none. */
export function parsed(text: string): Kept | undefined {
  return found(text, 'all or nothing');
}

function found(text: string, take: 'all or nothing' | 'what is sound'): Kept | undefined {
  try {
    const file = JSON.parse(text) as Record<string, unknown>;
    if (file.book !== 'Wall Time' || file.schema !== 1) return undefined;
    const kept: Kept = { ...NOTHING };
    for (const [list, fields] of Object.entries(FIELDS) as [List, Record<string, string>][]) {
      const all = (file[list] ?? []) as unknown[];
      const sound = all.filter((entry) => isSound(entry, fields));
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
    return `${typeof value}?`.startsWith(kind) && (typeof value !== 'number' || Number.isFinite(value));
  });
}

export function write(kept: Kept): void {
  store(PLACE, isEmpty(kept) ? null : JSON.stringify(kept));
}

/** Whether what is written stays when the page is left. */
export function stays(): boolean {
  stored(PLACE);
  return works;
}

export function now(): string {
  return new Date().toISOString().replace(/\.\d+Z$/, '+00:00');
}

/** Keeps an answer. What was solved stays solved, and the same answer again is no new try. */
export function answered(exercise: string, value: number, right: boolean): void {
  const kept = read();
  const before = kept.answers.find((each) => each.exercise === exercise && !each.seed);
  if (before && (before.right || (before.value === value && !right))) return;
  const others = kept.answers.filter((each) => each !== before);
  const entry = { exercise, seed: '', value, right, tries: (before?.tries ?? 0) + 1, at: now() };
  write({ ...kept, answers: [...others, entry] });
}

export function foretold(entry: Omit<Foretold, 'key' | 'at' | 'measured_at'>): void {
  const kept = read();
  const at = now();
  const key = Math.random().toString(16).slice(2, 14).padEnd(12, '0');
  write({ ...kept, predictions: [...kept.predictions, { ...entry, key, at, measured_at: at }] });
}

/** What this page's script has kept of a goal or a bet at one of its scenes. */
export function played(what: string): Played | undefined {
  const page = here();
  return read().scenes.find((each) => each.page === page && each.what === what);
}

export function play(entry: Pick<Played, 'what' | 'words' | 'value'>): void {
  const kept = read();
  if (!played(entry.what)) write({ ...kept, scenes: [...kept.scenes, { ...entry, page: here(), at: now() }] });
}

/** The page's name: 1-cpu-time/one-core. */
function here(): string {
  const root = new URL(document.documentElement.dataset.content_root ?? './', location.href).pathname;
  return decodeURI(location.pathname.slice(root.length)).replace(/\.html$/, '') || 'index';
}

/** `more` beside what is there: predictions by their keys, answers with the right ones first. */
export function joined(kept: Kept, more: Kept): Kept {
  const keys = new Set(kept.predictions.map((each) => each.key));
  const name = (each: Answered) => `${each.exercise} ${each.seed}`;
  const right = new Set(kept.answers.filter((each) => each.right).map(name));
  const answers = new Map(kept.answers.map((each) => [name(each), each]));
  for (const each of more.answers) {
    if (!right.has(name(each)) && (each.right || !answers.has(name(each)))) answers.set(name(each), each);
  }
  const known = new Set(kept.diagnoses.map((each) => JSON.stringify(each)));
  const seen = new Set(kept.scenes.map((each) => `${each.page} ${each.what}`));
  return {
    ...kept,
    predictions: [...kept.predictions, ...more.predictions.filter((each) => !keys.has(each.key))],
    answers: [...answers.values()],
    diagnoses: [...kept.diagnoses, ...more.diagnoses.filter((each) => !known.has(JSON.stringify(each)))],
    scenes: [...kept.scenes, ...more.scenes.filter((each) => !seen.has(`${each.page} ${each.what}`))],
  };
}

export function alwaysShows(): boolean {
  return stored(ALWAYS) === 'yes';
}

export function showAlways(yes: boolean): void {
  store(ALWAYS, yes ? 'yes' : null);
}

function stored(place: string): string | null {
  const here = unkept.get(place);
  if (here !== undefined) return here;
  try {
    return localStorage.getItem(place);
  } catch {
    works = false; // forbidden, as in some windows that keep nothing
    return null;
  }
}

function store(place: string, text: string | null): void {
  try {
    if (text === null) localStorage.removeItem(place);
    else localStorage.setItem(place, text);
    works = true;
    unkept.delete(place);
  } catch {
    works = false; // forbidden, or full
    unkept.set(place, text);
  }
}
