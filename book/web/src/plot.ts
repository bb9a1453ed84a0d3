/** Draws a figure as the page looks: its colours, its letters, its width. The only place that
 * calls plotly, so a recorded figure and a live one cannot differ. */
import { asOnePicture } from './heard';
import { onTheme } from './themes';

/** A plotly figure. `layout.meta.narrow` holds what to change on a telephone. */
export interface Figure {
  data: object[];
  layout?: Record<string, unknown>;
}

export interface Plotly {
  react(node: HTMLElement, data: object[], layout: object, config: object): Promise<unknown>;
  purge(node: HTMLElement): void;
}

const NARROW_PX = 560; // below this two plots side by side are too small to read

const CONFIG = {
  responsive: false, // the ResizeObserver below does it, also inside a panel
  displaylogo: false,
  modeBarButtons: [['toImage', 'resetScale2d']],
};

/** What is on display, and for which width it was drawn. */
interface Drawn {
  plotly: Plotly;
  figure: Figure;
  width: number;
}

const drawn = new Map<HTMLElement, Drawn>();

/** Draws, or redraws what changed. Follows the theme and the width until `forget`. */
export async function draw(plotly: Plotly, node: HTMLElement, figure: Figure): Promise<void> {
  node.hidden = figure.data.length === 0; // axes without anything on them say nothing
  const known = drawn.has(node);
  drawn.set(node, { plotly, figure, width: node.clientWidth });
  if (!known) widths.observe(node);
  if (node.clientWidth === 0) return; // not on the page yet: the observer draws it when it is
  await plotly.react(node, figure.data, layoutFor(node, figure), CONFIG);
  asOnePicture(node);
  node.dataset.drawn = String(figure.data.length);
}

/** Another figure in the place of one that is on display, or is about to be; else nothing. */
export async function drawInstead(node: HTMLElement, figure: Figure): Promise<void> {
  const known = drawn.get(node);
  if (known) await draw(known.plotly, node, figure);
}

export function forget(node: HTMLElement): void {
  widths.unobserve(node);
  drawn.get(node)?.plotly.purge(node);
  drawn.delete(node);
}

function layoutFor(node: HTMLElement, figure: Figure): object {
  const { template, width, ...layout } = structuredClone(figure.layout ?? {});
  const narrow = (layout.meta as { narrow?: object } | undefined)?.narrow;
  const fitted = narrow && node.clientWidth < NARROW_PX ? merge(layout, narrow) : layout;
  return { dragmode: false, uirevision: 'kept', ...fitted, autosize: true, template: theme(node) };
}

/** What a figure does not say itself. Read from the page, whatever its theme is. */
function theme(node: HTMLElement): object {
  const style = getComputedStyle(node);
  const text = style.color;
  const faint = (percent: number) => `color-mix(in srgb, ${text} ${percent}%, transparent)`;
  const grid = rgba(node, faint(14));
  const axis = {
    automargin: true,
    gridcolor: grid,
    linecolor: rgba(node, faint(45)),
    tickcolor: rgba(node, faint(45)),
    showline: true,
    ticks: 'outside',
    ticklen: 4,
    zeroline: false,
    title: { standoff: 8 },
  };
  return {
    layout: {
      font: { family: style.fontFamily, size: 13, color: text },
      paper_bgcolor: 'rgba(0,0,0,0)',
      plot_bgcolor: 'rgba(0,0,0,0)',
      xaxis: axis,
      yaxis: axis,
      margin: { l: 56, r: 16, t: 32, b: 48 },
      legend: { bgcolor: 'rgba(0,0,0,0)' },
      hoverlabel: { bgcolor: background(node), bordercolor: grid, font: { color: text } },
      modebar: { bgcolor: 'rgba(0,0,0,0)', color: rgba(node, faint(45)), activecolor: text },
    },
  };
}

/** Plotly knows no color-mix: let the browser compute it. */
function rgba(node: HTMLElement, colour: string): string {
  const probe = document.createElement('span');
  probe.style.color = colour;
  node.append(probe);
  const found = getComputedStyle(probe).color; // color(srgb 0.2 0.2 0.2 / 0.14)
  probe.remove();
  const parts = found.match(/^color\(srgb ([\d.]+) ([\d.]+) ([\d.]+)(?: \/ ([\d.]+))?\)$/);
  if (!parts) return found;
  const [r, g, b] = parts.slice(1, 4).map((part) => Math.round(Number(part) * 255));
  return `rgba(${r},${g},${b},${parts[4] ?? 1})`;
}

function background(node: HTMLElement): string {
  for (let at: HTMLElement | null = node; at; at = at.parentElement) {
    const colour = getComputedStyle(at).backgroundColor;
    if (colour && colour !== 'transparent' && colour !== 'rgba(0, 0, 0, 0)') return colour;
  }
  return '#ffffff';
}

/** `changes` over `base`, object by object. */
function merge(base: object, changes: object): object {
  const merged: Record<string, unknown> = { ...base };
  for (const [key, change] of Object.entries(changes)) {
    const before = merged[key];
    merged[key] = isObject(change) && isObject(before) ? merge(before, change) : change;
  }
  return merged;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function redraw(node: HTMLElement): void {
  const { plotly, figure } = drawn.get(node)!;
  void draw(plotly, node, figure);
}

const widths = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const node = target as HTMLElement;
    const before = drawn.get(node);
    if (before && node.clientWidth > 0 && node.clientWidth !== before.width) redraw(node);
  }
});

onTheme(() => {
  requestAnimationFrame(() => {
    for (const node of drawn.keys()) redraw(node);
  });
});
