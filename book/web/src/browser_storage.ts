/** What this browser keeps of the reader: progress, and a wish. In its own storage, or where that takes
 * nothing, until the page is left. */
import type { Place } from './progress';
import { isEmpty, NOTHING, parsed, type Foretold, type Kept, type Played } from './progress_format';

const PLACE = 'wall-time-progress';
const ALWAYS = 'wall-time-always-show';
const SKIPPED = 'wall-time-skipped-';
const LIMITS =
  'This is kept in your browser, for this copy of the book and on this device only: another browser, ' +
  'another address or port, and in some browsers each file of a book that was downloaded, has a ' +
  'record of its own, and clearing the browser’s data clears it. A live book keeps another record, ' +
  'in a file on its machine. Save a file to take this one along.';
const FORGETS =
  'Your browser keeps nothing of this, because it may not or has no room: it is gone when you leave the ' +
  'page. Save a file to take it along.';

const unkept = new Map<string, string | null>(); // what no storage takes: until the page is left

export function read(): Kept {
  return parsed(stored(PLACE) ?? '', 'what is sound') ?? NOTHING;
}

export function write(kept: Kept): void {
  store(PLACE, isEmpty(kept) ? null : JSON.stringify(kept));
}

/** Whether what is written stays when the page is left. */
export function stays(): boolean {
  stored(PLACE);
  return !unkept.has(PLACE);
}

/** For *My progress* where there is no server of the book. */
export const inBrowser: Place = {
  async read() {
    return { kept: read(), about: stays() ? LIMITS : FORGETS, said: [] };
  },
  async change(how) {
    write(how(read()));
    return stays() ? '' : ' Your browser can’t keep it: it is gone when you leave the page.';
  },
};

export function now(): string {
  return new Date().toISOString().replace(/\.\d+Z$/, '+00:00');
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

export function alwaysShows(): boolean {
  return stored(ALWAYS) === 'yes';
}

export function showAlways(yes: boolean): void {
  store(ALWAYS, yes ? 'yes' : null);
}

/** Whether this tab's reader has skipped that question. */
export function skipped(name: string): boolean {
  return stored(SKIPPED + name, 'sessionStorage') !== null;
}

export function skip(name: string): void {
  store(SKIPPED + name, '', 'sessionStorage');
}

type Which = 'localStorage' | 'sessionStorage';

function stored(place: string, storage: Which = 'localStorage'): string | null {
  try {
    if (!unkept.has(place)) return window[storage].getItem(place);
  } catch {
    unkept.set(place, null); // forbidden, as in some windows that keep nothing
  }
  return unkept.get(place)!;
}

function store(place: string, text: string | null, storage: Which = 'localStorage'): void {
  try {
    if (text === null) window[storage].removeItem(place);
    else window[storage].setItem(place, text);
    unkept.delete(place);
  } catch {
    unkept.set(place, text); // forbidden, or full
  }
}
