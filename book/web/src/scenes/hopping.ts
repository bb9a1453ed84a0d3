/** Core-hopping: a busy thread is moved over the cores, and whoever averages sees all of them a
 * little busy. */
import { Dice } from './dice';
import { Hopping } from './hopping_model';
import type { Pen } from './look';
import { clock, percent, seconds, short, time } from './say';
import type { About, Scene, Stage } from './scene';
import { SECOND } from './shop_model';
import { byChance, drawn, us } from './shop_times';
import { box, DASH, stroke, words } from './sketch';

const SEEN = 2 * SECOND; // µs in the picture
const BEFORE = 10 * SECOND; // what has been before the reader looks at it
const ROW = 34;
const TOP = 20;
const LEFT = 54;
const RIGHT = 62;

export const ABOUT: About = {
  title: 'which core is at work at which moment, and what a tool shows that averages',
  legend: { core: 'a thread at work', bound: 'what is averaged' },
  columns: ['', 'by the law'],
  goals: { 'one-is-full': 'One core is always full. Turn what is averaged until you see it.' },
};

export function hopping(stage: Stage): Scene {
  const { values } = stage;
  let model: Hopping;

  function begin(): void {
    const dice = new Dice(stage.seed);
    const draw = drawn(byChance(stage), dice);
    model = new Hopping(dice, values.cores, values.users, () => draw(us(values.cpu)));
    model.run(BEFORE);
  }

  const shares = () => model.shares(us(values.window));
  const threads = () => model.threads.length;
  const busy = () => shares().reduce((sum, each) => sum + each, 0); // cores

  function draw(pen: Pen): void {
    const w = pen.width - LEFT - RIGHT;
    const at = (moment: number) => LEFT + w * Math.min(1, Math.max(0, 1 - (model.now - moment) / SEEN));
    words(pen, `the last ${time(SEEN)}`, LEFT + 8, 13);
    words(pen, 'shown', pen.width, 13, 1);
    const end = TOP + ROW * model.cores;
    shares().forEach((share, core) => {
      const y = TOP + core * ROW;
      words(pen, `core ${core}`, 0, y + 19);
      box(pen, pen.line, LEFT, y, w, ROW - 8, -1);
      words(pen, percent(share), pen.width, y + 19, 1, pen.text);
    });
    for (const { core, from, until } of model.stays) {
      const x = at(from);
      const to = at(Math.min(until, model.now));
      if (to > x) box(pen, pen.accent, x, TOP + core * ROW, Math.max(1, to - x - 1), ROW - 8, 0.85);
    }
    const from = at(model.now - us(values.window));
    stroke(pen, pen.text, [[from, 4], [from, end], [LEFT + w, end], [LEFT + w, 4]], 1.5, DASH);
    // As top has it for the machine: user time and idle, in per cent of all cores.
    const all = (100 * busy()) / model.cores;
    const { g, font } = pen;
    g.font = '14px ui-monospace, monospace';
    words(pen, `%Cpu(s): ${all.toFixed(1)} us, ${(100 - all).toFixed(1)} id`, 0, end + 22, 0, pen.text);
    words(pen, `%CPU of ${threads() === 1 ? 'its thread' : 'each thread'}: 100.0`, 0, end + 42, 0, pen.text);
    g.font = font;
  }

  const sentence = () =>
    `Averaged over ${seconds(values.window)} the cores show ${shares().map(percent).join(', ')}. ` +
    `At each moment ${threads() === 1 ? 'one core is' : `${threads()} cores are`} at work.`;

  const busiest = () => Math.max(...shares());

  return {
    draw,
    sentence,
    start: begin,
    changed(name) {
      if (name === 'users' || name === 'cores') begin();
    },
    advance: (time) => model.run(model.now + time),
    clock: () => clock(model.now),
    step() {
      const { thread, core, from, until } = model.step();
      return `Thread ${thread + 1} goes to core ${core}, for ${time(until - from)}. ${sentence()}`;
    },
    height: () => TOP + ROW * model.cores + 50,
    rows: () => [
      ['the busiest core', percent(busiest())],
      ['the idlest core', percent(Math.min(...shares()))],
      ['cores at work, added up', short(busy()), '', short(threads())],
      ['part of the machine', percent(busy() / model.cores), '', percent(threads() / model.cores)],
    ],
    goals: {
      'one-is-full': () => busiest() > 0.995 && threads() < model.cores,
    },
  };
}
