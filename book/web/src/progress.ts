/** *My progress*, live and without Python: what is kept of the reader, chapter by chapter, to take along
 * as a file, to bring back and to delete. */
import { button, data, make, Refused, table } from './make';
import { digits } from './numbers';
import { isEmpty, isFit, joined, NOTHING, parsed, without, type Kept } from './progress_format';
import { scatter } from './scatter';
import { some } from './scenes/say';

/** Where it lies. Both throw Refused. */
export interface Place {
  read(): Promise<Shown>;
  change(how: (kept: Kept) => Kept): Promise<string>; // what is to be said of it
}

interface Shown {
  kept: Kept;
  about: string; // where that is
  said: string[]; // what is wrong with it
}

/** Written by labs/site/roles/progress_directive.py. */
interface Known {
  chapters: Chapter[];
  limits: Record<string, string>; // the words of what may limit a mystery's server
  hollow: string; // how a point is drawn that can't be believed
  close: number; // of a bet, in parts of what was measured
  drawn: [least: number, most: number]; // of the figure's axes
  mostBytes: number; // of a file
}

interface Chapter {
  name: string;
  page: string; // where it is, from this page
  places: Record<string, string>; // of its exercises
  labs: string[];
  exercises: Record<string, number>; // of those with an answer to check, the minutes
  fixed: string[]; // those that a page checks by itself
}

/** `live`: whether labs run, and all exercises can be checked. */
export function showProgress(node: HTMLElement, place: Place, live: boolean): void {
  const known = data<Known>(node.querySelector('script'));
  if (known) void new Progress(node, place, known, live).show();
}

class Progress {
  readonly #wrong = make('div', { role: 'alert' });
  readonly #shown = make('div', { class: 'wt-data' });
  readonly #said = make('span', { role: 'status' });
  readonly #name = make('input', { type: 'text', autocomplete: 'off', placeholder: 'if a teacher is to know' });
  readonly #save = button('Save', () => void this.#saving());
  readonly #delete = button('Delete all', () => void this.#dropping((kept) => kept, 'Deleted.'));
  readonly #undo = button('Undo', () => void this.#undoing());
  readonly #file = make('input', { type: 'file', accept: '.json,application/json', hidden: true });
  readonly #about = make('p');
  #deleted: Kept | undefined; // what Undo puts back
  #drawn = ''; // the entries: nothing that is pressed goes away in between

  constructor(
    node: HTMLElement,
    private readonly place: Place,
    private readonly known: Known,
    private readonly live: boolean,
  ) {
    this.#file.addEventListener('change', () => void this.#reading());
    const read = button('Read a file', () => this.#file.click());
    // Above what they empty and fill: so they stay where they were pressed.
    const actions = make('div', { class: 'wt-buttons' }, read, this.#file, this.#delete, this.#undo, this.#said);
    const saving = make('div', { class: 'wt-buttons' }, make('label', {}, 'Your name ', this.#name), this.#save);
    node.replaceChildren(this.#wrong, actions, this.#shown, saving, this.#about);
    for (const change of ['storage', 'focus', 'pageshow']) addEventListener(change, () => void this.show()); // of another page
  }

  async show(said?: string): Promise<void> {
    try {
      const { kept, about, said: wrong } = await this.place.read();
      const entries = JSON.stringify(kept);
      if (this.#drawn !== entries) this.#draw(kept);
      this.#drawn = entries;
      this.#undo.hidden = !this.#deleted;
      this.#about.textContent = about;
      this.#complain(wrong);
      if (said !== undefined) this.#said.textContent = said;
    } catch (refused) {
      this.#refuse(refused);
    }
  }

  #draw(kept: Kept): void {
    const chapters = [...this.known.chapters, ...elsewhere(kept, this.known.chapters)];
    this.#shown.replaceChildren(
      make('p', {}, this.#summary(kept)),
      ...scatter(kept.predictions.filter(isFit), this.known.drawn),
      this.#exercises(kept, chapters),
      ...this.#predictions(kept, chapters),
      ...this.#diagnoses(kept, chapters),
      ...this.#goals(kept, chapters),
    );
    this.#save.disabled = this.#delete.disabled = isEmpty(kept);
  }

  #complain(wrong: string[]): void {
    this.#wrong.replaceChildren(...wrong.map((each) => make('p', { class: 'wt-problem' }, each)));
  }

  #refuse(refused: unknown): void {
    if (!(refused instanceof Refused)) throw refused;
    this.#complain([refused.message]);
  }

  async #change(how: (kept: Kept) => Kept, said: string): Promise<boolean> {
    try {
      const more = await this.place.change(how);
      await this.show(said + more);
      return true;
    } catch (refused) {
      this.#refuse(refused);
      return false;
    }
  }

  async #saving(): Promise<void> {
    const name = this.#name.value.trim();
    const { kept } = await this.place.read();
    const text = JSON.stringify({ ...(name && { name }), ...kept }, null, 1);
    const address = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
    const words = name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '');
    make('a', { href: address, download: `wall-time-${words || 'progress'}.json` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  }

  async #reading(): Promise<void> {
    const file = this.#file.files?.[0];
    if (!file) return;
    const { mostBytes } = this.known;
    const large = file.size > mostBytes;
    const found = large ? undefined : parsed(await file.text(), 'all or nothing');
    this.#file.value = ''; // the same file may be read again
    if (large) return this.show(`${file.name}: larger than ${mostBytes / 2 ** 20} MiB, and no file of progress is.`);
    if (!found) return this.show(`${file.name}: not a file of progress. Choose one that was saved here.`);
    await this.#change((kept) => joined(kept, found), `${file.name} is read, beside what was here.`);
  }

  /** Of what is kept by then, that; Undo puts it back. */
  async #dropping(which: (kept: Kept) => Kept, said: string): Promise<void> {
    let gone = NOTHING;
    const change = (kept: Kept) => without(kept, (gone = which(kept)));
    const before = this.#deleted;
    this.#deleted = NOTHING; // so that Undo is there when it is shown
    if (await this.#change(change, `${said} You can undo it until you leave this page.`)) {
      this.#deleted = joined(before ?? NOTHING, gone);
      this.#undo.focus();
    } else this.#deleted = before;
  }

