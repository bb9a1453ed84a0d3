/** What can be turned in a scene, and its steps. Times in seconds here, as in the page. */
export type Name = keyof typeof PARAMETERS;
export type Values = Record<Name, number>;

interface Parameter {
  label: string;
  letter: string;
  without: number; // where a page says nothing
  steps: number[];
  say: (value: number) => string;
}

/** Three digits, more for whole numbers that have more: 0.0203, 318, 1267. */
export function short(value: number): string {
  if (!Number.isFinite(value)) return '∞';
  if (Math.abs(value) >= 100) return String(Math.round(value));
  return String(Number(value.toPrecision(3)));
}

export function seconds(value: number): string {
  if (!Number.isFinite(value)) return '∞';
  return value > 0 && value < 0.9995 ? `${short(1000 * value)} ms` : `${short(value)} s`;
}

const CROWDS = [
  1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 24, 28, 32, 36, 40, 44, 48, 50, 56, 60, 64, 70, 80,
  90, 96, 100, 110, 120, 128, 150, 180, 200, 256,
];

const HELD = [0, 0.001, 0.002, 0.003, 0.004, 0.005, 0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.08, 0.1, 0.2];

export const PARAMETERS = {
  users: { label: 'users', letter: 'N', without: 0, steps: CROWDS, say: short },
  think: {
    ...{ label: 'think time', letter: 'Z', without: 0, say: seconds },
    steps: [0, 0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10],
  },
  rate: {
    ...{ label: 'arrivals a second', letter: 'λ', without: 0, say: short },
    steps: [0, 1, 2, 5, 8, 10, 12, 14, 16, 18, 20, 24, 28, 32, 40, 50, 60, 80, 100],
  },
  cpu: {
    ...{ label: 'CPU time', letter: 'D', without: 0, say: seconds },
    steps: [0, 0.001, 0.002, 0.003, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2],
  },
  wait: {
    ...{ label: 'wait', letter: 'V', without: 0, say: seconds },
    steps: [0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.18, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2],
  },
  cores: {
    ...{ label: 'cores', letter: 'c', without: 1, say: short },
    steps: [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16],
  },
  workers: { label: 'workers', letter: 'W', without: 1, steps: CROWDS, say: short },
  places: {
    ...{ label: 'places in line', letter: '', without: 2048, say: short },
    steps: [0, 1, 2, 4, 8, 12, 16, 17, 24, 32, 48, 64, 128, 256, 512, 1024, 2048],
  },
  request: { label: 'request', letter: '', without: 1, steps: [1, 2, 3, 4, 5, 6, 7, 8], say: short },
  leaves: {
    ...{ label: 'leaves at', letter: '', without: 0, say: (value: number) => `${value.toFixed(1)} s` },
    steps: Array.from({ length: 121 }, (_, tenth) => tenth / 10),
  },
  lanes: {
    ...{ label: 'requests', letter: 'N', without: 4, say: short },
    steps: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12],
  },
  call: {
    ...{ label: 'blocking call', letter: '', without: 0, say: seconds },
    steps: [0.1, 0.2, 0.3, 0.5, 1, 2],
  },
  racers: { label: 'threads', letter: '', without: 2, steps: [2, 3, 4], say: short },
  rounds: { label: 'additions of each', letter: '', without: 1, steps: [1, 2, 3], say: short },
  lock: {
    ...{ label: 'lock', letter: '', without: 0, steps: [0, 1, 2] },
    say: (value: number) => ['none', 'short', 'long'][value]!,
  },
  processes: {
    ...{ label: 'processes', letter: 'P', without: 1, say: short },
    steps: [1, 2, 3, 4, 6, 8, 12, 16],
  },
  threads: { label: 'threads in each', letter: 'T', without: 1, steps: CROWDS, say: short },
  preload: {
    ...{ label: 'preload', letter: '', without: 0, steps: [0, 1] },
    say: (value: number) => (value > 0 ? 'yes' : 'no'),
  },
  written: {
    ...{ label: 'pages written', letter: '', without: 1, say: short },
    steps: [0, 1, 2, 3, 5, 10, 20],
  },
  memory: {
    ...{ label: 'the machine', letter: '', without: 552, say: short },
    steps: [276, 552, 1104],
  },
  first: {
    ...{ label: 'workers at first', letter: '', without: 5, say: short },
    steps: [1, 2, 5, 10, 20, 40, 50, 60, 70, 80, 100, 128, 160, 200, 256],
  },
  limit: { label: 'workers at most', letter: '', without: 256, steps: CROWDS, say: short },
  within: {
    ...{ label: 'all come within', letter: '', without: 0, say: seconds },
    steps: [0, 1, 2, 5, 10, 20, 30, 40, 60, 90, 120],
  },
  way: {
    ...{ label: 'way there', letter: '', without: 0, say: seconds },
    steps: [0, 0.0001, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15],
  },
  ahead: {
    ...{ label: 'ahead in line', letter: '', without: 0, say: short },
    steps: [0, 1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 75, 100, 150, 200],
  },
  others: {
    ...{ label: 'others computing', letter: '', without: 0, say: short },
    steps: [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 15, 20, 30, 50, 99],
  },
  late: {
    ...{ label: 'client busy', letter: '', without: 0, say: seconds },
    steps: [0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5],
  },
  locked: { label: 'lock held', letter: '', without: 0, steps: HELD, say: seconds },
  query: { label: 'query', letter: '', without: 0, steps: HELD, say: seconds },
  connections: { label: 'connections', letter: '', without: 1, steps: CROWDS, say: short },
  disk: { label: 'write to disk', letter: '', without: 0, steps: HELD, say: seconds },
  requests: {
    ...{ label: 'requests each', letter: 'n', without: 10, say: short },
    steps: [5, 10, 20, 50, 100, 200, 500, 1000, 1100, 1200, 1500, 2000],
  },
  mean: { label: 'mean', letter: '', without: 1, steps: [], say: seconds },
  apart: {
    ...{ label: 'true difference', letter: '', without: 0, say: seconds },
    steps: [0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5],
  },
  deviation: {
    ...{ label: 'standard deviation', letter: 'σ', without: 0.3, say: seconds },
    steps: [0.01, 0.03, 0.1, 0.2, 0.3, 0.4],
  },
  window: {
    ...{ label: 'averaged over', letter: '', without: 1, say: seconds },
    steps: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10],
  },
  quota: {
    ...{ label: 'quota', letter: '', without: 0, say: (cores) => `${cores} cores` },
    steps: [0.5, 1, 1.5, 2, 2.5, 3, 4, 6, 8],
  },
  pair: {
    ...{ label: 'a pair does', letter: '', without: 2, say: short },
    steps: [1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.75, 2],
  },
} satisfies Record<string, Parameter>;

export const NAMES = Object.keys(PARAMETERS) as Name[];

/** From the attributes of a page's element. What is no number is told, not guessed. */
export function read(element: Element): Values {
  const values = {} as Values;
  for (const name of NAMES) {
    const text = element.getAttribute(name);
    const value = text === null ? PARAMETERS[name].without : Number(text);
    if (!(value >= 0)) throw new Error(`${name}="${text}": no number from 0 on.`);
    values[name] = value;
  }
  return values;
}

/** The steps of a slider, with the value that the page begins with. */
export function stepsWith(name: Name, value: number): number[] {
  return [...new Set([...PARAMETERS[name].steps, value])].sort((a, b) => a - b);
}
