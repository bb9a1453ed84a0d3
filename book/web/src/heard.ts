/** For who hears the page: a figure is one picture, and what a panel says is said as it comes. */
import { make } from './make';

const SAID_MS = 5_000; // words stay for as long: who reads the page through meets them once
const SPOKEN = '[role="status"]'; // as labs/present/markup.py has it
const PANELS = '.wt-panel, .wt-replay, .cell_output';

/** Hides what plotly has drawn, whose ticks would be read one by one: the figure's label says what it
 * shows, and its numbers stand in the panel's data. Plotly's buttons stay. */
export function asOnePicture(node: HTMLElement): void {
  const figure = node.closest('figure[aria-label]');
  if (!figure) return;
  for (const layer of node.querySelectorAll('svg.main-svg')) layer.setAttribute('aria-hidden', 'true');
  nameNumbers(figure);
}

/** Live, a widget that stays while its table comes and goes. */
export function nameNumbers(figure: Element): void {
  const panel = figure.closest(PANELS);
  const data = [...(panel?.querySelectorAll('.widget-html.wt-data') ?? [])].at(-1);
  const numbers = data ?? [...(panel?.querySelectorAll('details.wt-data') ?? [])].at(-1);
  if (!numbers) return;
  numbers.id ||= `wt-${Math.random().toString(36).slice(2)}`; // each figure's script is one of its own
  figure.setAttribute('aria-details', numbers.id);
}

/** What is to be read out arrives together with its words, and that is not heard: so the words are put
 * into a node that was there before. At once: also those that are there already. */
export function sayAloud(host: HTMLElement, aloud: HTMLElement, atOnce: boolean): void {
  const take = (root: Element) => [...(root.matches(SPOKEN) ? [root] : []), ...root.querySelectorAll(SPOKEN)];
  const hush = (spoken: Element) => {
    spoken.removeAttribute('role'); // or some would hear it twice
    return spoken;
  };
  const say = (spoken: Element) => {
    const words = make('div', {}, ...hush(spoken).cloneNode(true).childNodes);
    aloud.append(words);
    setTimeout(() => words.remove(), SAID_MS);
  };
  take(host).forEach(atOnce ? say : hush);
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) {
      for (const node of addedNodes) if (node instanceof Element) take(node).forEach(say);
    }
  }).observe(host, { subtree: true, childList: true });
}
