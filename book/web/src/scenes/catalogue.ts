/** What a page may say of a scene, for labs/site/roles/scenes.json: the directive checks against it. */
import { BETS } from './bets';
import { ABOUT } from './kinds';
import { NAMES } from './parameters';
import type { Check } from './scene';

/** Of every scene. */
const OPTIONS: Record<string, Check> = {
  ...Object.fromEntries(NAMES.map((name) => [name, 'numbers'])),
  turn: NAMES, // those that have a slider
  goal: 'words', // of the scene's own
  bet: 'words', // a question before anything is shown
  'bet-on': Object.keys(BETS),
  times: ['chance', 'alike'],
  hold: 'numbers', // requests a second while the button is held
  slower: 'numbers', // times slower than life, at first
};

/** Of a scene that says nothing else. */
const USUAL = { columns: ['bound', 'model'], only: {}, goals: {}, options: {}, needs: {} };

export const CATALOGUE = {
  options: OPTIONS,
  scenes: Object.fromEntries(
    Object.entries(ABOUT).map(([name, about]) => [name, { ...USUAL, ...about }]),
  ),
};
