/** Draws recorded figures and scenes as pictures, for setup/figures.py: what page.js would draw, by
 * the same plotly, as small SVG. Text and lines that take the page's colour say `currentColor`, so that one
 * picture serves light and dark. */
import { draw, forget, type Figure, type Plotly } from './plot';
import { still, type Asked } from './scenes/stills';
import { escaped } from './scenes/svg';

interface Wanted {
  figures: { mark: string; figure: Figure }[]; // marked as labs.present.html has it
  scenes: Asked[];
}

const WIDTHS = { wide: 650, narrow: 350 }; // pixels: an article beside its side bars, a telephone
const TEXT = 'rgb(1, 2, 3)'; // what the page of setup/figures.py sets: no figure's own colour
const FONT_SIZE = '13'; // as plot.ts has it

const UNSEEN = '.draglayer, .hoverlayer, .zoomlayer, .selectionlayer, .scrollbar, .legendtoggle';
const SHAPES = ['d', 'x', 'y', 'dx', 'dy', 'width', 'height', 'cx', 'cy', 'r', 'transform'];
const OF_PATTERNS = ['patternUnits', 'patternTransform'];
const LOOKS: Record<string, string> = { // and what each is where nothing says so
  fill: 'currentColor',
  'fill-opacity': '1',
  stroke: 'none',
  'stroke-opacity': '1',
  'stroke-width': '1',
  'stroke-dasharray': 'none',
  opacity: '1',
  'text-anchor': 'start',
  'font-size': FONT_SIZE,
  'font-weight': 'normal',
};

/** Writes one drawing. Ids begin with a prefix, since a page has several. */
class Writer {
  readonly #ids = new Map<string, string>();
  #definitions = '';

  constructor(private readonly prefix: string) {}

  picture(node: HTMLElement, mark: string, name: string): string {
    const layers = [...node.querySelectorAll('svg.main-svg')];
    const drawn = layers.map((layer) => this.#inside(layer)).join('');
    const { width, height } = layers[0]!.getBoundingClientRect();
    const definitions = this.#definitions && `<defs>${this.#definitions}</defs>`;
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" class="wt-${name}" data-figure="${mark}" ` +
      `data-axes='${axes(node)}' viewBox="0 0 ${Math.round(width)} ${Math.round(height)}" ` +
      `fill="currentColor" font-size="${FONT_SIZE}" aria-hidden="true">${definitions}${drawn}</svg>\n`
    );
  }

  #inside(node: Element): string {
    return [...node.childNodes].map((child) => this.#write(child)).join('');
  }

  #write(node: Node): string {
    if (node instanceof Text) return escaped(node.data);
    if (!(node instanceof SVGElement) || node.matches(UNSEEN)) return '';
    const tag = node.tagName;
    if (tag === 'defs' || tag === 'clipPath' || node.style.display === 'none') return '';
    const inside = this.#inside(node);
    if (['g', 'text', 'tspan', 'a'].includes(tag) ? !inside : !seen(node)) return '';
    const attributes = this.#attributes(node);
    if ((tag === 'g' || tag === 'a') && !attributes) return inside;
    return `<${tag}${attributes}${inside ? `>${inside}</${tag}` : '/'}>`;
  }

  #attributes(node: SVGElement): string {
    let text = '';
    for (const name of [...SHAPES, ...OF_PATTERNS]) {
      const value = node.getAttribute(name);
      if (value && !(node.tagName === 'g' && name !== 'transform')) {
        const rounded = round(value);
        if (rounded !== 'translate(0,0)') text += ` ${name}="${rounded}"`;
      }
    }
    const clip = /#([^'")]+)/.exec(node.getAttribute('clip-path') ?? '');
    // A legend's letters may be wider where the reader has others.
    if (clip && !node.matches('.scrollbox')) text += ` clip-path="url(#${this.#defined(clip[1]!)})"`;
    for (const [name, usual] of Object.entries(LOOKS)) {
      const value = this.#look(node, name);
      if (value && value !== usual) text += ` ${name}="${value}"`;
    }
    return text;
  }

  #look(node: SVGElement, name: string): string {
    const value = node.style.getPropertyValue(name) || node.getAttribute(name) || '';
    const pattern = /^url\(["']?[^#]*#([^'")]+)/.exec(value);
    if (pattern) return `url(#${this.#defined(pattern[1]!)})`;
    if (name === 'fill' || name === 'stroke') return colour(value);
    if (name.endsWith('opacity')) return value && String(Number(Number(value).toFixed(2)));
    if (name === 'stroke-dasharray') return round(value.replace(/px/g, '').replace(/, /g, ','));
    return round(value.replace(/px$/, ''));
  }

  /** The name here of a clip path or a pattern, which is written once. */
  #defined(id: string): string {
    const known = this.#ids.get(id);
    if (known) return known;
    const made = `${this.prefix}${this.#ids.size}`;
    this.#ids.set(id, made);
    const node = document.getElementById(id) as unknown as SVGElement;
    const inside =
      node.tagName === 'clipPath'
        ? [...node.children].map((child) => `<rect${this.#box(child)}/>`).join('')
        : this.#inside(node);
    const attributes = node.tagName === 'clipPath' ? '' : this.#attributes(node);
    this.#definitions += `<${node.tagName} id="${made}"${attributes}>${inside}</${node.tagName}>`;
    return made;
  }

  #box(rectangle: Element): string {
    const sides = ['x', 'y', 'width', 'height'];
    return sides.map((side) => ` ${side}="${round(rectangle.getAttribute(side) ?? '0')}"`).join('');
  }
}

