/** *My progress* where there is no Python: what this browser has kept, chapter by chapter, to take
 * along as a file and to bring back. As labs/panel/progress.py shows the labs' own file. */
import * as kept from './kept';
import type { Answered, Foretold, Kept, Played } from './kept';
import { button, data, make, table } from './make';
import { digits } from './numbers';
import { scatter } from './scatter';

/** Written by labs/panel/progress.py. */
interface Chapter {
  name: string;
  page: string; // where it is, from this page
  places: Record<string, string>; // of its labs and exercises
  labs: string[];
  exercises: string[]; // ids of those with an answer to check
  minutes: Record<string, number>; // of those that a page checks by itself
}

const FILE = 'wall-time-progress.json';
const CLOSE = 0.05;
const LIMITS =
  'This is kept in your browser, for this copy of the book and on this device only: another browser, ' +
  'another address or port, and in some browsers each file of a book that was downloaded, has a ' +
  'record of its own, and clearing the browser’s data clears it. A live book keeps another record, ' +
  'in a file on its machine. Save a file to take this one along.';
const FORGETS =
  'Your browser keeps nothing of this, because it may not or has no room: it is gone when you leave the ' +
  'page. Save a file to take it along.';

export function showProgress(place: HTMLElement): void {
  const chapters = data<Chapter[]>(place.querySelector('script'));
  if (chapters) new Progress(place, chapters).show();
}

class Progress {
  readonly #shown = make('div', { class: 'wt-data' });
  readonly #said = make('span', { role: 'status' });
  readonly #save = button('Save as a file', () => this.#saving());
  readonly #delete = button('Delete all', () => this.#deleting());
  readonly #undo = button('Undo', () => this.#undoing());
  readonly #file = make('input', { type: 'file', accept: '.json,application/json', hidden: true });
  readonly #limits = make('p');
  #deleted: Kept | undefined;

