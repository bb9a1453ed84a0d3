/** Memory after a fork: what is shared, what a worker has copied, and what it all weighs. */
import { Dice } from './dice';
import type { Pen } from './look';
import { short } from './parameters';
import { ALL, CODE, DATA, LOADED, Pages } from './pages_model';
import type { Row, Scene, Stage } from './scene';
import { SECOND } from './shop_model';

const ANSWERS = 40; // of each worker, before a goal is asked for
const COLUMNS = 12; // pages of a process in a row
const ROWS = ALL / COLUMNS;
const LABEL = 20;
const GAP = 14;
const BAR = 62;

class Fork implements Scene {
  readonly moves = true;
  readonly title = 'the memory pages of a master and its workers';
  readonly legend: [string, string][] = [
    ['shared', 'shared by all who have it'],
    ['own', 'a copy of its own'],
  ];
  private model!: Pages;
  private dice!: Dice;
  private touched: number[] = [];
  private at = -1; // the worker that answered last

  constructor(private stage: Stage) {}

  start(seed: number): void {
    const { workers, preload, written } = this.stage.values;
    this.dice = new Dice(seed);
    this.model = new Pages(workers, preload > 0, written, this.dice);
    this.forget();
  }

  changed(name: string): void {
    if (name === 'preload' || name === 'written') {
      const { workers, preload, written } = this.stage.values;
      this.model = new Pages(workers, preload > 0, written, this.dice);
    }
    this.model.resize(this.stage.values.workers);
    this.forget();
  }

  private forget(): void {
    this.at = -1;
    this.touched = [];
  }

  advance(us: number): void {
    this.forget();
    this.model.run(this.model.now + us);
  }

  clock(): string {
    return `${(this.model.now / SECOND).toFixed(2)} s`;
  }

  step(): string {
    const { who, copied } = this.model.step();
    this.at = who;
    this.touched = copied;
    const n = copied.length;
    const pages = `${n === 1 ? 'a page' : `${n} pages`} that it shared until now: the kernel copies ${n === 1 ? 'it' : 'them'}`;
    return `Worker ${who + 1} answers a request and writes to ${n > 0 ? pages : 'pages of its own'}.`;
  }

  private cell(width: number): { page: number; across: number; down: number; columns: number } {
    const processes = this.stage.values.workers + 1;
    let columns = Math.max(2, Math.floor(width / 104));
    while (Math.ceil(processes / columns) > 5) columns += 1;
    const across = width / columns;
    const page = Math.min(8, Math.max(1, (across - GAP) / COLUMNS));
    return { page, across, down: ROWS * page + LABEL + 8, columns };
  }

  height(width: number): number {
    const { down, columns } = this.cell(width);
    return Math.ceil((this.stage.values.workers + 1) / columns) * down + BAR;
  }

  draw(pen: Pen): void {
    const { g, width } = pen;
    const { model } = this;
    const { page, across, down, columns } = this.cell(width);
    const label = across > 62;
    g.lineWidth = 0.7;
    for (let who = -1; who < model.workers.length; who += 1) {
      const x = ((who + 1) % columns) * across;
      const y = Math.floor((who + 1) / columns) * down + LABEL;
      g.fillStyle = who === this.at && who >= 0 ? pen.accent : pen.muted;
      if (label || who < 0) g.fillText(who < 0 ? 'master' : `worker ${who + 1}`, x, y - 6);
      for (let i = 0; i < ALL; i += 1) {
        const data = i - CODE - LOADED;
        if (!model.preload && who < 0 && i >= CODE) break; // nothing of the application is loaded
        const own = !model.preload && i >= CODE ? who >= 0 : who >= 0 && data >= 0 && model.workers[who]!.own[data]!;
        const fresh = own && who === this.at && this.touched.includes(data);
        g.fillStyle = fresh ? pen.warm : own ? pen.accent : pen.line;
        g.globalAlpha = own ? 1 : 0.35;
        g.fillRect(x + (i % COLUMNS) * page, y + Math.floor(i / COLUMNS) * page, page - 1, page - 1);
      }
      g.globalAlpha = 1;
    }
    this.drawBar(pen);
  }

  /** What is used of the machine, to scale, and what RSS makes of it. */
  private drawBar(pen: Pen): void {
    const { g, width, height } = pen;
    const { used } = this.model;
    const { memory } = this.stage.values;
    const scale = width / Math.max(1.25 * memory, used);
    const y = height - 22;
    g.fillStyle = used > memory ? pen.warm : pen.accent;
    g.fillRect(0, y, used * scale, 14);
    g.strokeStyle = pen.text;
    g.lineWidth = 2;
    g.beginPath();
    g.moveTo(memory * scale, y - 6);
    g.lineTo(memory * scale, y + 20);
    g.stroke();
    g.fillStyle = pen.text;
    g.fillText(`used ${used}`, 0, y - 10);
    g.textAlign = 'right';
    g.fillText(`the machine ${memory}`, memory * scale, y - 10);
    g.textAlign = 'left';
  }

  rows(): Row[] {
    const { model } = this;
    const { workers } = model;
    const n = workers.length;
    const pss = workers.reduce((sum, _, who) => sum + model.pss(who), 0) / n;
    return [
      ['RSS of a worker', `${ALL} pages`, '', ''],
      ['PSS of a worker, mean', `${short(pss)} pages`, '', ''],
      ['all RSS together', String(ALL * n + (model.preload ? ALL : CODE)), '', ''],
      ['used: all PSS together', String(model.used), `of ${this.stage.values.memory}`, short(model.expected)],
      ['answers of each worker', String(model.fewest), '', ''],
    ];
  }

  sentence(): string {
    const { used, workers, fewest } = this.model;
    const over = used - this.stage.values.memory;
    return (
      `${workers.length} workers use ${used} pages after ${fewest} answers each` +
      (over > 0 ? `: ${over} more than the machine has.` : ', and they fit.')
    );
  }

  answer(): { value: number; words: string } | undefined {
    const { used, fewest } = this.model;
    return fewest < ANSWERS ? undefined : { value: used, words: `${used} pages` };
  }

  goal(name: string): { words: string; reached: boolean } {
    if (name !== 'weigh-late') throw new Error(`goal="${name}": there is weigh-late.`);
    const { used, fewest, workers, preload } = this.model;
    const { memory } = this.stage.values;
    const most = Math.floor((memory - ALL) / DATA);
    return {
      words: `Find the most workers that still fit when each of them has given ${ANSWERS} answers.`,
      reached: preload && fewest >= ANSWERS && used <= memory && workers.length >= most,
    };
  }
}

export const pages = (stage: Stage): Scene => new Fork(stage);
