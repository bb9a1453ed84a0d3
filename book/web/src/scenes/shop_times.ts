/** How long things take in the shop: alike each time, or by chance. */
import type { Dice } from './dice';
import type { Values } from './parameters';
import type { Stage } from './scene';
import { SECOND, type Times } from './shop_model';

/** Whole microseconds. */
export const us = (seconds: number) => Math.round(seconds * SECOND);

/** Whether the page leaves times to chance, as it does unless it says otherwise. */
export const byChance = (stage: Stage) => stage.option('times') !== 'alike';

/** Times of a mean, as the page has them. */
export const drawn = (stage: Stage, dice: Dice) => (mean: number) => (byChance(stage) ? dice.exponential(mean) : mean);

/** Exponential times if `chance`, else constant ones; by what the values are when it is asked. */
export class RandomTimes implements Times {
  constructor(
    private values: Values,
    private dice: Dice,
    private chance: boolean,
  ) {}

  cpu(): number {
    const { cpu, wait, think } = this.values;
    // Something must take time, or a user would ask without end within one moment.
    return Math.max(this.#drawn(us(cpu)), wait + think > 0 && cpu === 0 ? 0 : 1);
  }

  wait(): number {
    return this.#drawn(us(this.values.wait));
  }

  think(): number {
    return this.#drawn(us(this.values.think));
  }

  gap(rate: number): number {
    return Math.max(1, this.#drawn(us(1 / rate)));
  }

  #drawn(mean: number): number {
    return this.chance && mean > 0 ? this.dice.exponential(mean) : mean;
  }
}
