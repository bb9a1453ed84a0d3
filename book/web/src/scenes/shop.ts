/** The shop: users, a listen queue, workers, and cores or waits; what is counted, beside the laws. */
import { Dice } from './dice';
import { clock, percent, rate, seconds, short } from './say';
import type { About, Row, Scene, Stage } from './scene';
import { SECOND, ShopModel, type Happening, type Totals } from './shop_model';
import { height, ShopPicture } from './shop_picture';
import { byChance, randomTimes, us } from './shop_times';
import { bound, responseBound, shopOf, throughput } from './theory';

const WARM_UP = 8; // response times, before the reader looks at a crowd for the first time
const SETTLES = 2; // after a change, before anything is counted
const SHOWN = 20; // answers at least, before a number is shown
const COUNTED = 100; // answers at least, before a number is held against a bet or a goal
const WINDOW_S = 2; // for visitors, whose number finds no level
const SNAPSHOTS = 8; // in a window
const MOST_TOLD = 3; // happenings of one step

const WORDS: Record<Happening, (id: number) => string> = {
  ask: (id) => `Request ${id} knocks.`,
  queue: (id) => `Request ${id} takes a place in line.`,
  refuse: (id) => `Request ${id} finds no place, and will knock again.`,
  start: (id) => `A worker takes request ${id}.`,
  computed: (id) => `Request ${id} has had its CPU time.`,
  done: (id) => `Request ${id} is answered.`,
};

export const ABOUT: About = {
  title: 'requests on their way through a listen queue, workers and cores',
  legend: {
    line: 'in line',
    core: 'in a worker, on a core',
    wait: 'in a worker, waiting',
    away: 'thinking',
    refused: 'found no place, knocks again',
  },
  only: { away: 'think', refused: 'places' },
  goals: {
    'turned-away': 'Send so many that one of them finds no place.',
    'time-to-think': 'Keep all 16 users, and let an answer take 100 ms at most, on average.',
    'all-cores': 'Find the fewest users that keep all four cores busy.',
    'within-a-second': 'Let 90 users or more be answered within a second.',
    'fewest-cores': 'Take cores away: how few still give these 256 users more than 1200 answers a second?',
    'smallest-pool': 'Find the smallest pool with which none of the 96 users stands in line.',
    'everybody-in': 'Let all 64 users in, without another worker.',
    'line-is-gone': 'Let a line of 50 grow, then make it go away while 24 a second keep coming.',
    'cores-filled': 'Find a pool of fewer than 50 workers that keeps the four cores 95 % busy.',
  },
  // While the button is held down, if there is one.
  still(scene, option) {
    if (option('hold')) scene.send!(true);
    scene.advance!((option('users') ? 30 : 3) * SECOND); // a line of visitors finds no level
  },
};

