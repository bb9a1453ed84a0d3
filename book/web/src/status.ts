/** The line at the top of a page with labs: whether they are live, in words. */

export type State = 'static' | 'starting' | 'live' | 'silent' | 'lost';

export const STARTING = 'Starting Python. What is shown stays until the labs are ready.';

export interface Remedy {
  label: string;
  run: () => void;
}

export class StatusLine {
  readonly #node: HTMLElement;
  readonly #words: HTMLElement;
  readonly #button: HTMLButtonElement;
  #remedy: Remedy | undefined;

  /** The one that the build has written into the article, so that nothing moves when it speaks. */
  constructor(article: Element) {
    this.#node = article.querySelector<HTMLElement>('.wt-status')!;
    this.#words = this.#node.querySelector('span')!;
    this.#words.tabIndex = -1; // for who pressed the button, when it goes
    this.#button = this.#node.querySelector('button')!;
    this.#button.addEventListener('click', () => this.#remedy?.run());
  }

  /** In the words that it has. */
  begin(state: State): void {
    this.#node.dataset.state = state;
    document.documentElement.dataset.labs = state; // dims panels that cannot answer
  }

  /** `state` is for the style sheet and the tests, `words` for the reader. */
  show(state: State, words: string, remedy?: Remedy): void {
    const pressed = document.activeElement === this.#button;
    this.begin(state);
    this.#words.textContent = words;
    this.#remedy = remedy;
    this.#button.textContent = remedy?.label ?? '';
    this.#button.hidden = !remedy;
    if (pressed && !remedy) this.#words.focus({ preventScroll: true });
  }
}
