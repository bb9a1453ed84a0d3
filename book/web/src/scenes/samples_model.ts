/** Two tests of two servers, again and again, and what somebody concludes from each pair. Response
 * times are whole microseconds: mean + deviation · (the sum of twelve uniforms - 6), which is the
 * same to the last bit on every machine and nearly a bell. */
import type { Dice } from './dice';
import type { Values } from './parameters';

/** As the sliders say, in µs: the second server is slower than the mean, by so much. */
export type Setting = Pick<Values, 'requests' | 'mean' | 'apart' | 'deviation'>;

export interface Test {
  times: number[];
  mean: number;
  variance: number;
  half: number; // of its 95 % interval
}

export interface Pair {
  tests: [Test, Test];
  difference: number;
  half: number;
  claims: boolean; // the interval of the difference leaves 0 out
  wrong: boolean; // it claims what isn't so
}

const KEPT = 36;

export class Samples {
  pairs: Pair[] = []; // the last ones
  count = 0;
  misled = 0; // the slower one looked faster
  claimed = 0;
  wrong = 0;
  separate = 0; // the tests' own intervals don't overlap
  #sum = 0;
  #squares = 0;

  constructor(private dice: Dice) {}

  /** As if nothing had been counted; the dice go on. */
  forget(): void {
    this.pairs = [];
    this.count = this.misled = this.claimed = this.wrong = this.separate = this.#sum = this.#squares = 0;
  }

  /** How far the differences wavered: their standard deviation. */
  get wavered(): number {
    return Math.sqrt(Math.max(0, this.#squares - this.#sum ** 2 / this.count) / (this.count - 1));
  }

  pair({ requests, mean, apart, deviation }: Setting): Pair {
    const test = (middle: number): Test => {
      const times = Array.from({ length: requests }, () => {
        let twelve = -6;
        for (let i = 0; i < 12; i += 1) twelve += this.dice.uniform();
        return Math.max(1, Math.floor(middle + deviation * twelve + 0.5));
      });
      const average = times.reduce((all, each) => all + each, 0) / requests;
      const variance = times.reduce((all, each) => all + (each - average) ** 2, 0) / (requests - 1);
      return { times, mean: average, variance, half: student(requests - 1) * Math.sqrt(variance / requests) };
    };
    const tests: [Test, Test] = [test(mean), test(mean + apart)];
    const [one, other] = tests;
    const both = one.variance + other.variance;
    const freedom = ((requests - 1) * both ** 2) / (one.variance ** 2 + other.variance ** 2); // Welch
    const half = student(freedom) * Math.sqrt(both / requests);
    const difference = other.mean - one.mean;
    const claims = Math.abs(difference) > half;
    const wrong = claims && (apart === 0 || difference < 0);
    this.count += 1;
    this.misled += Number(difference < 0);
    this.claimed += Number(claims);
    this.wrong += Number(wrong);
    this.separate += Number(Math.abs(difference) > one.half + other.half);
    this.#sum += difference;
    this.#squares += difference ** 2;
    const made = { tests, difference, half, claims, wrong };
    this.pairs.push(made);
    if (this.pairs.length > KEPT) this.pairs.shift();
    return made;
  }
}

/** Student's t, two-sided 95 %: Abramowitz and Stegun 26.7.5; within 0.3 % from 4 degrees on. */
export function student(freedom: number): number {
  const z = 1.959964;
  const terms = [z, z ** 3 + z, 5 * z ** 5 + 16 * z ** 3 + 3 * z, 3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z];
  return terms.reduce((sum, term, index) => sum + term / [1, 4, 96, 384][index]! / freedom ** index, 0);
}

/** The part of a bell that lies below z: Abramowitz and Stegun 26.2.17. */
export function below(z: number): number {
  if (z < 0) return 1 - below(-z);
  const t = 1 / (1 + 0.2316419 * z);
  const polynomial = [1.330274429, -1.821255978, 1.781477937, -0.356563782, 0.31938153];
  return 1 - Math.exp((-z * z) / 2) * 0.39894228 * polynomial.reduce((sum, each) => (sum + each) * t, 0);
}

export const error = ({ deviation, requests }: Setting) => deviation * Math.sqrt(2 / requests);

/** How often the slower one looks faster. */
export const misled = (of: Setting) => below(-of.apart / error(of));

/** How often a difference is claimed: noncentral t, Abramowitz and Stegun 26.7.10. */
export function claimed(of: Setting): number {
  const freedom = 2 * of.requests - 2;
  const t = student(freedom);
  const z = of.apart / error(of);
  const beyond = (shift: number) => below((shift - t * (1 - 1 / (4 * freedom))) / Math.sqrt(1 + t ** 2 / (2 * freedom)));
  return beyond(z) + beyond(-z);
}
