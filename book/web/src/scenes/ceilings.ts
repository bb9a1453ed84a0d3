/** Ceilings: what a request needs, how many a second each of these allows, and where lines stand. */
import { Dice } from './dice';
import type { Pen } from './look';
import { stepsWith, type Name } from './parameters';
import { clock, percent, rate, seconds, short } from './say';
import type { About, Row, Scene, Stage } from './scene';
import { SECOND } from './shop_model';
import { byChance, drawn, us } from './shop_times';
import { box, dot, stroke, words } from './sketch';
import { Stations, type Thing } from './stations_model';

const WARM_UP = 12; // rounds, before the reader looks at it for the first time
const SETTLES = 3; // rounds after a change, before anything is counted
const COUNTED = 300; // answers at least, before a goal is reached
const SHOWN = 20; // answers at least, before a number is shown
const LEAST = 1e-4; // seconds that a request takes: something must take time
const TOP = 18;
const ROW = 58; // CSS pixels

/** What can be turned of it is `units` and `time`; it is held for so many seconds, and `full` is what is
 * seen if this one holds. */
const need = (label: string, units: Name | '', time: Name | '', count: number, held: number, full: string) => ({
  ...{ label, units, time, count, held, full },
});

type Need = ReturnType<typeof need>;

const off = (value: number, wanted: number) => Math.abs(Math.log(value / wanted));

const ceiling = ({ count, held }: Need) => count / held;

export const ABOUT: About = {
  title: 'how many requests a second each thing allows that they need, and the lines before them',
  legend: { core: 'in use', wait: 'free', line: 'in line for it', bound: 'answers a second now' },
  goals: {
    'one-repair': 'Turn one thing only, until it serves more than 200 a second.',
    'same-height': 'Find the pool whose ceiling is as high as that of the cores.',
  },
};

