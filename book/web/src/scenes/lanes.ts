/** Who runs when: a lane for each request, over the last moments. */
import { button, select } from './controls';
import { LanesModel, type Lane, type Rules, type Span, type State } from './lanes_model';
import type { Pen } from './look';
import { short, seconds } from './parameters';
import type { Row, Scene, Stage } from './scene';
import { SECOND } from './shop_model';
import { us } from './shop_times';
import { bound, responseBound } from './theory';

const TURN = us(0.005); // Python's switch interval; the scheduler's turn is taken to be as long
const LEAST = 1e-4; // seconds: something must take time, or a moment would hold answers without end
const RUN_IN = 5; // rounds, before the reader looks
const LEFT = 26;
const TOP = 6;
const BOTTOM = 44;
const ROUNDS = 20; // answers of each, before a goal is held against them

/** What a page offers, and how each of them takes turns: on all cores or on one, in turns or not. */
const WHO: Record<string, { words: string; cores: boolean; loop?: boolean }> = {
  processes: { words: 'processes', cores: true },
  counting: { words: 'threads of one process, counting', cores: false },
  hashing: { words: 'threads of one process, hashing', cores: true },
  loop: { words: 'one event loop', cores: false, loop: true },
};

const letter = (id: number) => String.fromCharCode(65 + id);

class Lanes implements Scene {
  readonly moves = true;
  readonly certain = true;
  readonly title = 'who runs when, a lane for each request';
  readonly legend: [string, string][] = [
    ['core', 'runs'],
    ['line', 'ready'],
  ];
  model!: LanesModel;
  private readonly offered: string[];
  private who: string;
  private from: number | undefined; // an answer to A, which begins the counting
  private answers = 0;
  private response = 0;
  private X = 0; // up to another answer to A: by then all have had their turn as often
  private R = 0;
  private longest: number[] = []; // of each lane
  private inserted!: boolean; // a blocking call
  private busy = { at: 0, running: 0, ready: 0 }; // at the beginning of the counting

  constructor(private stage: Stage) {
    this.offered = (stage.option('who') ?? 'processes').split(/\s+/);
    for (const each of this.offered) {
      if (!WHO[each]) throw new Error(`who="${each}": there are ${Object.keys(WHO).join(', ')}.`);
    }
    this.who = this.offered[0]!;
    if (stage.values.wait > 0) this.legend.push(['wait', 'waits']);
    if (stage.values.call > 0) this.legend.push(['blocked', 'blocks']);
  }

  /** They come one after another, spread over a round, so that nobody is in step by chance. */
  start(): void {
    const { lanes } = this.stage.values;
    const round = us(responseBound(lanes, this.laws));
    const starts = Array.from({ length: lanes }, (_, id) => Math.round((round * id) / lanes));
    this.model = new LanesModel(this.rules, starts);
    this.from = undefined;
    this.inserted = false;
    this.answers = this.response = this.X = 0;
    this.longest = starts.map(() => 0);
    this.model.log = (at, what, id, took) => {
      if (what === 'done' && at > 2 * round) this.answered(at, id, took);
    };
    this.advance(Math.max(this.span + round, RUN_IN * round));
  }

  private answered(at: number, id: number, took: number): void {
    this.longest[id] = Math.max(this.longest[id]!, took);
    if (this.from !== undefined) {
      this.answers += 1;
      this.response += took;
    }
    if (id !== 0) return;
    if (this.from === undefined) {
      this.from = at;
      const { running, ready } = this.model.totals();
      this.busy = { at, running, ready };
      return;
    }
    this.X = (SECOND * this.answers) / (at - this.from);
    this.R = this.response / this.answers / SECOND;
  }

  private get rules(): Rules {
    const { D, V } = this.laws;
    const loop = WHO[this.who]!.loop ?? false;
    const turn = loop ? Infinity : TURN;
    return { cpu: Math.max(1, us(D)), wait: us(V), places: this.places, turn, holds: loop };
  }

