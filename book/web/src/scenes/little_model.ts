/** Little's law without a server: who comes when and leaves when, and two counts of one area.
 *
 * Whole microseconds. Order of leaving is free: the kth row of the area ends where the kth of them
 * leaves, whoever that is, and the sum of the rows is the sum of the stays all the same. */

export class Stays {
  readonly leave: number[];

  constructor(
    readonly arrive: number[], // ascending
    private given: number[],
  ) {
    if (arrive.length === 0 || arrive.length !== given.length) {
      throw new Error(`${arrive.length} arrive and ${given.length} leave: as many, and more than none.`);
    }
    arrive.forEach((at, index) => {
      if (at < (arrive[index - 1] ?? 0)) throw new Error(`arrive: ${at} comes too late in the row.`);
      if (given[index]! <= at) throw new Error(`request ${index + 1} leaves before it comes.`);
    });
    this.leave = [...given];
  }

  /** As the page has it. */
  again(): void {
    this.leave.splice(0, this.leave.length, ...this.given);
  }

  /** When the 1st, 2nd, … has left. */
  leavings(): number[] {
    return [...this.leave].sort((a, b) => a - b);
  }

  /** Every moment at which somebody comes or leaves, in order. */
  moments(): number[] {
    return [...new Set([...this.arrive, ...this.leave])].sort((a, b) => a - b);
  }

  inside(at: number): number {
    return this.arrive.filter((come, index) => come <= at && at < this.leave[index]!).length;
  }

  /** What a watcher counts from 0 to a moment, in requests times microseconds: those inside, summed over
   * the time, and the whole stays of those who have left. */
  counted(until: number) {
    const moments = [0, ...this.moments().filter((at) => at < until), until];
    let columns = 0;
    moments.forEach((at, index) => {
      columns += this.inside(at) * ((moments[index + 1] ?? at) - at);
    });
    let rows = 0;
    let left = 0;
    this.arrive.forEach((come, index) => {
      if (this.leave[index]! > until) return;
      rows += this.leave[index]! - come;
      left += 1;
    });
    return { columns, rows, left };
  }
}