export function ceilings(stage: Stage): Scene & { counted(): { X: number } } {
  const { values } = stage;
  const first = { ...values };
  let needs: Need[];
  let model: Stations;
  let top = 1; // answers a second at the right edge
  let seenWidth = 1; // of the picture, when it was last drawn
  let pulled = 0;
  let settled = 0;
  let from: { now: number; done: number; busy: number[] };

  function reckon(): void {
    const { wait, locked, query, disk, cores, connections, workers } = values;
    const others = wait + locked + query + disk;
    const cpu = values.cpu || (others > 0 ? 0 : LEAST);
    const all = cpu + others;
    needs = [
      need('pool', 'workers', '', workers, all, 'everybody stands at the door, and who is in finds all things free'),
      need('cores', 'cores', 'cpu', cores, cpu, 'the cores are full'),
      need('wait', '', 'wait', Infinity, wait, ''),
      need('lock', '', 'locked', 1, locked, 'workers sleep, while disk and database have little to do'),
      need('database', 'connections', 'query', connections, query, 'all its connections are in use'),
      need('disk', '', 'disk', 1, disk, 'its writes a second stop rising'),
    ];
  }

  // A request needs some CPU time at least, or its user would come round in no time.
  const things = (): Thing[] =>
    needs.map(({ count, held }, index) => ({ units: count, us: Math.max(Number(index === 1), us(held)) }));

  /** Those that are a ceiling. */
  const shown = () => needs.filter(({ count, held }) => held > 0 && count < Infinity);

  const lowest = () => shown().reduce((least, each) => (ceiling(each) < ceiling(least) ? each : least));

  const most = () => Math.min(ceiling(lowest()), values.users / needs[0]!.held);

  function settle(rounds: number): void {
    settled = model.now + Math.ceil((rounds * SECOND * values.users) / most());
    count();
  }

  function count(): void {
    const { now, done, busy } = model;
    from = { now, done, busy: [...busy] };
  }

  function advance(time: number): void {
    const until = model.now + time;
    if (settled > from.now && settled <= until) {
      model.run(settled);
      count();
    }
    model.run(until);
  }

  function counted() {
    const passed = Math.max(1, model.now - from.now);
    const answers = model.done - from.done;
    const used = model.busy.map((each, index) => (each - from.busy[index]!) / passed);
    const X = (answers * SECOND) / passed;
    return { X, used, answers, enough: answers >= COUNTED && from.now >= settled };
  }

  function draw(pen: Pen): void {
    const scale = pen.width / top;
    seenWidth = pen.width;
    const now = Math.min(top, counted().X) * scale;
    shown().forEach((need, row) => {
      const index = needs.indexOf(need);
      const y = TOP + row * ROW;
      const allows = ceiling(need);
      const holds = need === lowest();
      const colour = holds ? pen.text : pen.muted;
      words(pen, `${need.label} ${short(need.count)} × ${seconds(need.held)}`, 0, y, 0, colour);
      words(pen, `${short(allows)} a second${holds ? ': it holds' : ''}`, pen.width, y, 1, colour);
      const width = Math.min(pen.width, allows * scale);
      box(pen, pen.accent, 0, y + 6, width, 14, holds ? 0.85 : 0.22);
      box(pen, pen.accent, 0, y + 6, width, 14, -1);
      const line = model.lines[index]!.length;
      const taken = model.taken[index]!;
      const all = Math.max(need.count, taken);
      const pitch = Math.min(10, pen.width / (all + line + 2));
      const radius = Math.max(1, pitch / 2 - 1);
      for (let i = 0; i < all + line; i += 1) {
        const x = pitch * (i + (i < all ? 0.5 : 1.5));
        dot(pen, i < all ? pen.accent : pen.muted, x, y + 29, radius, i < taken || i >= all);
      }
      stroke(pen, pen.text, [[now, y + 4], [now, y + 23]], 2, [4, 3]);
    });
  }

  return {
    counted,
    advance,
    draw,
    start() {
      reckon();
      top = 1.15 * Math.max(...shown().map(ceiling));
      model = new Stations(things(), values.users, drawn(byChance(stage), new Dice(stage.seed)));
      settle(WARM_UP);
      advance(settled);
    },
    changed() {
      reckon();
      model.change(things(), values.users);
      settle(SETTLES);
    },
    clock: () => clock(model.now),
    step() {
      const [thing, id] = model.step();
      return `At ${clock(model.now, 4)}: request ${id + 1} is done with: ${needs[thing]!.label}.`;
    },
    height: () => TOP + ROW * shown().length,
    rows() {
      const { X, used, answers } = counted();
      const known = (value: number) => (answers >= SHOWN ? value : NaN);
      const alone = needs[0]!.held;
      const rows: Row[] = [
        ['answers a second X', short(known(X)), `≤ ${short(most())}`],
        ['time in service', seconds(known(used[0]! / X)), `≥ ${seconds(alone)}`],
        ['at the door, of all users', `${model.lines[0]!.length} of ${values.users}`],
      ];
      for (const need of shown()) {
        const busy = used[needs.indexOf(need)]! / need.count;
        rows.push([`${need.label} busy`, percent(known(busy))]);
      }
      rows.push(['being worked on: X · time alone', short(known(X * alone)), `≤ ${short(ceiling(lowest()) * alone)}`]);
      return rows;
    },
    sentence() {
      const [low, next] = shown().sort((a, b) => ceiling(a) - ceiling(b));
      if (most() < ceiling(low!)) return `${values.users} users are too few to reach a ceiling.`;
      const then = next ? ` Next comes: ${next.label}, at ${short(ceiling(next))}.` : '';
      return `It is the ${low!.label} that holds, at ${short(ceiling(low!))} a second: ${low!.full}.${then}`;
    },
    answer() {
      const { X, enough } = counted();
      return enough ? rate(X) : undefined;
    },
    goals: {
      'one-repair'() {
        const turned = Object.keys(first).filter((name) => first[name as Name] !== values[name as Name]);
        const { X, enough } = counted();
        return enough && X > 200 && turned.length === 1;
      },
      'same-height': () => Math.abs((ceiling(needs[0]!) * needs[1]!.held) / needs[1]!.count - 1) < 0.02,
    },
    /** A bar is drawn out or pushed in: the time that its thing is held, or how many there are. */
    point(x, y, begins) {
      if (begins) pulled = Math.floor((y - TOP + 14) / ROW);
      const need = shown()[pulled];
      if (!need) return false;
      const turns = (stage.option('turn') ?? '').split(' ');
      const name = [need.time, need.units].find((each) => each && turns.includes(each));
      if (!name) return false;
      const allowed = Math.max(1, (x * top) / seenWidth);
      const wanted = name === need.time ? need.count / allowed : allowed * need.held;
      const steps = stepsWith(name, first[name]).filter((each) => each > 0);
      const value = steps.reduce((near, each) => (off(each, wanted) < off(near, wanted) ? each : near));
      if (value !== values[name]) stage.turn(name, value);
      return true;
    },
  };
}
