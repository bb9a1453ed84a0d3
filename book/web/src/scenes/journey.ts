/** One request from the wish to the answer: where it is, and whose clock runs meanwhile. */
import { CLOCKS, Journey, type Stage as Part } from './journey_model';
import type { Pen } from './look';
import { short, seconds } from './parameters';
import type { Row, Scene, Stage } from './scene';
import { SECOND } from './shop_model';
import { us } from './shop_times';

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

class JourneyScene implements Scene {
  readonly moves = true;
  readonly certain = true;
  readonly title = 'one request on its way through a server, and whose clock runs meanwhile';
  readonly columns: [string, string] = ['of it on a core', ''];
  readonly legend: [string, string][] = [
    ['core', 'a core works for it'],
    ['line', 'in a line'],
    ['wait', 'elsewhere'],
    ['model', 'a clock runs'],
  ];
  private journey!: Journey;
  private now = 0;
  private begun = false;
  private readonly clocks: string[];
  private readonly places: typeof PLACES;

  constructor(private stage: Stage) {
    this.places = stage.values.late > 0 ? PLACES : PLACES.slice(1);
    this.clocks = (stage.option('clocks') ?? 'client log cpu').split(/\s+/);
    for (const clock of this.clocks) {
      if (!CLOCKS[clock]) throw new Error(`clocks="${clock}": there are ${Object.keys(CLOCKS).join(', ')}.`);
    }
  }

  /** First all of it is there; then it begins with nothing. */
  start(): void {
    this.changed();
    if (this.begun) this.now = 0;
    this.begun = true;
  }

  /** Another journey, seen whole. */
  changed(): void {
    const { way, ahead, workers, others, cores, cpu, wait, late } = this.stage.values;
    this.journey = new Journey({
      ...{ way: us(way), ahead, workers, others, cores },
      ...{ cpu: us(cpu), wait: us(wait), late: us(late) },
    });
    this.now = this.journey.total;
  }

  advance(time: number): void {
    this.now = Math.min(this.journey.total, (this.over() ? 0 : this.now) + time);
  }

  over(): boolean {
    return this.now >= this.journey.total;
  }

  clock(): string {
    return `${(this.now / SECOND).toFixed(3)} s`;
  }

  step(): string {
    const from = this.over() ? 0 : this.now;
    const { spans, total } = this.journey;
    // From the end to the beginning, else to where the next part begins.
    this.now = this.over() ? 0 : (spans.find((span) => span.from > from)?.from ?? total);
    return `At ${this.clock()}: ${this.where()}`;
  }

  private where(): string {
    const span = this.journey.spans.find(({ from, to }) => from <= this.now && this.now < to);
    return span ? SAID[span.part] : 'The response is read.';
  }

  height(): number {
    return TOP + BOTTOM + (this.places.length + this.clocks.length) * PITCH + 8;
  }

  draw(pen: Pen): void {
    const { g, width, height } = pen;
    const { spans, total } = this.journey;
    const { now } = this;
    const x = (at: number) => LABEL + ((width - LABEL - 6) * at) / total;
    const bar = (row: number, from: number, to: number, part?: Part) => {
      const y = TOP + row * PITCH;
      const wide = Math.max(1, x(Math.min(to, now)) - x(from));
      if (!part) return g.fillRect(x(from), y + HIGH / 2 - 2, wide, 4);
      const lines = part === 'line' || part === 'ready';
      g.fillStyle = part === 'core' ? pen.accent : lines ? pen.muted : pen.wash;
      g.fillRect(x(from), y, wide, HIGH);
      g.strokeStyle = lines ? pen.muted : pen.accent;
      g.strokeRect(x(from) + 0.5, y + 0.5, Math.max(0, wide - 1), HIGH - 1);
    };
    const name = (row: number, words: string) => g.fillText(words, 0, TOP + row * PITCH + HIGH - 2);
    g.lineWidth = 1;
    this.places.forEach(([words, parts], row) => {
      g.fillStyle = pen.muted;
      name(row, words);
      for (const { part, from, to } of spans) if (parts.includes(part) && from < now) bar(row, from, to, part);
    });
    this.clocks.forEach((clock, index) => {
      const row = this.places.length + index + 8 / PITCH;
      g.fillStyle = pen.text;
      name(row, CLOCKS[clock]!.words);
      g.fillStyle = pen.accent;
      const { parts } = CLOCKS[clock]!;
      for (const { part, from, to } of spans) if (parts.includes(part) && from < now) bar(row, from, to);
    });
    g.strokeStyle = now < total ? pen.text : pen.line;
    g.beginPath();
    g.moveTo(x(now), TOP);
    g.lineTo(x(now), height - BOTTOM);
    g.moveTo(0, TOP + this.places.length * PITCH);
    g.lineTo(width, TOP + this.places.length * PITCH);
    g.stroke();
    g.fillStyle = pen.muted;
    g.fillText('0', LABEL, height - 5);
    g.textAlign = 'right';
    g.fillText(seconds(total / SECOND), width - 6, height - 5);
    g.textAlign = 'left';
  }

  rows(): Row[] {
    const core = this.journey.clock('cpu', this.now);
    return this.clocks.map((clock): Row => {
      const shown = this.journey.clock(clock, this.now);
      const part = clock !== 'cpu' && shown > 0 ? `${short((100 * core) / shown)} %` : '';
      return [CLOCKS[clock]!.about, seconds(shown / SECOND), part, ''];
    });
  }

  sentence(): string {
    const said = this.clocks.map(
      (clock) => `${CLOCKS[clock]!.words}: ${seconds(this.journey.clock(clock, this.now) / SECOND)}`,
    );
    return `${this.where()} Clocks show ${said.join(', ')}.`;
  }

  goal(name: string): { words: string; reached: boolean } {
    const words = GOALS[name];
    if (!words) throw new Error(`goal="${name}": there are ${Object.keys(GOALS).join(', ')}.`);
    const shows = (clock: string) => this.journey.clock(clock, this.journey.total);
    const reached = {
      'mostly-waiting': shows('cpu') > 0 && shows('cpu') < 0.1 * shows('client'),
      'log-is-quick': shows('log') > 0 && shows('client') >= 10 * shows('log'),
      'tool-doubles': shows('locust') >= 2 * shows('log'),
    };
    return { words, reached: reached[name as keyof typeof reached] };
  }
}

const GOALS: Record<string, string> = {
  'mostly-waiting': 'Let less than 10 % of the wall time be CPU time.',
  'log-is-quick': 'Make the client wait ten times as long as the server’s log says.',
  'tool-doubles': 'Let Locust report twice what the server’s log says, and leave the server alone.',
};

export const journey = (stage: Stage): Scene => new JourneyScene(stage);
