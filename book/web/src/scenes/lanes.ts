/** Who runs when: a lane for each request, over the last moments. */
import { button, select } from './controls';
import { LanesModel, type Lane, type State } from './lanes_model';
import type { Pen } from './look';
import { clock, rate, seconds, short } from './say';
import type { About, Row, Scene, Stage } from './scene';
import { SECOND } from './shop_model';
import { us } from './shop_times';
import { box, words } from './sketch';
import { bound, responseBound, shopOf } from './theory';

const TURN = us(0.005); // Python's switch interval; the scheduler's turn is taken to be as long
const LEAST = 1e-4; // seconds: something must take time, or a moment would hold answers without end
const RUN_IN = 5; // rounds, before the reader looks
const LEFT = 26;
const TOP = 6;
const BOTTOM = 44;
const ROUNDS = 20; // answers of each, before a goal is held against them

/** What a page offers, and how each of them takes turns: on all cores or on one, in turns or not. */
const WHO: Record<string, { words: string; cores?: boolean; loop?: boolean }> = {
  processes: { words: 'processes', cores: true },
  counting: { words: 'threads of one process, counting' },
  hashing: { words: 'threads of one process, hashing', cores: true },
  loop: { words: 'one event loop', loop: true },
};

const SAID = {
  run: 'runs',
  yield: 'has had its turn',
  wait: 'waits',
  block: 'blocks',
  done: 'is answered and asks again',
};

const letter = (id: number) => String.fromCharCode(65 + id);

const names = (lanes: Lane[]) => lanes.map(({ id }) => letter(id)).join(', ');

export const ABOUT: About = {
  title: 'who runs when, a lane for each request',
  legend: { core: 'runs', line: 'ready', wait: 'waits', blocked: 'blocks' },
  only: { wait: 'wait', blocked: 'call' },
  goals: {
    'both-cores': 'Keep all cores busy with one process.',
    'everybody-waits': 'Make every request of the loop late with a single call.',
  },
  options: { who: /* @__PURE__ */ Object.keys(WHO), span: 'numbers' },
  needs: { cpu: 'how long each computes' },
};

