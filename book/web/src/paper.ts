/** A page on paper is whole: nothing is folded, solutions stand at the end, and it is light. What
 * has no place there at all is left out by paper.css. setup/paper.js makes the PDF and the EPUB from
 * pages that have been prepared so. */
import { make } from './make';

const HEADINGS = 'h2, h3, h4';
let undo: (() => void)[] = [];

/** Before the browser prints a page, and afterwards the page as it was. */
export function preparePaper(): void {
  addEventListener('beforeprint', prepare);
  addEventListener('afterprint', () => {
    for (const back of undo.reverse()) back();
    undo = [];
  });
}

function prepare(): void {
  const article = document.querySelector<HTMLElement>('article.bd-article');
  if (!article || undo.length) return;
  const { dataset } = document.documentElement;
  const { theme } = dataset;
  if (theme === 'dark') {
    dataset.theme = 'light';
    undo.push(() => (dataset.theme = theme));
  }
  for (const details of article.querySelectorAll<HTMLDetailsElement>('details:not([open])')) {
    details.open = true;
    undo.push(() => (details.open = false));
  }
  moveSolutions(article);
}

/** Under a heading of their own, each below the name of its exercise. */
function moveSolutions(article: HTMLElement): void {
  const solutions = article.querySelectorAll<HTMLElement>('details.solution');
  if (solutions.length === 0) return;
  const end = make('section', { class: 'wt-solutions', id: 'wt-solutions' }, make('h2', {}, 'Solutions'));
  undo.push(() => end.remove());
  for (const solution of solutions) {
    const place = document.createComment('');
    solution.replaceWith(place);
    undo.push(() => place.replaceWith(solution));
    end.append(make('h3', {}, ...heading(place)), solution);
  }
  (article.querySelector(':scope > section') ?? article).append(end);
}

function heading(place: Node): Node[] {
  const found = place.parentElement?.closest('section')?.querySelector(HEADINGS);
  return [...(found?.childNodes ?? [])]
    .filter((node) => !(node instanceof Element && node.matches('.headerlink')))
    .map((node) => node.cloneNode(true));
}
