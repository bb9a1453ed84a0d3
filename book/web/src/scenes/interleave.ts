/** The lost update, step by step: the reader chooses who goes next. */
import { button } from './controls';
import { Dice } from './dice';
import { Interleaving, type Instruction, type Step } from './interleave_model';
import type { Pen } from './look';
import type { About, Scene, Stage } from './scene';
import { round, stroke, words } from './sketch';

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

const overwrites = ({ what, note, over }: Step) => what === 'write' && note !== over;

type Hands = { go(who: number): string; back(): string; chance(): string };

export const ABOUT: About = {
  title: 'threads that add to one counter, step by step',
  legend: { held: 'has read, not yet written', lost: 'writes over what another wrote' },
  goals: {
    'only-two': 'Let two threads add three times each, and leave only 2 of the six in the counter.',
    'side-by-side': 'Find a lock with which nothing is lost, although both threads are at work at once.',
  },
  still(scene: Scene & Hands) {
    for (let i = 0; i < 3; i += 1) [0, 1].map(scene.go);
  },
};

export function interleave(stage: Stage): Scene & Hands {
  const { values } = stage;
  let model: Interleaving;
  let dice: Dice;
  let goers: HTMLButtonElement[] = [];

  function changed(): void {
    const { racers, rounds, lock } = values;
    model = new Interleaving(racers, rounds, lock);
    goers.forEach((goer, who) => (goer.hidden = who >= racers));
  }

  function go(who: number): string {
    const step = model.go(who);
    if (step) return told(step) + (model.over ? ` ${sentence()}` : '');
    const name = `Thread ${NAMES[who]}`;
    return model.next(who) ? `${name} has to wait: ${NAMES[model.holder]} has the lock.` : `${name} is through.`;
  }

  function back(): string {
    const step = model.back();
    return step ? `Taken back: ${told(step)}` : 'Nothing has happened yet.';
  }

  function chance(): string {
    for (let { able } = model; able.length > 0; { able } = model) model.go(dice.one(able));
    return sentence();
  }

  function told(step: Step): string {
    const over = overwrites(step) ? `, over the ${step.over} that another has written` : '';
    return `Thread ${NAMES[step.who]} ${DOES[step.what](step)}${over}.`;
  }

  function draw(pen: Pen): void {
    const { width } = pen;
    const { steps, count } = model;
    const across = width / (count + 1);
    const first = Math.max(0, steps.length - ROWS);
    const yOf = (index: number) => TOP + (index - first) * ROW;
    const write = (text: string | number, column: number, y: number, colour: string) =>
      words(pen, text, (column + 0.5) * across, y + 5, 0.5, colour);
    for (let who = 0; who < count; who += 1) {
      write(`thread ${NAMES[who]}`, who, 14, pen.text);
      const next = model.next(who);
      write(next ? (model.can(who) ? `→ ${next}` : 'waits') : 'through', who, 38, pen.muted);
      // A box from each of its reads to the write that follows, or to the end.
      let from = -1;
      for (let i = 0; i <= steps.length; i += 1) {
        const mine = steps[i]?.who === who && steps[i]!.what;
        if (mine === 'read') from = i;
        if (from < 0 || (i < steps.length && mine !== 'write')) continue;
        const y = yOf(Math.max(first, from)) + 1;
        const h = yOf(Math.min(i + 1, steps.length)) - y - 1;
        if (h > 0) round(pen, pen.accent, { x: who * across + 5, y, w: across - 10, h }, 5, pen.wash);
        from = -1;
      }
    }
    write('counter', count, 14, pen.text);
    write(model.counter, count, 38, pen.accent);
    stroke(pen, pen.line, [[0, TOP - 5], [width, TOP - 5]]);
    steps.slice(first).forEach((step, index) => {
      const y = TOP + (index + 0.5) * ROW;
      const { what, who, over, counter } = step;
      const lost = overwrites(step);
      const colour = lost ? pen.warm : pen.text;
      write(DOES[what](step), who, y, colour);
      if (what === 'write') write(lost ? `${over} → ${counter}` : counter, count, y, colour);
    });
  }

  function sentence(): string {
    const { counter, written, over, able } = model;
    const lost = written - counter;
    const now = `${written} additions were made, and the counter says ${counter}`;
    if (over) return `All are through. ${now}: ${lost === 0 ? 'nothing is' : lost === 1 ? '1 is' : `${lost} are`} lost.`;
    return `${now}. ${able.map((who) => NAMES[who]).join(' or ')} can go next.`;
  }

  return {
    changed,
    go,
    back,
    chance,
    draw,
    sentence,
    start() {
      dice = new Dice(stage.seed);
      changed();
    },
    tools() {
      const tool = (name: string, pressed: () => string) => button(name, () => stage.did(pressed()));
      goers = [...NAMES].map((name, who) => tool(`${name} goes`, () => go(who)));
      changed();
      return [
        ...goers,
        tool('One back', back),
        tool('The rest by chance', chance),
        tool('Again', () => {
          changed();
          return 'The counter is 0 again.';
        }),
      ];
    },
    height: () => TOP + ROWS * ROW + 6,
    rows() {
      const { counter, written, count, rounds, least, sideBySide } = model;
      const all = count * rounds;
      return [
        ['additions made', `${written} of ${all}`],
        ['the counter', `${counter}`, '', `${least < all ? `${least} to ` : ''}${all} at the end`],
        ['threads at work at once', `${sideBySide}`],
      ];
    },
    // Asked once all additions are made.
    goals: {
      'only-two': () => model.over && model.count === 2 && model.written === 6 && model.counter === 2,
      'side-by-side'() {
        const { over, counter, written, sideBySide, program } = model;
        return over && counter === written && sideBySide > 1 && program.includes('lock');
      },
    },
  };
}
