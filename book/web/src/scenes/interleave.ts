/** The lost update, step by step: the reader chooses who goes next. */
import { button } from './controls';
import { Dice } from './dice';
import { Interleaving, type Instruction, type Step } from './interleave_model';
import type { Pen } from './look';
import type { Row, Scene, Stage } from './scene';

const NAMES = 'ABCD';
const ROWS = 9;
const ROW = 24;
const TOP = 58;

const DOES: Record<Instruction, (step: Step) => string> = {
  read: ({ note }) => `reads ${note}`,
  work: () => 'works',
  write: ({ counter }) => `writes ${counter}`,
  lock: () => 'locks',
  unlock: () => 'unlocks',
};

interface Goal {
  words: string;
  reached: (model: Interleaving) => boolean;
}

/** A page's goals; asked once all additions are made. */
export const GOALS: Record<string, Goal> = {
  'only-two': {
    words: 'Let two threads add three times each, and leave only 2 of the six in the counter.',
    reached: ({ count, counter, written }) => count === 2 && written === 6 && counter === 2,
  },
  'side-by-side': {
    words: 'Find a lock with which nothing is lost, although both threads are at work at once.',
    reached: ({ counter, written, sideBySide, program }) =>
      counter === written && sideBySide > 1 && program.includes('lock'),
  },
};

class Interleave implements Scene {
  readonly moves = false;
  readonly title = 'threads that add to one counter, step by step';
  readonly legend: [string, string][] = [
    ['held', 'has read, not yet written'],
    ['lost', 'writes over what another wrote'],
  ];
  private model!: Interleaving;
  private dice!: Dice;
  private goers: HTMLButtonElement[] = [];

  constructor(private stage: Stage) {}

  start(seed: number): void {
    this.dice = new Dice(seed);
    this.changed();
  }

  changed(): void {
    const { racers, rounds, lock } = this.stage.values;
    this.model = new Interleaving(racers, rounds, lock);
    this.goers.forEach((goer, who) => (goer.hidden = who >= racers));
  }

  advance(): void {}

  clock(): string {
    return '';
  }

  step(): string {
    return '';
  }

  tools(): Node[] {
    const tool = (words: string, pressed: () => string) =>
      button(words, () => this.stage.did(pressed()));
    this.goers = [...NAMES].map((name, who) => tool(`${name} goes`, () => this.go(who)));
    this.changed();
    return [
      ...this.goers,
      tool('One back', () => this.back()),
      tool('The rest by chance', () => this.chance()),
      tool('Again', () => {
        this.changed();
        return 'The counter is 0 again.';
      }),
    ];
  }

  go(who: number): string {
    const { model } = this;
    const step = model.go(who);
    if (step) return this.told(step) + (model.over ? ` ${this.sentence()}` : '');
    const name = `Thread ${NAMES[who]}`;
    return model.next(who) ? `${name} has to wait: ${NAMES[model.holder]} has the lock.` : `${name} is through.`;
  }

  back(): string {
    const step = this.model.back();
    return step ? `Taken back: ${this.told(step)}` : 'Nothing has happened yet.';
  }

  chance(): string {
    const { model, dice } = this;
    for (let { able } = model; able.length > 0; { able } = model) {
      model.go(able[Math.floor(dice.uniform() * able.length)]!);
    }
    return this.sentence();
  }

  private told(step: Step): string {
    const over = overwrites(step) ? `, over the ${step.over} that another has written` : '';
    return `Thread ${NAMES[step.who]} ${DOES[step.what](step)}${over}.`;
  }

  height(): number {
    return TOP + ROWS * ROW + 6;
  }

  draw(pen: Pen): void {
    const { g, width } = pen;
    const { model } = this;
    const { steps } = model;
    const across = width / (model.count + 1);
    const first = Math.max(0, steps.length - ROWS);
    const yOf = (index: number) => TOP + (index - first) * ROW;
    g.textAlign = 'center';
    g.textBaseline = 'middle';
    const write = (words: string, column: number, y: number, colour: string) => {
      g.fillStyle = colour;
      g.fillText(words, (column + 0.5) * across, y);
    };
    for (let who = 0; who < model.count; who += 1) {
      write(`thread ${NAMES[who]}`, who, 14, pen.text);
      const next = model.next(who);
      write(next ? (model.can(who) ? `→ ${next}` : 'waits') : 'through', who, 38, pen.muted);
      let from = -1;
      for (let i = 0; i <= steps.length; i += 1) {
        const mine = steps[i]?.who === who ? steps[i]!.what : '';
        if (mine === 'read') from = i;
        if (from < 0 || (i < steps.length && mine !== 'write')) continue;
        const begins = Math.max(first, from);
        const ends = Math.min(i + 1, steps.length);
        from = -1;
        if (ends <= first) continue;
        g.beginPath();
        g.roundRect(who * across + 5, yOf(begins) + 1, across - 10, (ends - begins) * ROW - 2, 5);
        g.fillStyle = pen.wash;
        g.fill();
        g.strokeStyle = pen.accent;
        g.stroke();
      }
    }
    write('counter', model.count, 14, pen.text);
    write(String(model.counter), model.count, 38, pen.accent);
    g.strokeStyle = pen.line;
    g.beginPath();
    g.moveTo(0, TOP - 5);
    g.lineTo(width, TOP - 5);
    g.stroke();
    steps.slice(first).forEach((step, index) => {
      const y = yOf(first + index) + ROW / 2;
      const lost = overwrites(step);
      write(DOES[step.what](step), step.who, y, lost ? pen.warm : pen.text);
      const { what, over, counter } = step;
      if (what === 'write') write(lost ? `${over} → ${counter}` : `${counter}`, model.count, y, lost ? pen.warm : pen.text);
    });
    g.textAlign = 'left';
    g.textBaseline = 'alphabetic';
  }

  rows(): Row[] {
    const { counter, written, count, rounds, least, sideBySide } = this.model;
    const all = count * rounds;
    return [
      ['additions made', `${written} of ${all}`, '', ''],
      ['the counter', String(counter), '', least < all ? `${least} to ${all} at the end` : `${all} at the end`],
      ['threads at work at once', String(sideBySide), '', ''],
    ];
  }

  sentence(): string {
    const { counter, written, over, able } = this.model;
    const lost = written - counter;
    const now = `${written} additions were made, and the counter says ${counter}`;
    if (over) return `All are through. ${now}: ${lost === 0 ? 'nothing is' : lost === 1 ? '1 is' : `${lost} are`} lost.`;
    return `${now}. ${able.map((who) => NAMES[who]).join(' or ')} can go next.`;
  }

  goal(name: string): { words: string; reached: boolean } {
    const goal = GOALS[name];
    if (!goal) throw new Error(`goal="${name}": there are ${Object.keys(GOALS).join(', ')}.`);
    return { words: goal.words, reached: this.model.over && goal.reached(this.model) };
  }
}

const overwrites = ({ what, note, over }: Step) => what === 'write' && note !== over;

export const interleave = (stage: Stage): Scene => new Interleave(stage);
