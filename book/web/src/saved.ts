/** What a recording that was saved as JSON has for a page to draw, whoever wrote the file. It is
 * refused in a sentence, or all of it is taken for the numbers and the text that it is. */
import { Refused } from './make';
import { isObject, type Figure } from './plot';

/** As `Show.shown` of labs/kinds/show.py writes it. */
export interface Saved {
  lab: string;
  figure: Figure;
  alt: string;
  caption: string;
  said: string[];
  head: string[];
  rows: string[][];
}

export const MOST_BYTES = 8 * 2 ** 20; // ours have some hundred thousand
const DEEPEST = 12; // of lists in lists
const MOST_VALUES = 30_000; // numbers, texts and lists of the figure; ours have some thousands
const MOST_TRACES = 200;
const MOST_PARTS = 200; // shapes, words and ticks
const MOST = 1e15; // of a number: none that was measured is larger
const LONGEST = 4000; // letters of a text
const MOST_ROWS = 500;
const MOST_COLUMNS = 60;
const AGAIN = 'Save it again from a lab’s “Data” with “JSON”.';

const KINDS = ['scatter', 'bar'];
const OF_TRACE = /^(type|name|mode|[xy]|[xy]axis|error_[xy]|line|marker|fill(color|pattern)?|stackgroup|text(position)?|orientation|customdata|hover(info|template)|showlegend|legendgroup|cliponaxis)$/;
const OF_LAYOUT = /^([xy]axis\d?|title|height|margin|legend|annotations|shapes|bargap|barmode|hovermode)$/;
// Inside those. What plotly counts or repeats by (dtick), or formats by (tickformat), is in none: it may never end.
const INSIDE = /^(type|text|title|font|color|size|width|shape|dash|line|symbol|pattern|fillmode|thickness|symmetric|array(minus)?|anchor|automargin|autorange|category(array|order)|domain|nticks|range(mode)?|showgrid|tick(angle|s|text|vals)|standoff|showarrow|[xy](anchor|ref|shift|[01])?|orientation|side|traceorder|[lrtb])$/;
const BOUNDS: Record<string, readonly [number, number]> = {
  ...{ size: [2, 40], width: [0, 20], thickness: [0, 20], nticks: [0, 20], standoff: [0, 100], yshift: [-500, 500] },
  ...{ l: [0, 300], r: [0, 300], t: [0, 300], b: [0, 300], height: [100, 2500], bargap: [0, 1] }, // pixels, mostly
};
const WORDS: Record<string, RegExp> = {
  dash: /^(solid|(long)?dash(dot)?|dot)$/,
  type: /^(scatter|bar|linear|log|category|data|line|rect)$/,
  ...{ xaxis: /^x\d?$/, yaxis: /^y\d?$/ },
};
const PARTS = /^(shapes|annotations|tickvals|ticktext|categoryarray)$/;
const FORMAT = /%\{(\w+)(?!:\.\d~?[fg]\})[^}]*\}/g; // in a template: others than ours may ask for millions of letters
const TAG = /<(?!\/?(b|br|extra)>)/g; // of what plotly takes for HTML, what our figures use is left

type Fields = Record<string, unknown>;

/** Throws Refused, with what is wrong and what to do. */
export function saved(text: string): Saved {
  const file = parsed(text);
  if (!isObject(file) || typeof file.kind !== 'string') throw new Refused(`not a recording of a lab. ${AGAIN}`);
  const shown = file.shown;
  if (shown === undefined) {
    throw new Refused(`a recording that was saved without its figure, as it was done before. ${AGAIN}`);
  }
  if (!isObject(shown) || shown.version !== 1) throw new Refused(`of a version that this page cannot draw. ${AGAIN}`);
  const table = isObject(shown.table) ? shown.table : {};
  return {
    lab: words(shown.lab),
    figure: cleaned(shown.figure),
    alt: words(shown.alt),
    caption: words(shown.caption),
    said: list(shown.said, MOST_ROWS).map(words),
    head: list(table.head, MOST_COLUMNS).map(words),
    rows: list(table.rows, MOST_ROWS).map((row) => list(row, MOST_COLUMNS).map(words)),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refused(`not a file of JSON, or cut short. ${AGAIN}`); // or lists in lists without end
  }
}

/** Copies what is plain, and counts. */
function cleaned(figure: unknown): Figure {
  const { data, layout }: Fields = isObject(figure) ? figure : {};
  const isTrace = (trace: unknown) => isObject(trace) && KINDS.includes(trace.type as string);
  if (!Array.isArray(data) || !data.length || data.length > MOST_TRACES || !data.every(isTrace)) {
    throw new Refused(`its figure is none that a lab draws. ${AGAIN}`);
  }
  let values = 0;

  function layoutOf(layout: unknown): Fields {
    if (!isObject(layout)) return {};
    const kept = some(layout, OF_LAYOUT);
    const narrow = isObject(layout.meta) && layout.meta.narrow;
    return narrow ? { ...kept, meta: { narrow: layoutOf(narrow) } } : kept;
  }

  function some(fields: Fields, names: RegExp, depth = 0): Fields {
    const kept = Object.entries(fields).filter(([name]) => names.test(name));
    return Object.fromEntries(kept.map(([name, value]) => [name, plain(value, name, depth)]));
  }

  /** Without what is none, or too much, under that name. */
  function plain(value: unknown, name: string, depth: number): unknown {
    values += 1;
    const parts = Array.isArray(value) && PARTS.test(name) ? value.length : 0;
    if (depth > DEEPEST || values > MOST_VALUES || parts > MOST_PARTS) {
      throw new Refused(`its figure holds more than any lab’s. ${AGAIN}`);
    }
    if (Array.isArray(value)) return value.map((each) => plain(each, name, depth + 1));
    if (isObject(value)) return some(value, INSIDE, depth + 1);
    const bounds = BOUNDS[name];
    if (bounds) return typeof value === 'number' ? Math.min(bounds[1], Math.max(bounds[0], value)) : null;
    if (Math.abs(Number(value)) > MOST) return null; // also of text, which plotly reads as a number
    if (typeof value !== 'string') return value; // a number, a truth or nothing: JSON has no more
    if (WORDS[name] && !WORDS[name].test(value)) return null;
    return words(value).replace(TAG, '&lt;').replace(FORMAT, '%{$1}');
  }

  return { data: data.map((trace: Fields) => some(trace, OF_TRACE)), layout: layoutOf(layout) };
}

function list(value: unknown, most: number): unknown[] {
  return Array.isArray(value) ? value.slice(0, most) : [];
}

function words(value: unknown): string {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
