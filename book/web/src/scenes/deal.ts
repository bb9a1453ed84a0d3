/** Connections dealt to processes with threads of their own, a thousand times; what is lost by it. */
import { Deals, expected } from './deal_model';
import { Dice } from './dice';
import type { Pen } from './look';
import { short } from './parameters';
import type { Row, Scene, Stage } from './scene';
import { Stamps } from './stamps';

const DEAL_US = 10_000; // a deal, by the model's clock
const ENOUGH = 300; // deals, before a number is held against a bet or a goal
const TOP = 24; // labels above the processes
const GLASS = 110; // height of a process
const CHART = 96;
const FOOT = 44;
const DOT = 8; // largest radius
const CELL = 2.6; // a dot's place, in radii

class Deal implements Scene {
  readonly moves = true;
  readonly title = 'connections dealt to processes, and requests a second over many deals';
  readonly legend: [string, string][] = [
    ['core', 'a user with a thread'],
    ['line', 'a user who waits'],
    ['away', 'an idle thread'],
    ['bound', 'if dealt evenly'],
    ['mean', 'mean to expect'],
  ];
  private model!: Deals;
  private exact!: { served: number; everybody: number };
  private dice!: Dice;
  private left = 0; // microseconds of the next deal
  private readonly stamps = new Stamps();

  constructor(private stage: Stage) {}

  start(seed: number): void {
    this.dice = new Dice(seed);
    this.changed();
  }

  changed(): void {
    const { users, processes, threads } = this.stage.values;
    this.model = new Deals(users, processes, threads, this.dice);
    this.exact = expected(users, processes, threads);
    this.left = 0;
    this.model.deal();
  }

  advance(us: number): void {
    for (this.left += us; this.left >= DEAL_US; this.left -= DEAL_US) this.model.deal();
  }

  clock(): string {
    return `${this.model.count} deals`;
  }

  step(): string {
    this.model.deal();
    const { split, served, users } = this.model;
    const fell = split.length > 1 ? `Connections fell ${split.join(', ')}. ` : '';
    return `${fell}${served} of ${users} users have a thread: ${short(this.X(served))} requests a second.`;
  }

  private X(served: number): number {
    return served / (this.stage.values.wait + this.stage.values.cpu);
  }

  private get even(): number {
    return Math.min(this.model.users, this.model.processes * this.model.threads);
  }

  private get mean(): number {
    return this.model.sum / this.model.count;
  }

  height(): number {
    return TOP + GLASS + CHART + FOOT;
  }

  draw(pen: Pen): void {
    this.drawProcesses(pen);
    this.drawHistogram(pen);
  }

  private drawProcesses(pen: Pen): void {
    const { g, width } = pen;
    const { split, processes, threads } = this.model;
    const across = width / processes;
    const room = Math.max(8, across - 12);
    const most = Math.max(threads, ...split, Math.ceil((1.6 * this.model.users) / processes));
    let radius = DOT;
    const cells = (r: number) => Math.max(1, Math.floor(room / (CELL * r)));
    while (radius > 1 && Math.ceil(most / cells(radius)) * CELL * radius > GLASS) radius -= 0.25;
    const columns = cells(radius);
    const cell = CELL * radius;
    const working = this.stamps.of(pen, 'computing', radius);
    const waiting = this.stamps.of(pen, 'queued', radius);
    const idle = this.stamps.of(pen, 'away', radius);
    g.textAlign = 'center';
    split.forEach((n, process) => {
      const left = process * across + (across - columns * cell) / 2;
      for (let i = 0; i < Math.max(n, threads); i += 1) {
        const stamp = i < Math.min(n, threads) ? working : i < n ? waiting : idle;
        stamp(left + ((i % columns) + 0.5) * cell, TOP + GLASS - (Math.floor(i / columns) + 0.5) * cell);
      }
      g.fillStyle = n > threads ? pen.text : pen.muted;
      g.fillText(across > 30 || process % 2 === 0 ? String(n) : '', (process + 0.5) * across, 15);
    });
    g.textAlign = 'left';
  }

  private drawHistogram(pen: Pen): void {
    const { g, width } = pen;
    const { counts } = this.model;
    const floor = TOP + GLASS + 16 + CHART;
    const seen = [...counts.keys()];
    const most = this.even;
    const least = Math.min(Math.floor(0.8 * most), ...seen) - 1;
    const bar = (width - 8) / (most + 1 - least);
    const xOf = (served: number) => 4 + (served + 0.5 - least) * bar;
    const highest = Math.max(...counts.values());
    g.fillStyle = pen.accent;
    for (const [served, deals] of counts) {
      const high = Math.max(1, ((CHART - 12) * deals) / highest);
      g.fillRect(xOf(served) - 0.42 * bar, floor - high, 0.84 * bar, high);
    }
    g.strokeStyle = pen.line;
    g.lineWidth = 1;
    g.beginPath();
    g.moveTo(0, floor);
    g.lineTo(width, floor);
    g.stroke();
    const upright = (served: number, colour: string, dash: number[]) => {
      g.strokeStyle = colour;
      g.lineWidth = 2;
      g.setLineDash(dash);
      g.beginPath();
      g.moveTo(xOf(served), floor);
      g.lineTo(xOf(served), floor - CHART);
      g.stroke();
      g.setLineDash([]);
    };
    upright(most, pen.muted, [6, 5]);
    upright(this.exact.served, pen.text, []);
    g.fillStyle = pen.muted;
    g.fillText(`${short(this.X(least + 1))}`, 4, floor + 18);
    g.textAlign = 'right';
    g.fillText(`${short(this.X(most))} requests a second`, width - 4, floor + 18);
    g.textAlign = 'left';
  }

  rows(): Row[] {
    const { model, exact } = this;
    const percent = (part: number) => `${(100 * part).toFixed(1)} %`;
    const even = `≤ ${short(this.X(this.even))}`;
    return [
      ['requests a second X, this deal', short(this.X(model.served)), even, ''],
      [`X, mean of ${model.count}`, short(this.X(this.mean)), even, short(this.X(exact.served))],
      ['users who wait, mean', (model.users - this.mean).toFixed(1), '', Math.max(0, model.users - exact.served).toFixed(1)],
      ['deals in which nobody waits', percent(model.everybody / model.count), '', percent(exact.everybody)],
    ];
  }

  sentence(): string {
    const { count, users } = this.model;
    return (
      `After ${count} deals the mean is ${short(this.X(this.mean))} requests a second, and ` +
      `${(users - this.mean).toFixed(1)} of ${users} users wait; dealt evenly it would be ${short(this.X(this.even))}.`
    );
  }

  answer(): { value: number; words: string } | undefined {
    if (this.model.count < ENOUGH) return undefined;
    return { value: this.X(this.mean), words: `${short(this.X(this.mean))} requests a second` };
  }

  goal(name: string): { words: string; reached: boolean } {
    if (name !== 'spare-threads') throw new Error(`goal="${name}": there is spare-threads.`);
    const { users, processes, threads, count } = this.model;
    return {
      words: 'Find the fewest threads for each of four processes with which at most one of the 64 users waits, on average.',
      reached: count >= ENOUGH && users >= 64 && processes === 4 && threads <= 20 && users - this.mean <= 1,
    };
  }
}

export const deal = (stage: Stage): Scene => new Deal(stage);
