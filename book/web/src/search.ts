/** Sphinx's search, where a page has it: formulas are shown once, and who mistypes is helped. */
import { make } from './make';

type Place = [page: number, anchor: string | null];

/** A name of all scripts, and no property of the window. */
declare const Search: {
  htmlToText: (html: string, anchor?: string) => string;
  _performSearch: (query: string, ...words: unknown[]) => unknown[];
  _index: { docnames: string[]; alltitles: Record<string, Place[]>; indexentries: Record<string, Place[]> };
  status: HTMLElement;
};

const NUMBER = /^[\d.]+ · /; // of a chapter, or of an exercise
const SHORT = 4; // letters: a word of fewer is near to too many

export function tidySearch(): void {
  if (typeof Search === 'undefined') return;
  const { htmlToText, _performSearch } = Search;
  // A formula stands in a page as MathML, with its source, and as letters.
  Search.htmlToText = (html, anchor) =>
    htmlToText(html.replace(/<span class="katex-mathml">.*?<\/math><\/span>/gs, ''), anchor);
  Search._performSearch = (query, ...words) => {
    const found = _performSearch(query, ...words);
    if (!found.length) offerNearest(query);
    return found;
  };
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