  constructor(
    place: HTMLElement,
    private readonly chapters: Chapter[],
  ) {
    this.#file.addEventListener('change', () => void this.#reading());
    const read = button('Read a file', () => this.#file.click());
    const actions = make('div', { class: 'wt-buttons' }, this.#save, read, this.#file);
    actions.append(this.#delete, this.#undo, this.#said);
    place.replaceChildren(this.#shown, actions, this.#limits);
    window.addEventListener('storage', () => this.show()); // from another page of the book
  }

  show(said = ''): void {
    const now = kept.read();
    this.#shown.replaceChildren(make('p', {}, summary(now, this.chapters)), exercises(now, this.chapters));
    const bets = now.predictions.filter(isSettled).map(({ value, ...bet }) => ({ ...bet, said: value }));
    this.#shown.append(...scatter(bets));
    if (now.predictions.length) this.#shown.append(predictions(now.predictions, this.chapters));
    this.#shown.append(goals(now, this.chapters));
    this.#save.disabled = this.#delete.disabled = kept.isEmpty(now);
    this.#undo.hidden = !this.#deleted;
    this.#said.textContent = said;
    this.#limits.textContent = kept.stays() ? LIMITS : FORGETS;
  }

  #saving(): void {
    const address = URL.createObjectURL(new Blob([JSON.stringify(kept.read(), null, 1)], { type: 'application/json' }));
    make('a', { href: address, download: FILE }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  }

  async #reading(): Promise<void> {
    const file = this.#file.files?.[0];
    if (!file) return;
    const large = file.size > kept.MOST_BYTES;
    const found = large ? undefined : kept.parsed(await file.text());
    this.#file.value = ''; // the same file may be read again
    if (large) return this.show(`${file.name}: larger than ${kept.MOST_BYTES / 2 ** 20} MiB, and no file of progress is.`);
    if (!found) return this.show(`${file.name}: not a file of progress. Choose one that was saved here.`);
    kept.write(kept.joined(kept.read(), found));
    const stays = kept.stays() ? '' : ' Your browser can’t keep it: it is gone when you leave the page.';
    this.show(`${file.name} is read, beside what was here.${stays}`);
  }

  #deleting(): void {
    const now = kept.read();
    this.#deleted = this.#deleted ? kept.joined(now, this.#deleted) : now;
    kept.write(kept.NOTHING);
    this.show('Deleted. You can undo it until you leave this page.');
    this.#undo.focus();
  }

  #undoing(): void {
    kept.write(kept.joined(kept.read(), this.#deleted!));
    this.#deleted = undefined;
    this.show('It is back.');
    this.#delete.focus();
  }
}

/** Where Python shows what is in its own file: the goals, of which only the browser knows. */
export function showGoals(place: HTMLElement): void {
  const chapters = data<Chapter[]>(place.querySelector('script'));
  const now = kept.read();
  if (!chapters || !now.scenes.length) return;
  const shown = make('div', { class: 'wt-data' }, goals(now, chapters));
  const forget = button('Forget them', () => {
    kept.write({ ...kept.read(), scenes: [] });
    shown.replaceChildren(make('p', { role: 'status' }, 'Forgotten.'));
  });
  shown.append(make('p', {}, 'These are kept by your browser, and not in the file. '), forget);
  place.closest('.cell')?.after(shown);
}

function summary({ predictions, answers, scenes }: Kept, chapters: Chapter[]): string {
  if (!predictions.length && !answers.length && !scenes.length) {
    return 'Nothing is kept yet. Commit to a number before a recorded figure, or answer an exercise.';
  }
  const ids = chapters.flatMap((chapter) => Object.keys(chapter.minutes));
  const solved = ids.filter((id) => answers.some((each) => each.exercise === id && each.right));
  const close = predictions.filter(isClose);
  const many = `${predictions.length} prediction${predictions.length === 1 ? '' : 's'}`;
  return (
    `${solved.length} of the ${ids.length} exercises that a page can check by itself solved. ` +
    `${many}, ${close.length} of them within 5 % of what was recorded.`
  );
}

/** Whether what was measured can be believed. */
function isSettled(bet: Foretold): bet is Foretold & { measured: number } {
  return bet.fit !== false && Number.isFinite(bet.measured);
}

function isClose(bet: Foretold): boolean {
  if (!isSettled(bet)) return false;
  const { value, measured, unit } = bet;
  return unit === '%' ? Math.abs(value - measured) <= 100 * CLOSE : Math.abs(value / measured - 1) <= CLOSE;
}

function exercises({ answers }: Kept, chapters: Chapter[]): HTMLElement {
  const rows = chapters.map((chapter) => {
    const solved: Node[] = [];
    const tried: Node[] = [];
    const open: Node[] = [];
    let minutes = 0;
    for (const id of chapter.exercises) {
      const given = answers.filter((each) => each.exercise === id);
      if (given.some((each) => each.right)) solved.push(linked(chapter, id, id));
      else if (given.length) tried.push(linked(chapter, id, `${id} (${tries(given)})`));
      else if (chapter.minutes[id]) {
        open.push(linked(chapter, id, id));
        minutes += chapter.minutes[id];
      }
    }
    const left = listed(open);
    if (minutes) left.appendChild(document.createTextNode(` (${minutes} minutes)`));
    return [make('a', { href: chapter.page }, chapter.name), listed(solved), listed(tried), left];
  });
  return table(['chapter', 'solved', 'tried', 'open'], rows);
}

function predictions(all: Foretold[], chapters: Chapter[]): HTMLElement {
  const rows = all.map((each) => {
    const chapter = chapters.find(({ labs }) => labs.includes(each.lab));
    const value = (number?: number | null) => (typeof number !== 'number' ? '' : `${digits(number)}\u00a0${each.unit}`);
    const where = chapter ? linked(chapter, each.lab, each.lab) : each.lab;
    return [where, value(each.value), value(each.model), value(each.measured), each.at.slice(0, 10)];
  });
  return table(['lab', 'you said', 'the model', 'recorded', 'on'], rows);
}

/** Each goal that was reached at a scene, with its page; nothing where there is none. */
function goals({ scenes }: Kept, chapters: Chapter[]): Node {
  const rows = scenes.flatMap(({ page, words, at }: Played) => {
    if (!words) return []; // a bet
    const address = `${page}.html`;
    const name = chapters.find((chapter) => chapter.page === address)?.name ?? (page === 'index' ? 'The first page' : page);
    return [[make('a', { href: address }, name), words, at.slice(0, 10)]];
  });
  return rows.length ? table(['scene', 'goal reached', 'on'], rows) : document.createDocumentFragment();
}

function tries(given: Answered[]): string {
  const count = given.reduce((sum, each) => sum + (each.tries || 1), 0);
  return count === 1 ? '1 try' : `${count} tries`;
}

function linked({ page, places }: Chapter, of: string, words: string): Node {
  return make('a', { href: places[of] || page }, words);
}

function listed(nodes: Node[]): Node {
  const list = document.createDocumentFragment();
  nodes.forEach((node, nth) => list.append(nth ? ', ' : '', node));
  return list;
}
