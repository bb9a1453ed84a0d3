/** What can be turned in a scene, and its steps. Times in seconds here, as in the page. */
import { seconds, short, some } from './say';

export type Name = keyof typeof PARAMETERS;
export type Values = Record<Name, number>;

/** 1, 2, … most. */
export const upTo = (most: number) => Array.from({ length: most }, (_, index) => index + 1);

const CROWDS = [
  ...upTo(10),
  ...[12, 14, 16, 20, 24, 28, 32, 36, 40, 44, 48, 50, 56, 60, 64, 70, 80, 90, 96, 100, 110, 120, 128],
  ...[150, 180, 200, 256],
];

const HELD = [0, 0.001, 0.002, 0.003, 0.004, 0.005, 0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.08, 0.1, 0.2];

/** `without`: its value where a page says nothing. */
const row = (label: string, letter: string, without: number, steps: number[], say = short) => ({
  ...{ label, letter, without, steps, say },
});

export const PARAMETERS = {
  users: row('users', 'N', 0, CROWDS),
  think: row('think time', 'Z', 0, [0, 0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10], seconds),
  rate: row('arrivals a second', 'λ', 0, [0, 1, 2, 5, 8, 10, 12, 14, 15, 16, 18, 20, 24, 28, 32, 40, 50, 60, 80, 100]),
  cpu: row('CPU time', 'D', 0, [0, 0.001, 0.002, 0.003, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2], seconds),
  wait: row('wait', 'V', 0, [0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.18, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2], seconds),
  cores: row('cores', 'c', 1, [...upTo(8), 10, 12, 16]),
  workers: row('workers', 'W', 1, CROWDS),
  places: row('places in line', '', 2048, [0, 1, 2, 4, 8, 12, 16, 17, 24, 32, 48, 64, 128, 256, 512, 1024, 2048]),
  request: row('request', '', 1, upTo(8)),
  leaves: row('leaves at', '', 0, [0, ...upTo(120)].map((tenth) => tenth / 10), (value) => `${value.toFixed(1)} s`),
  lanes: row('requests', 'N', 4, [...upTo(10), 12]),
  call: row('blocking call', '', 0, [0.1, 0.2, 0.3, 0.5, 1, 2], seconds),
  racers: row('threads', '', 2, [2, 3, 4]),
  rounds: row('additions of each', '', 1, upTo(3)),
  lock: row('lock', '', 0, [0, 1, 2], (value) => ['none', 'short', 'long'][value]!),
  processes: row('processes', 'P', 1, [1, 2, 3, 4, 6, 8, 12, 16]),
  threads: row('threads in each', 'T', 1, CROWDS),
  preload: row('preload', '', 0, [0, 1], (value) => (value > 0 ? 'yes' : 'no')),
  written: row('pages written', '', 1, [0, 1, 2, 3, 5, 10, 20]),
  memory: row('the machine', '', 552, [276, 552, 1104]),
  first: row('workers at first', '', 5, [1, 2, 5, 10, 20, 40, 50, 60, 70, 80, 100, 128, 160, 200, 256]),
  limit: row('workers at most', '', 256, CROWDS),
  within: row('all come within', '', 0, [0, 1, 2, 5, 10, 20, 30, 40, 60, 90, 120], seconds),
  way: row('way there', '', 0, [0, 0.0001, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15], seconds),
  ahead: row('ahead in line', '', 0, [0, 1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 75, 100, 150, 200]),
  others: row('others computing', '', 0, [0, ...upTo(8), 10, 15, 20, 30, 50, 99]),
  late: row('client busy', '', 0, [0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5], seconds),
  locked: row('lock held', '', 0, HELD, seconds),
  query: row('query', '', 0, HELD, seconds),
  connections: row('connections', '', 1, CROWDS),
  disk: row('write to disk', '', 0, HELD, seconds),
  requests: row('requests each', 'n', 10, [5, 10, 20, 50, 100, 200, 500, 1000, 1100, 1200, 1500, 2000]),
  mean: row('mean', '', 1, [], seconds),
  apart: row('true difference', '', 0, [0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5], seconds),
  deviation: row('standard deviation', 'σ', 0.3, [0.01, 0.03, 0.1, 0.2, 0.3, 0.4], seconds),
  variation: row('times vary by', '', 1, [0, 0.25, 0.5, 0.75, 1]),
  window: row('averaged over', '', 1, [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10], seconds),
  quota: row('quota', '', 0, [0.13, 0.2, 0.5, 1, 1.5, 2, 2.5, 3, 4, 6, 8], (cores) => some(cores, 'core')),
  pair: row('a pair does', '', 2, [1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.75, 2]),
};

export const NAMES = Object.keys(PARAMETERS) as Name[];

/** From a page's options; the directive has checked them. */
export function read(option: (name: string) => string | null): Values {
  const values = {} as Values;
  for (const name of NAMES) values[name] = Number(option(name) ?? PARAMETERS[name].without);
  return values;
}

/** The steps of a slider, with the value that the page begins with. */
export function stepsWith(name: Name, value: number): number[] {
  return [...new Set([...PARAMETERS[name].steps, value])].sort((a, b) => a - b);
}
