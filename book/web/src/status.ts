/** The line at the top of a page with labs: whether they are live, in words. */

type State = 'static' | 'starting' | 'live' | 'silent' | 'lost';

export const STARTING = 'Starting Python. What is shown stays until the labs are ready.';

export type StatusLine = ReturnType<typeof statusLine>;

/** The one that the build has written into the article, so that nothing moves when it speaks. */
export function statusLine(article: Element) {
  const node = article.querySelector<HTMLElement>('.wt-status')!;
  const said = node.querySelector('span')!;
  const button = node.querySelector('button')!;
  let pressed: (() => void) | undefined;
  said.tabIndex = -1; // for who pressed the button, when it goes
  button.addEventListener('click', () => pressed?.());

  /** In the words that it has. */
  function begin(state: State): void {
    node.dataset.state = state;
    document.documentElement.dataset.labs = state; // dims panels that cannot answer
  }

  /** `state` is for the style sheet and the tests, `words` for the reader. */
  function show(state: State, words: string, remedy?: { label: string; run: () => void }): void {
    const focused = document.activeElement === button;
    begin(state);
    said.textContent = words;
    pressed = remedy?.run;
    button.textContent = remedy?.label ?? '';
    button.hidden = !remedy;
    if (focused && !remedy) said.focus({ preventScroll: true });
  }

  return { begin, show };
}
