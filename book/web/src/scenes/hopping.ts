/** Core-hopping: a busy thread is moved over the cores, and whoever averages sees all of them a
 * little busy. */
import { Dice } from './dice';
import { Hopping } from './hopping_model';
import type { Pen } from './look';
import { seconds, short } from './parameters';
import type { Row, Scene, Stage } from './scene';
import { SECOND } from './shop_model';
import { us } from './shop_times';
import { box, stroke, words } from './sketch';

const SEEN = 2 * SECOND; // µs in the picture
const BEFORE = 10 * SECOND; // what has been before the reader looks at it
const ROW = 34;
const TOP = 20;
const LEFT = 54;
const RIGHT = 62;

class CoreHopping implements Scene {
  readonly moves = true;
  readonly title = 'which core is at work at which moment, and what a tool shows that averages';
  readonly legend: [string, string][] = [
    ['core', 'a thread at work'],
    ['bound', 'what is averaged'],
  ];
  readonly columns: [string, string] = ['', 'by the law'];
  private model!: Hopping;
  private seed = 1;

  constructor(private stage: Stage) {}

  start(seed: number): void {
    this.seed = seed;
    const { values } = this.stage;
    const dice = new Dice(seed);
    const chance = this.stage.option('times') !== 'alike';
    const time = () => (chance ? dice.exponential(us(values.cpu)) : us(values.cpu));
    this.model = new Hopping(dice, values.cores, values.users, time);
    this.advance(BEFORE);
  }

  advance(time: number): void {
    this.model.run(this.model.now + time);
  }

  clock(): string {
    return `${(this.model.now / SECOND).toFixed(2)} s`;
  }

  step(): string {
    const { thread, core, from, until } = this.model.step();
    return `Thread ${thread + 1} goes to core ${core}, for ${seconds((until - from) / SECOND)}. ${this.sentence()}`;
  }

  changed(name: string): void {
    if (name === 'users' || name === 'cores') this.start(this.seed);
  }

  height(): number {
    return TOP + ROW * this.model.cores + 50;
  }

  private get window(): number {
    return us(this.stage.values.window);
  }

  private get shares(): number[] {
    return this.model.shares(this.window);
  }

  draw(pen: Pen): void {
    const model = this.model;
    const shares = this.shares;
    const w = pen.width - LEFT - RIGHT;
    const at = (moment: number) => LEFT + w * Math.min(1, Math.max(0, 1 - (model.now - moment) / SEEN));
    words(pen, `the last ${seconds(SEEN / SECOND)}`, LEFT + 8, 13);
    words(pen, 'shown', pen.width, 13, 1);
    const end = TOP + ROW * model.cores;
    shares.forEach((share, core) => {
      const y = TOP + core * ROW;
      words(pen, `core ${core}`, 0, y + 19);
      box(pen, pen.line, LEFT, y, w, ROW - 8, -1);
      words(pen, `${Math.round(100 * share)} %`, pen.width, y + 19, 1, pen.text);
    });
    for (const { core, from, until } of model.stays) {
      const x = at(from);
      const to = at(Math.min(until, model.now));
      if (to > x) box(pen, pen.accent, x, TOP + core * ROW, Math.max(1, to - x - 1), ROW - 8, 0.85);
    }
    const from = at(model.now - this.window);
    stroke(pen, pen.text, [[from, 4], [from, end], [LEFT + w, end], [LEFT + w, 4]], 1.5, [6, 5]);
    const { g, font } = pen;
    g.font = '14px ui-monospace, monospace';
    const [all, idle] = this.machine;
    words(pen, `%Cpu(s): ${all} us, ${idle} id`, 0, end + 22, 0, pen.text);
    words(pen, `%CPU of ${this.threads === 1 ? 'its thread' : 'each thread'}: 100.0`, 0, end + 42, 0, pen.text);
    g.font = font;
  }

  private get threads(): number {
    return this.model.threads.length;
  }

  /** As top has it for the machine: user time and idle, in per cent of all cores. */
  private get machine(): [string, string] {
    const { cores } = this.model;
    const all = (100 * this.shares.reduce((sum, each) => sum + each, 0)) / cores;
    return [all.toFixed(1), (100 - all).toFixed(1)];
  }

  rows(): Row[] {
    const shares = this.shares;
    const model = this.model;
    const percent = (part: number) => `${Math.round(100 * part)} %`;
    const sum = shares.reduce((all, each) => all + each, 0);
    return [
      ['the busiest core', percent(Math.max(...shares)), '', ''],
      ['the idlest core', percent(Math.min(...shares)), '', ''],
      ['cores at work, added up', short(sum), '', short(this.threads)],
      ['part of the machine', percent(sum / model.cores), '', percent(this.threads / model.cores)],
    ];
  }

  sentence(): string {
    const shares = this.shares;
    const threads = this.threads;
    const all = shares.map((each) => `${Math.round(100 * each)} %`).join(', ');
    return (
      `Averaged over ${seconds(this.stage.values.window)} the cores show ${all}. ` +
      `At each moment ${threads === 1 ? 'one core is' : `${threads} cores are`} at work.`
    );
  }

  answer(): { value: number; words: string } {
    const most = 100 * Math.max(...this.shares);
    return { value: most, words: `${Math.round(most)} %` };
  }

  goal(): { words: string; reached: boolean } {
    return {
      words: 'One core is always full. Turn what is averaged until you see it.',
      reached: Math.max(...this.shares) > 0.995 && this.threads < this.model.cores,
    };
  }
}

export const hopping = (stage: Stage): Scene => new CoreHopping(stage);
