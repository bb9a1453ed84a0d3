/** A queue that is kept in order: the least first. The order must be total, or equal inputs may part ways. */
export class Queue<T> {
  #items: T[] = []; // the least last

  constructor(private before: (one: T, other: T) => boolean) {}

  get size(): number {
    return this.#items.length;
  }

  get top(): T | undefined {
    return this.#items.at(-1);
  }

  push(item: T): void {
    let from = 0;
    let to = this.size;
    while (from < to) {
      const middle = (from + to) >> 1;
      if (this.before(item, this.#items[middle]!)) from = middle + 1;
      else to = middle;
    }
    this.#items.splice(from, 0, item);
  }

  pop(): T | undefined {
    return this.#items.pop();
  }
}