  private get places(): number {
    return WHO[this.who]!.cores ? this.stage.values.cores : 1;
  }

  private get laws() {
    const { cpu, wait, lanes } = this.stage.values;
    return { D: cpu + wait > 0 ? cpu : LEAST, V: wait, c: this.places, W: lanes, Z: 0 };
  }

  private get span(): number {
    return us(Number(this.stage.option('span') ?? 0.5));
  }

  advance(time: number): void {
    this.model.run(this.model.now + time);
  }

  clock(): string {
    return `${(this.model.now / SECOND).toFixed(3)} s`;
  }

  step(): string {
    const { model } = this;
    const told: string[] = [];
    const { log } = model;
    model.log = (at, what, id, took) => {
      log!(at, what, id, took);
      told.push(`${letter(id)} ${SAID[what]}`);
    };
    while (told.length === 0) model.happen();
    model.log = log;
    return `At ${this.clock()}: ${told.join(', ')}.`;
  }

  changed(): void {
    this.start();
  }

  tools(): Node[] {
    const made: Node[] = [];
    if (this.offered.length > 1) {
      const kinds = this.offered.map((name): [string, string] => [name, WHO[name]!.words]);
      made.push(
        select('Workers are', kinds, this.who, (value) => {
          this.who = value;
          this.start();
          this.stage.did(this.sentence());
        }),
      );
    }
    const { call } = this.stage.values;
    if (call > 0) {
      made.push(button(`Insert a blocking call of ${seconds(call)}`, () => this.insert()));
    }
    return made;
  }

  insert(): void {
    const { call } = this.stage.values;
    this.longest.fill(0);
    this.inserted = true;
    this.model.insert(us(call));
    this.stage.did(`The next that has computed makes a call that blocks for ${seconds(call)}.`);
  }

  height(): number {
    return TOP + BOTTOM + this.stage.values.lanes * this.pitch;
  }

  private get pitch(): number {
    return this.stage.values.lanes > 8 ? 20 : 28;
  }

  draw(pen: Pen): void {
    const { g, width, height } = pen;
    const { now, lanes, spans, ready } = this.model;
    const begin = now - this.span;
    const across = (width - LEFT) / this.span;
    const high = this.pitch - 8;
    const bar = (id: number, state: State, from: number, to: number) => {
      if (to <= begin || state === 'away') return;
      const x = LEFT + Math.max(0, from - begin) * across;
      const w = (to - Math.max(from, begin)) * across;
      const y = TOP + id * this.pitch;
      g.fillStyle = COLOUR[state](pen);
      if (state === 'ready') return g.fillRect(x, y + high / 2 - 1.5, w, 3);
      g.fillRect(x, y, w, high);
      if (state === 'running') return;
      g.strokeStyle = state === 'blocking' ? pen.warm : pen.accent;
      g.strokeRect(x + 0.5, y + 0.5, Math.max(0, w - 1), high - 1);
      if (state === 'blocking' && w > 60) {
        g.fillStyle = pen.warm;
        g.fillText('blocks', x + 8, y + high / 2 + 5);
      }
    };
    g.lineWidth = 1;
    for (const { id, state, from, to } of recent(spans, begin)) bar(id, state, from, to);
    for (const { id, state, since } of lanes) bar(id, state, since, now);
    g.fillStyle = pen.muted;
    for (const { id, state } of lanes) {
      g.fillStyle = state === 'running' ? pen.accent : pen.muted;
      g.fillText(letter(id), 4, TOP + id * this.pitch + high / 2 + 5);
    }
    g.fillStyle = pen.muted;
    g.fillText(`${seconds(this.span / SECOND)} ago`, LEFT, height - BOTTOM + 14);
    g.textAlign = 'right';
    g.fillText('now', width, height - BOTTOM + 14);
    g.textAlign = 'left';
    g.fillText(`ready list: ${names(ready) || 'empty'}`, LEFT, height - 6);
  }