export function lanes(stage: Stage): Scene & { insert(): void } {
  const { values } = stage;
  const offered = (stage.option('who') ?? 'processes').split(/\s+/);
  const span = us(Number(stage.option('span') ?? 0.5));
  let who = offered[0]!;
  let model: LanesModel;
  let from: number | undefined; // an answer to A, which begins the counting
  let answers: number;
  let response: number;
  let X: number; // up to another answer to A: by then all have had their turn as often
  let R: number;
  let longest: number[]; // of each lane
  let inserted: boolean; // a blocking call
  let before: Record<State, number>; // its totals at the beginning of the counting

  const places = () => (WHO[who]!.cores ? values.cores : 1);

  const laws = () => ({ ...shopOf(values, LEAST), c: places(), W: values.lanes, Z: 0 });

  const pitch = () => (values.lanes > 8 ? 20 : 28);

  /** They come one after another, spread over a round, so that nobody is in step by chance. */
  function start(): void {
    const { lanes } = values;
    const { D, V } = laws();
    const round = us(responseBound(lanes, laws()));
    const starts = Array.from({ length: lanes }, (_, id) => Math.round((round * id) / lanes));
    const holds = WHO[who]!.loop ?? false;
    const turn = holds ? Infinity : TURN;
    model = new LanesModel({ cpu: Math.max(1, us(D)), wait: us(V), places: places(), turn, holds }, starts);
    from = undefined;
    inserted = false;
    answers = response = 0;
    X = R = NaN;
    longest = starts.map(() => 0);
    model.log = (at, what, id, took) => {
      if (what === 'done' && at > 2 * round) answered(at, id, took);
    };
    model.run(Math.max(span + round, RUN_IN * round));
  }

  function answered(at: number, id: number, took: number): void {
    longest[id] = Math.max(longest[id]!, took);
    if (from !== undefined) {
      answers += 1;
      response += took;
    }
    if (id !== 0) return;
    if (from === undefined) {
      from = at;
      before = model.totals();
      return;
    }
    X = (SECOND * answers) / (at - from);
    R = response / answers / SECOND;
  }

  /** How many were in a state on average, since the counting began. */
  function average(state: State): number {
    return X > 0 ? (model.totals()[state] - before[state]) / (model.now - from!) : NaN;
  }

  const enough = () => X > 0 && answers >= ROUNDS * values.lanes;

  function insert(): void {
    longest.fill(0);
    inserted = true;
    model.insert(us(values.call));
    stage.did(`The next that has computed makes a call that blocks for ${seconds(values.call)}.`);
  }

  function draw(pen: Pen): void {
    const { width, height } = pen;
    const { now, lanes, spans, ready } = model;
    const begin = now - span;
    const across = (width - LEFT) / span;
    const high = pitch() - 8;
    const bar = (id: number, state: State, from: number, to: number) => {
      if (to <= begin || state === 'away') return;
      const x = LEFT + Math.max(0, from - begin) * across;
      const w = (to - Math.max(from, begin)) * across;
      const y = TOP + id * pitch();
      if (state === 'ready') return box(pen, pen.muted, x, y + high / 2 - 1.5, w, 3);
      if (state === 'running') return box(pen, pen.accent, x, y, w, high);
      const blocks = state === 'blocking';
      box(pen, pen.wash, x, y, w, high);
      box(pen, blocks ? pen.warm : pen.accent, x, y, w, high, -1);
      if (blocks && w > 60) words(pen, 'blocks', x + 8, y + high / 2 + 5, 0, pen.warm);
    };
    // The spans stand in the order in which they ended.
    let first = spans.length;
    while (first > 0 && spans[first - 1]!.to > begin) first -= 1;
    for (const { id, state, from, to } of spans.slice(first)) bar(id, state, from, to);
    for (const { id, state, since } of lanes) {
      bar(id, state, since, now);
      const colour = state === 'running' ? pen.accent : pen.muted;
      words(pen, letter(id), 4, TOP + id * pitch() + high / 2 + 5, 0, colour);
    }
    words(pen, `${seconds(span / SECOND)} ago`, LEFT, height - BOTTOM + 14);
    words(pen, 'now', width, height - BOTTOM + 14, 1);
    words(pen, `ready list: ${names(ready) || 'empty'}`, LEFT, height - 6);
  }

  function sentence(): string {
    const of = (state: State) => names(model.lanes.filter((lane) => lane.state === state));
    const blocking = of('blocking');
    const now =
      `running: ${of('running') || 'nobody'}${blocking && `, blocking: ${blocking}`}; ` +
      `ready: ${names(model.ready) || 'nobody'}.`;
    return X > 0 ? `${now} ${rate(X).words}.` : now;
  }

  return {
    certain: true,
    start,
    changed: start,
    insert,
    draw,
    sentence,
    advance: (time) => model.run(model.now + time),
    clock: () => clock(model.now, 3),
    step() {
      const told: string[] = [];
      const { log } = model;
      model.log = (at, what, id, took) => {
        log!(at, what, id, took);
        told.push(`${letter(id)} ${SAID[what]}`);
      };
      while (told.length === 0) model.happen();
      model.log = log;
      return `At ${clock(model.now, 3)}: ${told.join(', ')}.`;
    },
    tools() {
      const kinds = offered.map((name): [string, string] => [name, WHO[name]!.words]);
      const choice = select('Workers are', kinds, who, (value) => {
        who = value;
        start();
        stage.did(sentence());
      });
      const { call } = values;
      return call > 0 ? [choice, button(`Insert a blocking call of ${seconds(call)}`, insert)] : [choice];
    },
    height: () => TOP + BOTTOM + values.lanes * pitch(),
    rows() {
      const { lanes, cores, call } = values;
      const busy = average('running');
      const made: Row[] = [
        ['requests a second X', short(X), `≤ ${short(bound(lanes, laws()))}`],
        ['response time R', seconds(R), `≥ ${seconds(responseBound(lanes, laws()))}`],
        ['cores busy', busy >= 0 ? `${busy.toFixed(2)} of ${cores}` : '–', `≤ ${places()}`],
        ['ready, on average', short(Math.round(100 * average('ready')) / 100)],
      ];
      if (call > 0) made.splice(2, 0, ['longest response time', seconds(Math.max(...longest) / SECOND)]);
      return made;
    },
    // A bet was on the first that is offered, as it is.
    answer: () => (enough() && who === offered[0] && !inserted ? rate(X) : undefined),
    goals: {
      'both-cores': () =>
        enough() && who === 'hashing' && values.cores >= 2 && average('running') > 0.98 * values.cores,
      'everybody-waits': () =>
        who === 'loop' && values.lanes > 1 && values.call > 0 && longest.every((each) => each >= us(values.call)),
    },
  };
}
