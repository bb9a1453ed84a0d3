/** Bets against measurements: a point for each, on axes that grow by factors, and the line on which
 * both are the same. */
import { make, svg } from './make';
import { digits, say } from './numbers';
import type { Foretold } from './progress_format';

type Bet = Foretold & { measured: number };

const SIDE = 300; // pixels of the plot
const LEFT = 64;
const ABOVE = 12;
const WIDTH = LEFT + SIDE + 16;
const HEIGHT = ABOVE + SIDE + 56;
const MOST_TICKS = 6;

/** The figure; nothing, where no bet has a place on its axes, which reach no further than that. */
export function scatter(all: Bet[], [least, most]: [number, number]): HTMLElement[] {
  const fits = (value: number) => value >= least && value <= most;
  const bets = all.filter(({ value, measured }) => fits(value) && fits(measured));
  if (!bets.length) return [];
  const powers = bets.flatMap(({ value, measured }) => [Math.log10(value), Math.log10(measured)]);
  const from = Math.floor(powers.reduce((least, power) => Math.min(least, power)));
  const to = Math.ceil(powers.reduce((most, power) => Math.max(most, power), from + 1));
  const along = (value: number) => ((Math.log10(value) - from) / (to - from)) * SIDE;
  const count = bets.length === 1 ? 'one bet' : `${bets.length} bets`;
  const said =
    `What was said against what was measured, for ${count}, both on logarithmic axes. ` +
    `Too high: ${bets.filter(({ value, measured }) => value > measured).length}. ` +
    `Too low: ${bets.filter(({ value, measured }) => value < measured).length}. The table has the numbers.`;
  const picture = svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': said });
  const plot = svg('g', { transform: `translate(${LEFT},${ABOVE})` });
  const step = Math.ceil((to - from) / MOST_TICKS);
  for (let power = from; power <= to; power += step) {
    const at = along(10 ** power);
    const label = digits(10 ** power);
    plot.append(
      svg('path', { d: `M${at},0V${SIDE}M0,${SIDE - at}H${SIDE}`, class: 'wt-grid' }),
      svg('text', { x: at, y: SIDE + 18, 'text-anchor': 'middle' }, label),
      svg('text', { x: -8, y: SIDE - at + 4, 'text-anchor': 'end' }, label),
    );
  }
  plot.append(
    svg('path', { d: `M0,${SIDE}L${SIDE},0`, class: 'wt-same' }),
    svg('text', { x: SIDE / 2, y: SIDE + 42, 'text-anchor': 'middle' }, 'you said (log scale)'),
    svg('text', { transform: `translate(-50,${SIDE / 2}) rotate(-90)`, 'text-anchor': 'middle' }, 'it was (log scale)'),
  );
  for (const bet of bets) {
    const { lab, unit, value, measured, band } = bet;
    const dot = svg('circle', { cx: along(value), cy: SIDE - along(measured), r: 5 });
    let name = `${lab}: you said ${say(value, unit)}, and it was ${say(measured, unit)}`;
    if (band) {
      const [low, high] = band.map((end) => SIDE - Math.min(SIDE, Math.max(0, along(end))));
      plot.append(svg('path', { d: `M${along(value)},${low}V${high}`, class: 'wt-band' }));
      name += `; the forecast’s band: ${digits(band[0])} to ${say(band[1], unit)}`;
    }
    dot.append(svg('title', {}, name));
    plot.append(dot);
  }
  picture.append(plot);
  const known = bets.flatMap(({ value, band }) => (band ? [value >= band[0] && value <= band[1]] : []));
  const inside = `Bets inside it: ${known.filter(Boolean).length} of ${known.length}.`;
  const around = known.length ? ` The bar around a point is the forecast’s band. ${inside}` : '';
  const caption = `Each point is a bet, in its own unit. On the dashed line you said what was measured.${around}`;
  return [make('figure', { class: 'wt-scatter' }, picture, make('figcaption', {}, caption))];
}