  private counted() {
    const { running, ready } = this.model.totals();
    const watched = Math.max(1, this.model.now - this.busy.at);
    return {
      X: this.X,
      R: this.R,
      busy: (running - this.busy.running) / watched,
      ready: (ready - this.busy.ready) / watched,
      known: this.X > 0,
      enough: this.answers >= ROUNDS * this.stage.values.lanes,
      longest: Math.max(...this.longest) / SECOND,
    };
  }

  rows(): Row[] {
    const { X, R, busy, ready, known, longest } = this.counted();
    const { lanes, cores, call } = this.stage.values;
    const shown = (value: number, say: (value: number) => string) => (known ? say(value) : '–');
    const made: Row[] = [
      ['requests a second X', shown(X, short), `≤ ${short(bound(lanes, this.laws))}`, ''],
      ['response time R', shown(R, seconds), `≥ ${seconds(responseBound(lanes, this.laws))}`, ''],
      ['cores busy', known ? `${busy.toFixed(2)} of ${cores}` : '–', `≤ ${this.places}`, ''],
      ['ready, on average', shown(Math.round(100 * ready) / 100, short), '', ''],
    ];
    if (call > 0) made.splice(2, 0, ['longest response time', seconds(longest), '', '']);
    return made;
  }

  sentence(): string {
    const { lanes, ready } = this.model;
    const of = (state: State) => names(lanes.filter((lane) => lane.state === state)) || 'nobody';
    const { X, known } = this.counted();
    const held = lanes.some(({ state }) => state === 'blocking') ? `, ${of('blocking')} blocks` : '';
    const now = `${of('running')} runs${held}; ready: ${names(ready) || 'nobody'}.`;
    return known ? `${now} ${short(X)} requests a second.` : now;
  }

  answer(): { value: number; words: string } | undefined {
    const { X, enough } = this.counted();
    const asAsked = this.who === this.offered[0] && !this.inserted; // what the bet was on
    return enough && asAsked ? { value: X, words: `${short(X)} requests a second` } : undefined;
  }

  goal(name: string): { words: string; reached: boolean } {
    const goal = GOALS[name];
    if (!goal) throw new Error(`goal="${name}": there are ${Object.keys(GOALS).join(', ')}.`);
    const { busy, enough } = this.counted();
    const { cpu, wait, lanes, cores, call } = this.stage.values;
    const late = this.longest.filter((longest) => longest >= us(call)).length;
    const fewest = Math.ceil(1 + wait / cpu);
    const reached = {
      'both-cores': enough && this.who === 'hashing' && cores >= 2 && busy > 0.98 * cores,
      'lock-is-full': enough && this.who === 'counting' && busy > 0.98 && lanes <= fewest,
      'everybody-waits': this.who === 'loop' && lanes > 1 && call > 0 && late === lanes,
    };
    return { words: goal, reached: reached[name as keyof typeof reached] };
  }
}

const GOALS: Record<string, string> = {
  'both-cores': 'Keep all cores busy with one process.',
  'lock-is-full': 'Find the fewest threads that never leave the lock free.',
  'everybody-waits': 'Make every request of the loop late with a single call.',
};

const SAID = {
  run: 'runs',
  yield: 'has had its turn',
  wait: 'waits',
  block: 'blocks',
  done: 'is answered and asks again',
};

const COLOUR: Record<State, (pen: Pen) => string> = {
  away: (pen) => pen.muted,
  ready: (pen) => pen.muted,
  running: (pen) => pen.accent,
  waiting: (pen) => pen.wash,
  blocking: (pen) => pen.wash,
};

const names = (lanes: Lane[]) => lanes.map(({ id }) => letter(id)).join(', ');

/** Those that end after a moment; they stand in the order in which they ended. */
function recent(spans: Span[], begin: number): Span[] {
  let at = spans.length;
  while (at > 0 && spans[at - 1]!.to > begin) at -= 1;
  return spans.slice(at);
}

export const lanes = (stage: Stage): Scene => new Lanes(stage);
