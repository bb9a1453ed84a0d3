/** A sentence of a run leads to what *My numbers differ* says of it: its rows quote the sentences. */
import { make } from './make';

const PAGE = 'appendix/if-your-numbers-differ.html';
let rows: ReturnType<typeof readRows> | undefined;

/** Links the sentences of a run when the reader opens one of its folds. */
export function offerExplanations(): void {
  if (location.protocol === 'file:') return; // no page may read another there
  document.addEventListener('toggle', ({ target }) => {
    const fold = target as HTMLElement;
    const cell = fold.matches('.wt-data[open]') && fold.closest('.cell');
    if (cell) void link(cell);
  }, true);
}

async function link(cell: Element): Promise<void> {
  rows ??= readRows();
  const known = await rows.catch(() => (rows = undefined)) ?? [];
  for (const said of cell.querySelectorAll('p, li, .wt-reason div')) {
    const row = !said.querySelector('.wt-meaning') && known.find(({ parts }) => parts.every((part) => plain(said).includes(part)));
    if (row) said.append(' ', make('a', { class: 'wt-meaning', href: row.href, 'aria-label': 'What this means' }, '?'));
  }
}

/** What stands between the dots of each quotation, with its row's address; the longest first. */
async function readRows(): Promise<{ parts: string[]; href: string }[]> {
  const address = new URL(`${document.documentElement.dataset.content_root}${PAGE}`, location.href).href;
  const page = new DOMParser().parseFromString(await (await fetch(address)).text(), 'text/html');
  return [...page.querySelectorAll('td > p > [id^="said-"]')].flatMap(({ id, parentElement }) =>
    [...plain(parentElement!).matchAll(/“([^”]+)”/g)].map(([, said]) => (
      { parts: said!.split(/ ?…,? ?/), href: `${address}#${id}` })),
  ).sort((one, other) => other.parts.join('').length - one.parts.join('').length);
}

const plain = (node: Element) => node.textContent!.replace(/\s+/g, ' ').replace(/’/g, "'").toLowerCase();