  async #undoing(): Promise<void> {
    const deleted = this.#deleted!;
    this.#deleted = undefined;
    if (await this.#change((kept) => joined(kept, deleted), 'It is back.')) this.#delete.focus();
    else this.#deleted = deleted;
  }

  #drop(name: string, gone: Partial<Kept>): HTMLElement {
    const made = button('✕', () => void this.#dropping(() => ({ ...NOTHING, ...gone }), 'Dropped.'), 'wt-button wt-drop');
    made.setAttribute('aria-label', `Drop ${name}`);
    return made;
  }

  #summary(kept: Kept): string {
    const { predictions, answers, diagnoses } = kept;
    if (isEmpty(kept)) {
      return 'Nothing is kept yet. Commit to a prediction, or answer an exercise.';
    }
    const ids = this.known.chapters.flatMap((chapter) => this.#asked(chapter));
    const right = new Set(answers.filter((each) => each.right).map(({ exercise }) => exercise));
    const measured = predictions.filter(isFit);
    const close = measured.filter(({ value, measured, unit }) => {
      const { close } = this.known;
      return unit === '%' ? Math.abs(value - measured) <= 100 * close : Math.abs(value / measured - 1) <= close;
    });
    const checked = this.live ? '' : ' that a page can check by itself';
    const said = [
      `${ids.filter((id) => right.has(id)).length} of the ${ids.length} exercises${checked} solved.`,
      `${some(predictions.length, 'prediction')}, ${measured.length} of them measured since, ` +
        `${close.length} within ${100 * this.known.close} %.`,
    ];
    const hollow = predictions.filter(({ fit }) => fit === false).length;
    if (hollow) {
      const many = hollow === 1 ? 'was measured by a point' : 'were measured by points';
      said.push(`${hollow} ${many} ${this.known.hollow}, which settles nothing: run again.`);
    }
    if (diagnoses.length) {
      const found = diagnoses.filter(({ right }) => right).length;
      said.push(`${found} of ${diagnoses.length === 1 ? '1 mystery' : `${diagnoses.length} mysteries`} solved.`);
    }
    return said.join(' ');
  }

