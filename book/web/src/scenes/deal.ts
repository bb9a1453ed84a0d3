/** Connections dealt to processes with threads of their own, a thousand times; what is lost by it. */
import { Deals, expected } from './deal_model';
import { Dice } from './dice';
import type { Pen } from './look';
import { mark } from './marks';
import { rate, short } from './say';
import type { About, Scene, Stage } from './scene';
import { box, DASH, stroke, words } from './sketch';

const DEAL_US = 10_000; // a deal, by the model's clock
const ENOUGH = 300; // deals, before a number is held against a goal
const TOP = 24; // labels above the processes
const GLASS = 110; // height of a process
const CHART = 96;
const FOOT = 44;
const DOT = 8; // largest radius
const CELL = 2.6; // a dot's place, in radii

const percent = (part: number) => `${(100 * part).toFixed(1)} %`;

export const ABOUT: About = {
  title: 'connections dealt to processes, and requests a second over many deals',
  legend: {
    core: 'a user with a thread',
    line: 'a user who waits',
    away: 'an idle thread',
    bound: 'if dealt evenly',
    mean: 'mean to expect',
  },
  goals: {
    'spare-threads':
      'Find the fewest threads for each of four processes with which at most one of the 64 users waits, on average.',
  },
  needs: { users: 'how many connections there are', wait: 'what a request takes' },
  still: (scene) => scene.advance!(1000 * DEAL_US),
};

export function deal(stage: Stage): Scene {
  let model: Deals;
  let exact: { served: number; everybody: number };
  let dice: Dice;
  let left: number; // microseconds of the next deal

  function changed(): void {
    const { users, processes, threads } = stage.values;
    model = new Deals(users, processes, threads, dice);
    exact = expected(users, processes, threads);
    left = 0;
    model.deal();
  }

  const X = (served: number) => served / (stage.values.wait + stage.values.cpu);
  const even = () => Math.min(model.users, model.processes * model.threads);
  const mean = () => model.sum / model.count;
  const waiting = (served: number) => Math.max(0, model.users - served).toFixed(1);

  function drawProcesses(pen: Pen): void {
    const { split, processes, threads, users } = model;
    const across = pen.width / processes;
    const room = Math.max(8, across - 12);
    const most = Math.max(threads, ...split, Math.ceil((1.6 * users) / processes));
    let radius = DOT;
    const cells = (r: number) => Math.max(1, Math.floor(room / (CELL * r)));
    while (radius > 1 && Math.ceil(most / cells(radius)) * CELL * radius > GLASS) radius -= 0.25;
    const columns = cells(radius);
    const cell = CELL * radius;
    split.forEach((n, process) => {
      const middle = (process + 0.5) * across;
      for (let i = 0; i < Math.max(n, threads); i += 1) {
        const kind = i < Math.min(n, threads) ? 'computing' : i < n ? 'queued' : 'away';
        const x = middle + ((i % columns) + 0.5 - columns / 2) * cell;
        mark(pen, kind, radius, x, TOP + GLASS - (Math.floor(i / columns) + 0.5) * cell);
      }
      const colour = n > threads ? pen.text : pen.muted;
      if (across > 30 || process % 2 === 0) words(pen, n, middle, 15, 0.5, colour);
    });
  }

  const deals = () => `${model.count} deal${model.count === 1 ? '' : 's'}`;

  function drawHistogram(pen: Pen): void {
    const { width } = pen;
    const { counts } = model;
    const floor = TOP + GLASS + 16 + CHART;
    const most = even();
    const least = Math.min(Math.floor(0.8 * most), ...counts.keys()) - 1;
    const bar = (width - 8) / (most + 1 - least);
    const xOf = (served: number) => 4 + (served + 0.5 - least) * bar;
    const highest = Math.max(...counts.values());
    for (const [served, deals] of counts) {
      const high = Math.max(1, ((CHART - 12) * deals) / highest);
      box(pen, pen.accent, xOf(served) - 0.42 * bar, floor - high, 0.84 * bar, high);
    }
    stroke(pen, pen.line, [[0, floor], [width, floor]]);
    const upright = (served: number, colour: string, dash?: number[]) =>
      stroke(pen, colour, [[xOf(served), floor], [xOf(served), floor - CHART]], 2, dash);
    upright(most, pen.muted, DASH);
    upright(exact.served, pen.text);
    words(pen, short(X(least + 1)), 4, floor + 18);
    words(pen, rate(X(most)).words, width - 4, floor + 18, 1);
  }

  return {
    changed,
    start() {
      dice = new Dice(stage.seed);
      changed();
    },
    advance(us) {
      for (left += us; left >= DEAL_US; left -= DEAL_US) model.deal();
    },
    clock: deals,
    step() {
      model.deal();
      const { split, served, users } = model;
      const fell = split.length > 1 ? `Connections fell ${split.join(', ')}. ` : '';
      return `${fell}${served} of ${users} users have a thread: ${rate(X(served)).words}.`;
    },
    height: () => TOP + GLASS + CHART + FOOT,
    draw(pen) {
      drawProcesses(pen);
      drawHistogram(pen);
    },
    rows() {
      const { count, served, everybody } = model;
      const most = `≤ ${short(X(even()))}`;
      return [
        ['requests a second X, this deal', short(X(served)), most],
        [`X, mean of ${deals()}`, short(X(mean())), most, short(X(exact.served))],
        ['users who wait, mean', waiting(mean()), '', waiting(exact.served)],
        ['deals in which nobody waits', percent(everybody / count), '', percent(exact.everybody)],
      ];
    },
    sentence: () =>
      `After ${deals()} the mean is ${rate(X(mean())).words}, and ` +
      `${waiting(mean())} of ${model.users} users wait; dealt evenly it would be ${short(X(even()))}.`,
    goals: {
      'spare-threads'() {
        const { users, processes, threads, count } = model;
        return count >= ENOUGH && users >= 64 && processes === 4 && threads <= 20 && users - mean() <= 1;
      },
    },
  };
}
