/** One request from the wish to the answer: where it is, and whose clock runs meanwhile. */
import { CLOCKS, Journey, type Stage as Part } from './journey_model';
import type { Pen } from './look';
import { clock, short, time } from './say';
import type { About, Row, Scene, Stage } from './scene';
import { us } from './shop_times';
import { box, stroke, words } from './sketch';

const LABEL = 92; // pixels for the names on the left
const PITCH = 24;
const HIGH = 14;
const TOP = 4;
const BOTTOM = 22;

/** Rows of the picture, and which parts of the journey go by there. */
const PLACES: [words: string, parts: Part[]][] = [
  ['client', ['due', 'unread']],
  ['on its way', ['connect', 'request', 'response']],
  ['listen queue', ['line']],
  ['run queue', ['ready']],
  ['on a core', ['core']],
  ['waiting', ['wait']],
];

const SAID: Record<Part, string> = {
  due: 'It is due, and the client is busy with others.',
  connect: 'SYN: it knocks, and the kernel answers for the server.',
  request: 'It is connected, and the request is on its way.',
  line: 'It lies in the listen queue. No worker has accepted it yet.',
  ready: 'A worker has accepted it and wants a core: it is in the run queue.',
  core: 'A core works for it.',
  wait: 'It waits, and needs no core.',
  response: 'The response is on its way.',
  unread: 'The response is there, and the client hasn’t read it.',
};

export const ABOUT: About = {
  title: 'one request on its way through a server, and whose clock runs meanwhile',
  legend: { core: 'a core works for it', line: 'in a line', wait: 'elsewhere', model: 'a clock runs' },
  columns: ['of it on a core', ''],
  goals: {
    'mostly-waiting': 'Let less than 10 % of the wall time be CPU time.',
    'log-is-quick': 'Let the client’s answer take ten times what the server’s log says.',
    'tool-doubles': 'Let Locust report twice what the server’s log says, and leave the server alone.',
  },
  options: { clocks: /* @__PURE__ */ Object.keys(CLOCKS) },
};

export function journey(stage: Stage): Scene {
  const { values } = stage;
  const places = values.late > 0 ? PLACES : PLACES.slice(1);
  const clocks = (stage.option('clocks') ?? 'client log cpu').split(/\s+/);
  let way: Journey;
  let now: number;

  /** Another journey, seen whole. */
  function changed(): void {
    const { cpu, wait, late } = values;
    way = new Journey({ ...values, way: us(values.way), cpu: us(cpu), wait: us(wait), late: us(late) });
    now = way.total;
  }

  const over = () => now >= way.total;

  function where(): string {
    const span = way.spans.find(({ from, to }) => from <= now && now < to);
    return span ? SAID[span.part] : 'The response is read.';
  }

  function draw(pen: Pen): void {
    const { width, height } = pen;
    const { spans, total } = way;
    const right = width - 6;
    const x = (at: number) => LABEL + ((right - LABEL) * at) / total;
    const line = (points: number[][]) => stroke(pen, now < total ? pen.text : pen.line, points);
    /** A row: its name, and a bar for each of its parts that has begun. */
    const row = (index: number, name: string, parts: Part[], colour: string, clock: boolean) => {
      const y = TOP + index * PITCH;
      words(pen, name, 0, y + HIGH - 2, 0, colour);
      for (const { part, from, to } of spans) {
        if (!parts.includes(part) || from >= now) continue;
        const wide = Math.max(1, x(Math.min(to, now)) - x(from));
        if (clock) {
          box(pen, pen.accent, x(from), y + HIGH / 2 - 2, wide, 4);
          continue;
        }
        const stands = part === 'line' || part === 'ready';
        box(pen, part === 'core' ? pen.accent : stands ? pen.muted : pen.wash, x(from), y, wide, HIGH);
        box(pen, stands ? pen.muted : pen.accent, x(from), y, wide, HIGH, -1);
      }
    };
    places.forEach(([name, parts], index) => row(index, name, parts, pen.muted, false));
    clocks.forEach((each, index) => {
      const { words, parts } = CLOCKS[each]!;
      row(places.length + index + 8 / PITCH, words, parts, pen.text, true);
    });
    const below = TOP + places.length * PITCH;
    line([[x(now), TOP], [x(now), height - BOTTOM]]);
    line([[0, below], [width, below]]);
    words(pen, 0, LABEL, height - 5);
    words(pen, time(total), right, height - 5, 1);
  }

  const shows = (clock: string) => way.clock(clock, way.total);

  return {
    certain: true,
    changed,
    over,
    draw,
    start() {
      changed();
      now = 0;
    },
    advance(time) {
      now = Math.min(way.total, (over() ? 0 : now) + time);
    },
    clock: () => clock(now, 3),
    step() {
      // From the end to the beginning, else to where the next part begins.
      now = over() ? 0 : (way.spans.find(({ from }) => from > now)?.from ?? way.total);
      return `At ${clock(now, 3)}: ${where()}`;
    },
    height: () => TOP + BOTTOM + (places.length + clocks.length) * PITCH + 8,
    rows() {
      const core = way.clock('cpu', now);
      return clocks.map((clock): Row => {
        const shown = way.clock(clock, now);
        const part = clock !== 'cpu' && shown > 0 ? `${short((100 * core) / shown)} %` : '';
        return [CLOCKS[clock]!.about, time(shown), part];
      });
    },
    sentence() {
      const said = clocks.map((clock) => `${CLOCKS[clock]!.words}: ${time(way.clock(clock, now))}`);
      return `${where()} Clocks show ${said.join(', ')}.`;
    },
    goals: {
      'mostly-waiting': () => shows('cpu') > 0 && shows('cpu') < 0.1 * shows('client'),
      'log-is-quick': () => shows('log') > 0 && shows('client') >= 10 * shows('log'),
      'tool-doubles': () => shows('locust') >= 2 * shows('log'),
    },
  };
}