/** Whether a shape leaves a trace. */
function seen(node: SVGElement): boolean {
  if (node.tagName === 'path' && !node.getAttribute('d')) return false;
  const of = (name: string, usual: string) =>
    node.style.getPropertyValue(name) || node.getAttribute(name) || usual;
  const clear = (value: string) => value === 'none' || /^rgba\(.*, 0\)$/.test(value);
  const filled = !clear(of('fill', 'black')) && Number(of('fill-opacity', '1')) > 0;
  const stroked =
    !clear(of('stroke', 'none')) && Number(of('stroke-opacity', '1')) > 0 && parseFloat(of('stroke-width', '1')) > 0;
  return Number(of('opacity', '1')) > 0 && (filled || stroked);
}

/** As short as it gets; the page's own for the sentinel. */
function colour(value: string): string {
  if (value === TEXT) return 'currentColor';
  const parts = /^rgb\((\d+), (\d+), (\d+)\)$/.exec(value);
  if (!parts) return value.replace(/, /g, ',').replace('rgba(1,2,3,', 'rgba(133,133,133,');
  return `#${parts.slice(1).map((part) => Number(part).toString(16).padStart(2, '0')).join('')}`;
}

/** A tenth of a pixel is fine enough. */
function round(text: string): string {
  return text.replace(/-?\d*\.\d+(?:e-?\d+)?/g, (number) => String(Number(Number(number).toFixed(1)) || 0));
}

/** Where numbers lie: of each axis its kind, first pixel, length in pixels, and range. */
function axes(node: HTMLElement): string {
  type Axis = { type: string; _offset: number; _length: number; range: [number, number] };
  const layout = (node as unknown as { _fullLayout: Record<string, Axis> })._fullLayout;
  const found: Record<string, (string | number)[]> = {};
  for (const name of ['x', 'y', 'x2', 'y2']) {
    const axis = layout[name.replace(/^./, '$&axis')];
    if (axis && ['linear', 'log'].includes(axis.type)) {
      const range = axis.range.map((end) => Number(end.toPrecision(6)));
      found[name] = [axis.type, Math.round(axis._offset), Math.round(axis._length), ...range];
    }
  }
  return JSON.stringify(found);
}

async function pictures({ figures, scenes }: Wanted, plotly: Plotly): Promise<Record<string, string>> {
  const made = Object.fromEntries(scenes.map((each) => [each.mark, still(each)]));
  await Promise.all(['13px', 'bold 13px'].map((font) => document.fonts.load(`${font} "Wall Time Sans"`, 'aµ')));
  for (const { mark, figure } of figures) {
    for (const [name, width] of Object.entries(WIDTHS)) {
      const node = document.createElement('div');
      node.style.width = `${width}px`;
      document.body.append(node);
      await draw(plotly, node, figure);
      made[`${mark} ${name}`] = new Writer(`p${mark.slice(0, 6)}${name[0]}`).picture(node, mark, name);
      forget(node);
      node.remove();
    }
  }
  return made;
}

async function main(): Promise<void> {
  const wanted = JSON.parse(document.getElementById('wanted')!.textContent!) as Wanted;
  const answer = document.createElement('pre');
  try {
    const made = JSON.stringify(await pictures(wanted, window.Plotly!));
    answer.textContent = encodeURIComponent(made); // no mark-up
    answer.id = 'pictures';
  } catch (reason) {
    answer.textContent = String((reason as Error).stack ?? reason);
    answer.id = 'problem';
  }
  document.body.replaceChildren(answer);
}

void main();
