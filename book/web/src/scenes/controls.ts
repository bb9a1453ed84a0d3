/** Real buttons and inputs, which every keyboard, finger and screen reader knows. */
import { make } from '../make';
import { PARAMETERS, stepsWith, type Name } from './parameters';

export function button(label: string, pressed: (event: MouseEvent) => void): HTMLButtonElement {
  const made = make('button', { type: 'button' }, label);
  made.addEventListener('click', pressed);
  return made;
}

/** Says it in the text that is there. A new one would be laid out anew, and be news to all who watch
 * the page for new parts: the theme then measures whatever in it scrolls. */
export function say(node: Node, words: string): void {
  const there = node.firstChild as Text | null;
  if (!there) node.textContent = words;
  else if (there.data !== words) there.data = words;
}

/** A slider over the steps of a parameter, with its value beside it; and what shows another value. */
export function slider(name: Name, value: number, turned: (value: number) => void) {
  const { label, letter, say: told } = PARAMETERS[name];
  const steps = stepsWith(name, value);
  const input = make('input', { type: 'range', max: `${steps.length - 1}` });
  const output = make('b', { 'aria-hidden': 'true' }); // the slider says it itself
  const show = (now: number) => {
    const near = steps.reduce((best, each) => (Math.abs(each - now) < Math.abs(best - now) ? each : best));
    input.value = `${steps.indexOf(near)}`;
    const words = told(near);
    say(output, words);
    input.setAttribute('aria-valuetext', words);
  };
  show(value);
  input.addEventListener('input', () => {
    const now = steps[Number(input.value)]!;
    show(now);
    turned(now);
  });
  const words = make('span', {}, label);
  if (letter) words.append(' ', make('i', {}, letter));
  return { node: make('label', { class: 'wt-scene-slider' }, words, input, output), show };
}

export function select(
  label: string,
  options: [value: string, words: string][],
  value: string,
  chosen: (value: string) => void,
): HTMLElement {
  const made = make('select', {}, ...options.map(([each, words]) => new Option(words, each, false, each === value)));
  made.addEventListener('change', () => chosen(made.value));
  return make('label', { class: 'wt-scene-choice' }, label, ' ', made);
}

/** A button that is held down: by finger, mouse, space bar or Enter. */
export function hold(label: string, held: (down: boolean) => void): HTMLButtonElement {
  // A screen reader's or a voice's press comes as a click and nothing else.
  const made = button(label, (event) => {
    if (event.detail > 0) return;
    set(true);
    set(false);
  });
  made.classList.add('wt-scene-hold');
  let down = false;
  const set = (now: boolean) => {
    if (now === down) return;
    down = now;
    made.toggleAttribute('data-down', down);
    held(down);
  };
  made.addEventListener('pointerdown', (event) => {
    if (event.button === 0) set(true);
  });
  for (const end of ['pointerup', 'pointercancel', 'pointerleave', 'blur']) {
    made.addEventListener(end, () => set(false));
  }
  made.addEventListener('contextmenu', (event) => event.preventDefault());
  for (const way of ['keydown', 'keyup'] as const) {
    made.addEventListener(way, (event) => {
      if (event.key !== ' ' && event.key !== 'Enter') return;
      if (way === 'keydown') event.preventDefault();
      set(way === 'keydown');
    });
  }
  return made;
}
