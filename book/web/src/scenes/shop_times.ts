/** How long things take in the shop: alike each time, or by chance. */
import type { Dice } from './dice';
import type { Values } from './parameters';
import type { Stage } from './scene';
import { SECOND, type Times } from './shop_model';

/** Whole microseconds. */
export const us = (seconds: number) => Math.round(seconds * SECOND);

/** Whether the page leaves times to chance, as it does unless it says otherwise. */
export const byChance = (stage: Stage) => stage.option('times') !== 'alike';

/** Times of a mean, by chance or all alike. */
export const drawn = (chance: boolean, dice: Dice) => (mean: number) =>
  chance && mean > 0 ? dice.exponential(mean) : mean;

/** Exponential times if `chance`, else constant ones; by what the values are when it is asked. */
export function randomTimes(values: Values, dice: Dice, chance: boolean): Times {
  const draw = drawn(chance, dice);
  return {
    // Something must take time, or a user would ask without end within one moment.
    cpu: () => Math.max(draw(us(values.cpu)), values.wait + values.think > 0 && values.cpu === 0 ? 0 : 1),
    wait: () => draw(us(values.wait)),
    think: () => draw(us(values.think)),
    gap: (rate) => Math.max(1, draw(us(1 / rate))),
  };
}
