/** What a page can ask of the reader at the shop: the words, and when it is done. */
import type { Values } from './parameters';
import type { Counted } from './shop';

interface Goal {
  words: string;
  reached: (counted: Counted, values: Values) => boolean;
}

export const GOALS: Record<string, Goal> = {
  'turned-away': {
    words: 'Send so many that one of them finds no place and is turned away.',
    reached: ({ refused }) => refused > 0,
  },
  'time-to-think': {
    words: 'Keep all 16 users, and let nobody wait longer than 100 ms on average.',
    reached: ({ enough, R }, { users }) => enough && users >= 16 && R <= 0.1,
  },
  'all-cores': {
    words: 'Find the fewest users that keep all four cores busy.',
    reached: ({ enough, busy }, { users, cores }) => enough && cores === 4 && busy > 0.98 && users <= 4,
  },
  'within-a-second': {
    words: 'Find the most users who are answered within a second.',
    reached: ({ enough, R }, { users }) => enough && users >= 90 && R < 1.05,
  },
  'fewest-cores': {
    words: 'Take cores away: how few still give these 256 users more than 1200 answers a second?',
    reached: ({ enough, X }, { users, cores }) => enough && users >= 256 && X > 1200 && cores <= 3,
  },
  'smallest-pool': {
    words: 'Find the smallest pool with which none of the 96 users stands in line.',
    reached: ({ enough, longest }, { users, workers }) =>
      enough && users >= 96 && workers <= 96 && longest === 0,
  },
  'everybody-in': {
    words: 'Let all 64 users in, without another worker.',
    reached: ({ enough, outside }, { users, workers }) =>
      enough && users >= 64 && workers <= 16 && outside === 0,
  },
  'hundred-a-second': {
    words: 'Find the smallest limit that serves 100 requests a second.',
    reached: ({ enough, X }, { workers }) => enough && X > 97 && workers <= 50,
  },
  'line-is-gone': {
    words: 'Let a line of 50 grow, then make it go away while 24 a second keep coming.',
    reached: ({ line, peak }, { rate }) => rate >= 24 && peak >= 50 && line === 0,
  },
  'cores-filled': {
    words: 'Find a pool of fewer than 50 workers that keeps the four cores 95 % busy.',
    reached: ({ enough, seconds, busy }, { workers, cores }) =>
      enough && seconds > 4 && cores === 4 && workers < 50 && busy > 0.945,
  },
};
