/** A recording that was saved in a lab, drawn in a page without Python: dropped on the page, or chosen.
 * The file stays with the reader; no server is asked. */
import { button, make, Refused, table } from './make';
import { draw, forget } from './plot';
import { MOST_BYTES, saved, type Saved } from './saved';

const ABOUT =
  'The JSON file that a lab saves, yours or somebody else’s: choose it, or drop it anywhere on this ' +
  'page. It is drawn here, and sent nowhere.';

/** Offers it in that element, and on the whole page for what is dropped; draws after the other one. */
export function offerDrawing(chooser: Element, before: Element): void {
  const said = make('p', { class: 'wt-said', role: 'status' });
  const place = make('section', { class: 'wt-saved', 'aria-label': 'Saved recordings' }, said);
  const file = make('input', { type: 'file', accept: '.json,application/json', hidden: true });
  const choose = button('Draw a saved recording', () => file.click());
  chooser.append(make('div', { class: 'wt-buttons' }, choose, file, make('span', { class: 'wt-of-files' }, ABOUT)));
  before.after(place);

  const take = async (files: Iterable<File>) => {
    for (const each of files) {
      try {
        if (each.size > MOST_BYTES) throw new Refused(`larger than ${MOST_BYTES / 2 ** 20} MiB, and no lab’s recording is.`);
        const drawn = await drawIn(place, saved(await each.text()));
        said.textContent = `${each.name} is drawn below.`;
        drawn.focus();
      } catch (reason) {
        if (!(reason instanceof Refused)) console.warn(reason);
        const why = reason instanceof Refused ? reason.message : 'its figure cannot be drawn.';
        said.textContent = `${each.name}: ${why}`;
        place.scrollIntoView({ block: 'nearest' });
      }
    }
  };
  file.addEventListener('change', () => {
    void take([...file.files!]);
    file.value = ''; // the same file may be chosen again
  });
  onDrop(() => (files) => void take([...files]));
}

/** Hands files that are dropped to whoever takes them there; elsewhere the browser leaves the page for them. */
export function onDrop(taker: (over: Element) => ((files: FileList) => void) | undefined): void {
  const taking = (event: DragEvent) =>
    event.dataTransfer?.types.includes('Files') ? taker(event.target as Element) : undefined;
  document.addEventListener('dragover', (event) => {
    if (taking(event)) event.preventDefault();
  });
  document.addEventListener('drop', (event) => {
    const take = taking(event);
    if (!take) return;
    event.preventDefault();
    take(event.dataTransfer!.files);
  });
}

/** All of it is text but for the figure, which plotly draws. */
async function drawIn(place: Element, { lab, figure, alt, caption, said, head, rows }: Saved): Promise<HTMLElement> {
  const plotly = await window.wallTime.plotly();
  const plot = make('div', { class: 'wt-plot' });
  const shown = make('figure', { class: 'wt-recorded', 'aria-label': alt }, plot);
  if (caption) shown.append(make('figcaption', {}, caption));
  const name = `Saved: ${lab}`;
  const node = make('section', { class: 'wt-drawing', tabindex: '-1', 'aria-label': name });
  const away = () => {
    forget(plot);
    node.remove();
  };
  node.append(make('p', {}, make('b', {}, name)), shown, ...said.map((sentence) => make('p', {}, sentence)));
  if (rows.length) node.append(make('details', {}, make('summary', {}, 'The numbers'), table(head, rows)));
  node.append(make('div', { class: 'wt-buttons' }, button('Take it away', away)));
  place.append(node);
  try {
    await draw(plotly, plot, figure);
  } catch (reason) {
    away();
    throw reason;
  }
  return node;
}
