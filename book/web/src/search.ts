/** Sphinx's search, where a page has it: questions as people ask them find the section that answers,
 * excerpts are prose, and who mistypes is helped. */
import { make } from './make';

type Place = [page: number, anchor: string | null];
type Result = [page: string, title: string, anchor: string, description: null, score: number, file: string];

/** Names of all scripts, and no properties of the window. */
declare const Search: {
  htmlToText: (html: string, anchor?: string) => string;
  _performSearch: (query: string) => Result[];
  _index: {
    docnames: string[];
    filenames: string[];
    titles: string[];
    alltitles: Record<string, Place[]>;
    indexentries: Record<string, Place[]>;
    terms: Record<string, number | number[]>;
  };
  status: HTMLElement;
};
declare const DOCUMENTATION_OPTIONS: { SHOW_SEARCH_SUMMARY: boolean };
declare const Stemmer: new () => { stemWord: (word: string) => string };
declare const stopwords: string[];

const NUMBER = /^[\d.]+ · /; // of a chapter, or of an exercise
const SHORT = 4; // letters: a word of fewer is near to too many
const IN_TITLE = 3; // what a word in a title, or an index entry, is worth beside one in the text
const WORTH_SHOWING = 0.4; // of the best result's score
const MOST = 12;
const PROSE = 'p, li, dd';
const NO_PROSE = 'nav, .toc, .admonition-title, .headerlink, script, style, .katex-mathml';

export function tidySearch(): void {
  if (typeof Search === 'undefined') return;
  Search.htmlToText = prose;
  if (location.protocol === 'file:') DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false; // no page can be fetched
  Search._performSearch = (query) => {
    const found = ranked(query);
    if (!found.length) offerNearest(query);
    return found;
  };
}

/** The sentences of a page, or of its section: without headings, lists of links, and the source that
 * a formula brings along. */
function prose(html: string, anchor?: string): string {
  const page = new DOMParser().parseFromString(html, 'text/html');
  const part = (anchor && page.querySelector(anchor)) || page.querySelector('article') || page.body;
  part.querySelectorAll(NO_PROSE).forEach((node) => node.remove());
  return [...part.querySelectorAll(PROSE)]
    .filter((node) => !node.querySelector(PROSE))
    .map((node) => node.textContent?.trim())
    .join(' ');
}

/** Sections and pages that have words of the query, the rarest counting most, those in titles and
 * index entries more than those in the text. Sphinx shows the last one first. */
function ranked(query: string): Result[] {
  const { docnames, filenames, titles, alltitles, indexentries, terms } = Search._index;
  const pagesWith = new Map(Object.entries(terms).map(([word, pages]) => [word, [pages].flat()]));
  const asked = [...wordsOf(query)];
  const inText = docnames.map(() => 0);
  const rarity = (word: string) => Math.log(1 + docnames.length / (pagesWith.get(word)?.length ?? 1));
  for (const word of asked) for (const page of pagesWith.get(word) ?? []) inText[page]! += rarity(word);

  const best = new Map<string, Result>();
  const add = (page: number, anchor: string | null, title: string, score: number) => {
    const key = `${page}#${anchor ?? ''}`;
    if (score <= 0 || (best.get(key)?.[4] ?? 0) >= score) return;
    const shown = title === titles[page] ? title : `${titles[page]} > ${title}`;
    best.set(key, [docnames[page]!, shown, anchor ? `#${anchor}` : '', null, score, filenames[page]!]);
  };
  const ofTitles = docnames.map(() => 0); // a word of the index adds nothing to a title that has it
  for (const named of [alltitles, indexentries]) {
    for (const [title, places] of Object.entries(named)) {
      const words = wordsOf(title);
      const hits = asked.filter((word) => words.has(word));
      const worth = hits.reduce((sum, word) => sum + rarity(word), 0);
      for (const [page, anchor] of places) {
        if (named === alltitles) ofTitles[page] = Math.max(ofTitles[page]!, worth);
        else if (worth <= ofTitles[page]!) continue;
        if (worth) add(page, anchor, title, IN_TITLE * worth + inText[page]! + hits.length / words.size);
      }
    }
  }
  docnames.forEach((_, page) => add(page, null, titles[page]!, inText[page]!));

  const found = [...best.values()].sort((a, b) => b[4] - a[4]);
  return found.filter((each) => each[4] >= WORTH_SHOWING * found[0]![4]).slice(0, MOST).reverse();
}

/** Its words as Sphinx keeps them: stems, without those that every page has. Numbers count. */
function wordsOf(text: string): Set<string> {
  const stemmer = new Stemmer();
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? [];
  return new Set(words.filter((word) => !stopwords.includes(word)).map((word) => stemmer.stemWord(word)));
}

/** The title or the word of the glossary that may have been meant, below the sentence that there is
 * nothing else. */
function offerNearest(query: string): void {
  const { docnames, alltitles, indexentries } = Search._index;
  const asked = query.trim().toLowerCase();
  let nearest = Math.max(1, Math.floor(asked.length / 4)) + 0.1;
  let meant: [name: string, place: Place] | undefined;
  for (const [name, [place, ...more]] of [...Object.entries(indexentries), ...Object.entries(alltitles)]) {
    if (!place || more.length) continue; // a title that many pages have
    const title = name.replace(NUMBER, '').toLowerCase();
    const words = title.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length >= SHORT);
    const away = Math.min(apart(asked, title), ...words.map((word) => apart(asked, word) + 0.1));
    if (away < nearest) [nearest, meant] = [away, [name, place]];
  }
  if (!meant) return;
  const [name, [page, anchor]] = meant;
  const href = `${docnames[page]}.html${anchor ? `#${anchor}` : ''}`;
  Search.status.after(make('p', { class: 'wt-meant' }, 'Did you mean ', make('a', { href }, name), '?'));
}

/** How many letters must be put in, left out, replaced, or swapped with the next. */
function apart(a: string, b: string): number {
  let above: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, n) => n);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const kept = row[j - 1]! + Number(a[i - 1] !== b[j - 1]);
      next[j] = Math.min(kept, row[j]! + 1, next[j - 1]! + 1);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (i > 1 && j > 1 && swapped) next[j] = Math.min(next[j]!, above[j - 2]! + 1);
    }
    [above, row] = [row, next];
  }
  return row[b.length]!;
}
