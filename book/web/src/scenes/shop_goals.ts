/** When what a page asks of the reader at the shop is done; its words stand in shop.ts. */
import type { Values } from './parameters';
import type { Counted } from './shop';

type Reached = (counted: Counted, values: Values) => boolean;

export const GOALS: Record<string, Reached> = {
  'turned-away': ({ refused }) => refused > 0,
  'time-to-think': ({ enough, R }, { users }) => enough && users >= 16 && R <= 0.1,
  'all-cores': ({ enough, busy }, { users, cores }) => enough && cores === 4 && busy > 0.98 && users <= 4,
  'within-a-second': ({ enough, R }, { users }) => enough && users >= 90 && R < 1.05,
  'fewest-cores': ({ enough, X }, { users, cores }) => enough && users >= 256 && X > 1200 && cores <= 3,
  'smallest-pool': ({ enough, longest }, { users, workers }) =>
    enough && users >= 96 && workers <= 96 && longest === 0,
  'everybody-in': ({ enough, outside }, { users, workers }) =>
    enough && users >= 64 && workers <= 16 && outside === 0,
  'hundred-a-second': ({ enough, X }, { workers }) => enough && X > 97 && workers <= 50,
  'line-is-gone': ({ line, peak }, { rate }) => rate >= 24 && peak >= 50 && line === 0,
  'cores-filled': ({ enough, seconds, busy }, { workers, cores }) =>
    enough && seconds > 4 && cores === 4 && workers < 50 && busy > 0.945,
};
