/** The line at the top of a page with labs: whether they are live, in words. */

export type State = 'static' | 'starting' | 'live' | 'silent' | 'lost';

export const STARTING = 'Starting Python. What is shown stays until the labs are ready.';

export interface Remedy {
  label: string;
  run: () => void;
}

export class StatusLine {
  readonly #node = document.createElement('div');
  readonly #words = document.createElement('span');
  readonly #button = document.createElement('button');
  #remedy: Remedy | undefined;

  constructor(article: Element) {
    this.#node.className = 'wt-status';
    this.#words.setAttribute('role', 'status');
    this.#words.tabIndex = -1; // for who pressed the button, when it goes
    this.#button.type = 'button';
    this.#button.addEventListener('click', () => this.#remedy?.run());
    this.#node.append(this.#words, this.#button);
    const title = article.querySelector('h1');
    if (title) title.after(this.#node);
    else article.prepend(this.#node);
  }

  /** A way on, after the words; until something else is shown. */
  lead(words: string, address: string): void {
    const link = document.createElement('a');
    link.href = address;
    link.textContent = words;
    this.#words.append(' ', link);
  }

  /** `state` is for the style sheet and the tests, `words` for the reader. */
  show(state: State, words: string, remedy?: Remedy): void {
    const pressed = document.activeElement === this.#button;
    this.#node.dataset.state = state;
    this.#words.textContent = words;
    this.#remedy = remedy;
    this.#button.textContent = remedy?.label ?? '';
    this.#button.hidden = !remedy;
    if (pressed && !remedy) this.#words.focus({ preventScroll: true });
    document.documentElement.dataset.labs = state; // dims panels that cannot answer
  }
}
