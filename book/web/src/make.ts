/** Elements, with what they say. */

/** Says to a reader what is wrong, and what to do. */
export class Refused extends Error {}

type Attributes = Record<string, string | boolean>;

export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...inside: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) node.setAttribute(name, '');
    else if (value !== false) node.setAttribute(name, value);
  }
  node.append(...inside);
  return node;
}

export function svg(tag: string, attributes: Record<string, string | number>, text = ''): SVGElement {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag) as SVGElement;
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  node.textContent = text;
  return node;
}

export function button(label: string, press: () => void, kind = 'wt-button'): HTMLButtonElement {
  const made = make('button', { type: 'button', class: kind }, label);
  made.addEventListener('click', press);
  return made;
}

/** Data that the build has written into the page. */
export function data<Kind>(node: Element | null): Kind | undefined {
  return node ? (JSON.parse(node.textContent!) as Kind) : undefined;
}

/** As wide as it needs to be, in a frame that scrolls. */
export function table(head: string[], rows: (Node | string)[][]): HTMLElement {
  const top = head.map((words) => (words ? make('th', { scope: 'col' }, words) : make('td')));
  const body = make('tbody');
  for (const cells of rows) body.append(make('tr', {}, ...cells.map((cell) => make('td', {}, cell))));
  const made = make('table', {}, make('thead', {}, make('tr', {}, ...top)), body);
  return make('div', { class: 'wt-wide-table', tabindex: '0', role: 'region', 'aria-label': head.filter(Boolean).join(', ') }, made);
}