export function shop(stage: Stage): Scene & { counted(): object } {
  const { values } = stage;
  const rateHeld = Number(stage.option('hold') ?? 0);
  const picture = new ShopPicture();
  let model: ShopModel;
  let origin: Totals; // of the counting
  let settled: number;
  let recent: Totals[];
  let longest: number;
  let peak: number;

  const open = () => values.users === 0;

  const round = () => responseBound(Math.max(1, values.users), shopOf(values)) + values.think;

  /** What comes now belongs to the change, not to what it leads to. */
  function settle(rounds: number): void {
    settled = model.now + Math.max(1, us(rounds * round()));
    count();
  }

  function count(): void {
    origin = model.totals();
    recent = [origin];
    longest = model.line.length;
  }

  function advance(time: number): void {
    const until = model.now + time;
    const often = us(WINDOW_S / SNAPSHOTS);
    while (model.now < until) {
      const next = model.now < settled ? settled : Infinity;
      model.run(Math.min(until, next, model.now + often));
      if (model.now === next) count();
      longest = Math.max(longest, model.line.length);
      peak = Math.max(peak, longest);
      if (model.now - recent.at(-1)!.now >= often) {
        recent.push(model.totals());
        if (recent.length > SNAPSHOTS + 1) recent.shift();
      }
    }
  }

  /** Since the reader last turned something. */
  function counted() {
    const now = model.totals();
    const from = open() ? recent[0]! : origin;
    const seconds = Math.max(1, now.now - from.now) / SECOND;
    const since = (what: keyof Totals) => now[what] - from[what];
    const answers = since('done');
    return {
      seconds,
      answers,
      longest, // line
      peak, // line since the beginning
      X: answers / seconds,
      R: since('response') / answers / SECOND,
      arrived: since('asked') / seconds,
      busy: since('busyCores') / SECOND / seconds / values.cores,
      refused: now.refusals - origin.refusals, // SYNs
      outside: model.underWay - model.line.length - model.inService, // without a place, now
      line: model.line.length, // now
      enough: answers >= COUNTED && model.now > settled,
    };
  }

  function rows(): Row[] {
    const laws = shopOf(values);
    const { users, places, think, cores } = values;
    const { answers, X, R, arrived, busy, line, refused, enough } = counted();
    const known = answers >= (open() ? 1 : SHOWN);
    const response = seconds(known ? R : NaN);
    const inLine: Row = ['in line', `${line}`, places < 1000 ? `of ${short(places)}` : ''];
    const working: Row = [
      `${cores === 1 ? 'the core' : `the ${cores} cores`} busy`,
      percent(known || model.onCores ? busy : NaN),
    ];
    if (open()) {
      const most = Math.min(bound(Infinity, laws), values.rate || Infinity);
      return [
        ['arrivals a second', short(arrived)],
        ['answers a second X', short(X), `≤ ${short(most)}`],
        ['response time R', response, `≥ ${seconds(laws.D + laws.V)}`],
        ['under way', `${model.underWay}`],
        inLine,
        working,
      ];
    }
    const expected = throughput(users, laws);
    const inside = known ? X * (R + think) : NaN;
    const rows: Row[] = [
      ['requests a second X', short(known ? X : NaN), `≤ ${short(bound(users, laws))}`, short(expected)],
      ['response time R', response, `≥ ${seconds(responseBound(users, laws))}`, seconds(users / expected - think)],
      [think > 0 ? 'X · (R + Z)' : 'X · R', short(inside), '', `= ${users}`],
      inLine,
    ];
    const without = Math.round(users - inside);
    if (refused > 0 && enough && without > 0) {
      rows.push(['users without an answer', `${users} − ${short(inside)} = ${without}`]);
    }
    return [...rows, working];
  }

  /** Whether what was counted is what a page asks for. */
  const when = (reached: (now: ReturnType<typeof counted>) => boolean) => () => reached(counted());

  return {
    counted,
    advance,
    rows,
    start() {
      model = new ShopModel({ ...values, rate: 0 }, randomTimes(values, new Dice(stage.seed), byChance(stage)));
      model.change({ ...values });
      model.bring(values.users, us(round()));
      peak = 0;
      picture.forget();
      settle(WARM_UP);
      // A crowd that has found its level is what the reader looks at first; visitors begin from none.
      if (!open()) advance(settled);
    },
    clock: () => clock(model.now),
    step() {
      const happened: string[] = [];
      model.log = (_, what, id) => happened.push(WORDS[what](id + 1));
      let at = model.now;
      while (happened.length === 0 && model.nextAt < Infinity) {
        at = model.nextAt;
        advance(at - model.now);
        model.run(at); // also what is due this very moment
      }
      model.log = undefined;
      if (happened.length === 0) return 'Nothing is under way.';
      const more = happened.length - MOST_TOLD;
      const first = happened.slice(0, MOST_TOLD).join(' ');
      return `At ${clock(at, 4)}: ${first}${more > 0 ? ` And ${more} more.` : ''}`;
    },
    changed() {
      model.change({ ...values });
      const missing = values.users - model.present;
      if (missing > 0) model.bring(missing, us(round()));
      settle(SETTLES);
    },
    send(held) {
      values.rate = held ? rateHeld : 0;
      if (held) model.send();
      model.change({ ...values });
    },
    height,
    draw: (pen, ms) => picture.draw(pen, model, values, ms, rateHeld > 0 || values.rate > 0),
    sentence() {
      const { line, inService, busyCores } = model;
      const { answers, X, R } = counted();
      const now =
        `Workers taken: ${inService} of ${values.workers}. In line: ${line.length}. ` +
        `Cores at work: ${busyCores} of ${values.cores}.`;
      if (answers < SHOWN) return now;
      return `${now} ${short(X)} answers a second, after ${seconds(R)} each.`;
    },
    answer() {
      const { enough, X } = counted();
      return enough ? rate(X) : undefined;
    },
    goals: {
      'turned-away': when(({ refused }) => refused > 0),
      'time-to-think': when(({ enough, R }) => enough && values.users >= 16 && R <= 0.1),
      'all-cores': when(({ enough, busy }) => enough && values.cores === 4 && busy > 0.98 && values.users <= 4),
      'within-a-second': when(({ enough, R }) => enough && values.users >= 90 && R < 1.05),
      'fewest-cores': when(({ enough, X }) => enough && values.users >= 256 && X > 1200 && values.cores <= 3),
      'smallest-pool': when(
        ({ enough, longest }) => enough && values.users >= 96 && values.workers <= 96 && longest === 0,
      ),
      'everybody-in': when(
        ({ enough, outside }) => enough && values.users >= 64 && values.workers <= 16 && outside === 0,
      ),
      'line-is-gone': when(({ line, peak }) => values.rate >= 24 && peak >= 50 && line === 0),
      'cores-filled': when(
        ({ enough, seconds, busy }) =>
          enough && seconds > 4 && values.cores === 4 && values.workers < 50 && busy > 0.945,
      ),
    },
  };
}
