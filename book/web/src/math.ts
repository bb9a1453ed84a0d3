/** Sets the formulas of a page that were not set when the book was made (labs/site/build/formulas.py). */
import katex from 'katex';
import { make } from './make';

const { href } = new URL('math.css', (document.currentScript as HTMLScriptElement).src);
document.head.append(make('link', { rel: 'stylesheet', href }));

function set(node: HTMLElement): void {
  const number = node.querySelector('.eqno'); // Sphinx keeps it inside the formula's element
  number?.remove();
  const written = node.textContent!.trim();
  const inline = /^\\\(([^]*)\\\)$/.exec(written);
  const display = /^\\\[([^]*)\\\]$/.exec(written);
  const formula = inline?.[1] ?? display?.[1] ?? written;
  katex.render(formula, node, { displayMode: !inline, throwOnError: false, strict: false });
  if (number) node.append(number);
  nameColumn(node, written, formula);
}

/** A column's heading that is nothing but a formula has a name in letters, for those who hear it. */
function nameColumn(node: HTMLElement, written: string, formula: string): void {
  const cell = node.closest('th');
  if (!cell || node.parentElement!.childNodes.length > 1) return;
  const said = formula.replace(/\\cdot/g, '·').replace(/\\[a-z]+|[{}^_]/g, '').trim() || written;
  node.querySelector('.katex')?.setAttribute('aria-hidden', 'true');
  node.before(make('span', { class: 'visually-hidden' }, said));
}

function setAll(): void {
  // Sphinx writes settings for MathJax here, and ipywidgets would take them for MathJax itself.
  delete (window as { MathJax?: unknown }).MathJax;
  for (const node of document.querySelectorAll<HTMLElement>('.math')) {
    if (!node.querySelector('.katex')) set(node);
  }
}

if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', setAll);
else setAll();