  /** The exercises of a chapter that can be checked here. */
  #asked({ exercises, fixed }: Chapter): string[] {
    return this.live ? Object.keys(exercises) : fixed;
  }

  #exercises({ answers }: Kept, chapters: Chapter[]): HTMLElement {
    const rows = chapters.flatMap((chapter) => {
      const [solved, tried, open]: Node[][] = [[], [], []];
      let minutes = 0;
      for (const [id, takes] of Object.entries(chapter.exercises)) {
        const mine = answers.filter(({ exercise }) => exercise === id);
        const right = mine.filter((each) => each.right);
        const entry = (words: string) =>
          make('span', { class: 'wt-entry' }, linked(chapter, id, words), this.#drop(id, { answers: mine }));
        const seeds = right.flatMap(({ seed }) => (seed ? [`“${seed}”`] : []));
        const tries = mine.reduce((sum, each) => sum + each.tries, 0);
        if (right.length) solved!.push(entry(id + (seeds.length ? ` (${seeds.join(', ')})` : '')));
        else if (mine.length) tried!.push(entry(`${id} (${tries === 1 ? '1 try' : `${tries} tries`})`));
        else if (this.#asked(chapter).includes(id)) {
          open!.push(linked(chapter, id, id));
          minutes += takes;
        }
      }
      const left = listed(open!);
      if (minutes) left.append(` (${minutes} minutes)`);
      const cells = [linked(chapter, '', chapter.name), listed(solved!), listed(tried!), left];
      return Object.keys(chapter.exercises).length ? [cells] : [];
    });
    return table(['chapter', 'solved', 'tried', 'open'], rows);
  }

  #predictions({ predictions }: Kept, chapters: Chapter[]): HTMLElement[] {
    const rows = inOrder(predictions, chapters).map(([each, chapter]) => {
      const value = (number?: number | null) => (typeof number !== 'number' ? '' : `${digits(number)}\u00a0${each.unit}`);
      const was = value(each.measured) || 'not measured yet';
      const said = each.fit === false ? `${was}, ${this.known.hollow}` : was;
      const band = each.band ? ` (${each.band.map((end) => digits(end)).join(' to ')})` : '';
      const drop = this.#drop(`the prediction for ${each.lab}`, { predictions: [each] });
      return [each.at.slice(0, 10), lab(each.lab, chapter), value(each.value), value(each.model) + band, said, drop];
    });
    return shown(['on', 'lab', 'you said', 'the model', 'it was', ''], rows);
  }

  #diagnoses({ diagnoses }: Kept, chapters: Chapter[]): HTMLElement[] {
    const rows = inOrder(diagnoses, chapters).map(([each, chapter]) => {
      const guess = this.known.limits[each.guess] ?? each.guess;
      const right = each.right ? 'yes' : each.told ? 'told' : 'no';
      const drop = this.#drop(`the diagnosis of ${each.lab}, ${each.seed}`, { diagnoses: [each] });
      return [each.at.slice(0, 10), lab(each.lab, chapter), `${each.seed}`, guess || 'none', right, `${each.tries}`, drop];
    });
    return shown(['on', 'lab', 'server', 'your diagnosis', 'right', 'tries', ''], rows);
  }

  /** Each goal that was reached at a scene, with its page. */
  #goals({ scenes }: Kept, chapters: Chapter[]): HTMLElement[] {
    const rows = scenes.flatMap((each) => {
      if (!each.words) return []; // a bet
      const address = `${each.page}.html`;
      const chapter = chapters.find(({ page }) => page === address);
      const name = chapter?.name ?? (each.page === 'index' ? 'The first page' : each.page);
      return [[each.at.slice(0, 10), make('a', { href: address }, name), each.words, this.#drop(each.words, { scenes: [each] })]];
    });
    return shown(['on', 'scene', 'goal reached', ''], rows);
  }
}

function shown(head: string[], rows: (Node | string)[][]): HTMLElement[] {
  return rows.length ? [table(head, rows)] : [];
}

/** What is in no chapter: labs of the reader's own, exercises of another version. */
function elsewhere({ predictions, diagnoses, answers }: Kept, chapters: Chapter[]): Chapter[] {
  const labs = new Set(chapters.flatMap(({ labs }) => labs));
  const ids = new Set(chapters.flatMap(({ exercises }) => Object.keys(exercises)));
  const more = [...predictions, ...diagnoses].map(({ lab }) => lab).filter((lab) => !labs.has(lab));
  const others = answers.map(({ exercise }) => exercise).filter((id) => !ids.has(id));
  if (!more.length && !others.length) return [];
  const exercises = Object.fromEntries(others.map((id) => [id, 0]));
  return [{ name: 'Elsewhere', page: '', places: {}, labs: more, exercises, fixed: [] }];
}

/** With their chapters, in the book's order, and then as they came. */
function inOrder<Entry extends { lab: string; at: string }>(all: Entry[], chapters: Chapter[]): [Entry, Chapter | undefined][] {
  const places = new Map(chapters.flatMap(({ labs }, nth) => labs.map((lab) => [lab, nth] as const)).reverse());
  const place = (each: Entry) => places.get(each.lab) ?? chapters.length;
  const sorted = [...all].sort((a, b) => place(a) - place(b) || a.at.localeCompare(b.at));
  return sorted.map((each) => [each, chapters[place(each)]]);
}

function lab(name: string, chapter: Chapter | undefined): Node {
  if (!chapter) return document.createTextNode(name);
  return linked(chapter, name, `${chapter.name.split(' · ')[0]} · ${name}`);
}

function linked({ page, places }: Chapter, of: string, words: string): Node {
  return page ? make('a', { href: places[of] || page }, words) : document.createTextNode(words);
}

/** Between commas. */
function listed(nodes: Node[]): DocumentFragment {
  const list = document.createDocumentFragment();
  nodes.forEach((node, nth) => list.append(nth ? ', ' : '', node));
  return list;
}
