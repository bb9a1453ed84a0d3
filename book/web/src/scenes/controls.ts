/** Real buttons and inputs, which every keyboard, finger and screen reader knows. */
import { PARAMETERS, stepsWith, type Name } from './parameters';

type Child = Node | string;

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  about: Record<string, string> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(about)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

export function button(label: string, pressed: () => void): HTMLButtonElement {
  const made = element('button', { type: 'button' }, label);
  made.addEventListener('click', pressed);
  return made;
}

export interface Slider {
  node: HTMLElement;
  show(value: number): void;
}

/** A slider over the steps of a parameter, with its value beside it. */
export function slider(name: Name, value: number, turned: (value: number) => void): Slider {
  const { label, letter, say } = PARAMETERS[name];
  const steps = stepsWith(name, value);
  const input = element('input', { type: 'range', min: '0', max: String(steps.length - 1), step: '1' });
  const output = element('b', { 'aria-hidden': 'true' }); // the slider says it itself
  const show = (now: number) => {
    let at = 0;
    for (let i = 1; i < steps.length; i += 1) {
      if (Math.abs(steps[i]! - now) < Math.abs(steps[at]! - now)) at = i;
    }
    input.value = String(at);
    output.textContent = say(steps[at]!);
    input.setAttribute('aria-valuetext', say(steps[at]!));
  };
  show(value);
  input.addEventListener('input', () => {
    const now = steps[Number(input.value)]!;
    show(now);
    turned(now);
  });
  const words = element('span', {}, label);
  if (letter) words.append(' ', element('i', {}, letter));
  return { node: element('label', { class: 'wt-scene-slider' }, words, input, output), show };
}

export function select(
  label: string,
  options: [value: string, words: string][],
  value: string,
  chosen: (value: string) => void,
): HTMLElement {
  const made = element('select');
  for (const [each, words] of options) {
    const option = element('option', { value: each }, words);
    option.selected = each === value;
    made.append(option);
  }
  made.addEventListener('change', () => chosen(made.value));
  return element('label', { class: 'wt-scene-choice' }, label, ' ', made);
}

/** A button that is held down: by finger, mouse, space bar or Enter. */
export function hold(label: string, held: (down: boolean) => void): HTMLButtonElement {
  const made = element('button', { type: 'button', class: 'wt-scene-hold' }, label);
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
  const key = (event: KeyboardEvent) => event.key === ' ' || event.key === 'Enter';
  made.addEventListener('keydown', (event) => {
    if (key(event)) {
      event.preventDefault();
      set(true);
    }
  });
  made.addEventListener('keyup', (event) => {
    if (key(event)) set(false);
  });
  // A screen reader's or a voice's press comes as a click and nothing else.
  made.addEventListener('click', (event) => {
    if (event.detail === 0) {
      set(true);
      set(false);
    }
  });
  return made;
}
