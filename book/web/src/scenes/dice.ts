/** Random numbers that are the same on every machine: sfc32 (Chris Doty-Humphrey, PractRand 0.95),
 * seeded as PractRand does, with a counter of 1 and twelve numbers thrown away. */
export class Dice {
  #a = 0;
  #b: number;
  #c: number;
  #counter = 1;

  /** A seed is a whole number from 0 to 2^32 - 1. */
  constructor(seed: number) {
    this.#b = seed | 0;
    this.#c = 0;
    for (let i = 0; i < 12; i += 1) this.next();
  }

  /** The next 32 bits, 0 to 2^32 - 1. */
  next(): number {
    const out = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + out;
    this.#c |= 0;
    return out >>> 0;
  }

  /** Between 0 and 1, and never either: (bits + 1/2) / 2^32. */
  uniform(): number {
    return (this.next() + 0.5) / 4294967296;
  }

  /** Exponential with that mean, in whole microseconds. */
  exponential(mean: number): number {
    return Math.round(-mean * Math.log(this.uniform()));
  }

  /** Any of them, each as likely. */
  one<T>(of: T[]): T {
    return of[Math.floor(this.uniform() * of.length)]!;
  }
}
