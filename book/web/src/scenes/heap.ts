/** A binary heap: the least first. The order must be total, or equal inputs may part ways. */
export class Heap<T> {
  #items: T[] = [];

  constructor(private before: (one: T, other: T) => boolean) {}

  get size(): number {
    return this.#items.length;
  }

  get top(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    const { before } = this;
    const items = this.#items;
    let at = items.length;
    items.push(item);
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!before(item, items[above]!)) break;
      items[at] = items[above]!;
      at = above;
    }
    items[at] = item;
  }

  pop(): T | undefined {
    const { before } = this;
    const items = this.#items;
    const top = items[0];
    const item = items.pop();
    if (item === undefined || items.length === 0) return top;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= items.length) break;
      if (below + 1 < items.length && before(items[below + 1]!, items[below]!)) below += 1;
      if (!before(items[below]!, item)) break;
      items[at] = items[below]!;
      at = below;
    }
    items[at] = item;
    return top;
  }
}
