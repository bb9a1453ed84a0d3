/** Other recordings in a figure's place: of the same lab under other settings. Only what was recorded
 * is there to choose. */
import { offerLevels } from './levels';
import { data, make } from './make';
import { bringToLife } from './recorded';

/** Written by labs/recordings/replay.py. */
interface Others {
  here: string; // what the page's own figure is of
  others: { label: string; html: string }[];
}

export function offerSwitch(script: Element): void {
  const found = data<Others>(script);
  const own = script.parentElement?.querySelector<HTMLElement>(':scope > figure.wt-recorded');
  if (!found || !own) return;
  const places: [HTMLElement, ...HTMLElement[]] = [own];
  const select = make('select', {}, make('option', {}, found.here));
  for (const { label, html } of found.others) {
    select.append(make('option', {}, label));
    places.push(make('div', { class: 'wt-other', 'data-html': html }));
  }
  select.addEventListener('change', () => {
    const chosen = places[select.selectedIndex]!;
    if (!chosen.isConnected) {
      own.after(chosen);
      fill(chosen);
    }
    for (const place of places) place.hidden = place !== chosen;
  });
  own.before(make('label', { class: 'wt-switch' }, 'Recorded run ', select));
}

function fill(place: HTMLElement): void {
  place.innerHTML = place.dataset.html!; // the build's own
  delete place.dataset.html;
  place.append(make('p', { class: 'wt-own' }, 'What follows is about this page’s own run.'));
  place.querySelectorAll<HTMLElement>('figure.wt-recorded').forEach(bringToLife);
  place.querySelectorAll('script.wt-levels').forEach(offerLevels);
}
