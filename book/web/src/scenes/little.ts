/** Arrivals and departures as two staircases, and the area between them, counted twice. */
import { select } from './controls';
import { Stays } from './little_model';
import type { Pen } from './look';
import { short, seconds, type Name } from './parameters';
import type { Row, Scene, Stage } from './scene';
import { SECOND } from './shop_model';
import { us } from './shop_times';

const GRID = us(0.1); // what a drag comes to
const AFTER = 1.2; // of the watched time is drawn
const MARGIN = { left: 8, right: 8, top: 10, bottom: 24 };
const NEAR = 28; // pixels from the finger

class Little implements Scene {
  readonly moves = true;
  readonly certain = true;
  readonly title = 'arrivals and departures as two staircases, and the area between them';
  readonly legend: [string, string][] = [
    ['model', 'have come'],
    ['bound', 'have left'],
    ['core', 'leaves: drag it'],
  ];
  private readonly stays: Stays;
  private readonly end: number;
  private now: number;
  private begun = false;
  private byRows = true;
  private x = (_at: number) => 0;
  private y = (_count: number) => 0;

  constructor(private stage: Stage) {
    const times = (name: string) => (stage.option(name) ?? '').split(/\s+/).map((text) => us(Number(text)));
    this.stays = new Stays(times('arrive'), times('leave'));
    this.end = this.now = us(Number(stage.option('over')));
    stage.values.leaves = this.stays.leave[this.chosen]! / SECOND;
  }

  private get chosen(): number {
    return Math.min(this.stays.arrive.length, this.stage.values.request) - 1;
  }

  /** First all of it is there; then it begins with nothing. */
  start(): void {
    if (this.begun) {
      this.stays.again();
      this.stage.turn('leaves', this.stays.leave[this.chosen]! / SECOND);
      this.now = 0;
    }
    this.begun = true;
  }

  advance(time: number): void {
    this.now = Math.min(this.end, (this.over() ? 0 : this.now) + time);
  }

  over(): boolean {
    return this.now >= this.end;
  }

  clock(): string {
    return `${(this.now / SECOND).toFixed(1)} s`;
  }

  step(): string {
    const from = this.over() ? 0 : this.now;
    const next = this.stays.moments().find((at) => at > from) ?? this.end;
    this.now = Math.min(this.end, next);
    const { arrive, leave } = this.stays;
    const who = (of: number[]) => of.flatMap((at, index) => (at === this.now ? [index + 1] : []));
    const comes = who(arrive).map((id) => `request ${id} comes, `);
    const leaves = who(leave).map((id) => `request ${id} leaves, `);
    return `At ${this.clock()}: ${[...comes, ...leaves].join('')}${this.stays.inside(this.now)} inside.`;
  }

  changed(name: Name): void {
    const { stage, stays, chosen } = this;
    if (name === 'leaves') {
      const asked = Math.round(us(stage.values.leaves) / GRID) * GRID;
      stays.leave[chosen] = Math.max(stays.arrive[chosen]! + GRID, asked);
    }
    const now = stays.leave[chosen]! / SECOND;
    if (stage.values.leaves !== now) stage.turn('leaves', now);
  }

  tools(): Node[] {
    const kinds: [string, string][] = [
      ['rows', 'by rows: how long each stays'],
      ['columns', 'by columns: how many are inside'],
    ];
    return [
      select('Count the area', kinds, 'rows', (value) => {
        this.byRows = value === 'rows';
        this.stage.did(this.sentence());
      }),
    ];
  }

  height(width: number): number {
    return width < 560 ? 250 : 300;
  }

  draw(pen: Pen): void {
    const { g, width, height } = pen;
    const { stays, end, now } = this;
    const { arrive } = stays;
    const leavings = stays.leavings();
    const across = (width - MARGIN.left - MARGIN.right) / (AFTER * end);
    const up = (height - MARGIN.top - MARGIN.bottom) / arrive.length;
    const x = (this.x = (at) => MARGIN.left + at * across);
    const y = (this.y = (count) => height - MARGIN.bottom - count * up);
    g.fillStyle = pen.accent;
    const fill = (index: number, from: number, to: number, below: number, above: number) => {
      if (to <= from || above <= below) return;
      g.globalAlpha = index % 2 ? 0.2 : 0.38;
      g.fillRect(x(from), y(above), x(to) - x(from), y(below) - y(above));
    };
    if (this.byRows) {
      arrive.forEach((at, index) => fill(index, at, Math.min(now, leavings[index]!), index, index + 1));
    } else {
      const moments = [...stays.moments().filter((at) => at < now), now];
      const upTo = (of: number[], at: number) => of.filter((each) => each <= at).length;
      moments.slice(0, -1).forEach((at, index) => {
        fill(index, at, moments[index + 1]!, upTo(leavings, at), upTo(arrive, at));
      });
    }
    g.globalAlpha = 1;
    const stairs = (of: number[], colour: string, dash: number[]) => {
      g.strokeStyle = colour;
      g.setLineDash(dash);
      g.lineWidth = 2;
      g.beginPath();
      g.moveTo(x(0), y(0));
      of.forEach((at, index) => {
        g.lineTo(x(at), y(index));
        g.lineTo(x(at), y(index + 1));
      });
      g.lineTo(x(AFTER * end), y(of.length));
      g.stroke();
      g.setLineDash([]);
    };
    stairs(arrive, pen.accent, []);
    stairs(leavings, pen.muted, [6, 5]);
    this.rule(pen, end, pen.line);
    if (now < end) this.rule(pen, now, pen.text);
    const rank = leavings.indexOf(stays.leave[this.chosen]!);
    g.beginPath();
    g.arc(x(leavings[rank]!), y(rank + 0.5), 7, 0, 7);
    g.fillStyle = pen.accent;
    g.fill();
    g.fillStyle = pen.muted;
    g.fillText('0', x(0), height - 6);
    g.textAlign = 'right';
    g.fillText(`watched for ${end / SECOND} s`, x(end), height - 6);
    g.textAlign = 'left';
  }

  private rule({ g }: Pen, at: number, colour: string): void {
    g.strokeStyle = colour;
    g.lineWidth = 1;
    g.beginPath();
    g.moveTo(this.x(at), this.y(0));
    g.lineTo(this.x(at), MARGIN.top);
    g.stroke();
  }

  private counted() {
    const time = Math.max(1, this.now);
    const { columns, rows, left } = this.stays.counted(this.now);
    return { columns, rows, left, n: columns / time, X: (left * SECOND) / time, R: rows / left / SECOND };
  }

  rows(): Row[] {
    const { n, X, R, left } = this.counted();
    return [
      ['answers a second X', short(X), '', ''],
      ['response time R, mean', left > 0 ? seconds(R) : '–', '', ''],
      ['X · R', left > 0 ? short(X * R) : '–', '', ''],
      ['inside, on average', short(n), '', ''],
    ];
  }

  sentence(): string {
    const { columns, rows, left, n, R } = this.counted();
    const s = (time: number) => `${short(time / SECOND)} s`;
    const counted =
      `By rows ${left} stays${left > 0 ? ` of ${seconds(R)} on average` : ''}, together ${s(rows)}; ` +
      `by columns ${short(n)} inside on average for ${s(this.now)}, together ${s(columns)}.`;
    if (columns === rows) return `${counted} It is the same area.`;
    return `${counted} ${s(columns - rows)} belong to requests that haven't left by then.`;
  }

  goal(name: string): { words: string; reached: boolean } {
    if (name !== 'break-the-law') throw new Error(`goal="${name}": there is break-the-law.`);
    const { columns, rows } = this.counted();
    return {
      words: 'Find a way to make X · R differ from the requests inside, over the whole time watched.',
      reached: this.over() && columns !== rows,
    };
  }

  point(x: number, y: number, begins: boolean): boolean {
    const { stays, stage } = this;
    if (begins) {
      const leavings = stays.leavings();
      const far = stays.leave.map((at) => {
        const rank = leavings.indexOf(at);
        return Math.hypot(this.x(at) - x, Math.max(0, Math.abs(this.y(rank + 0.5) - y) - 10));
      });
      const nearest = far.indexOf(Math.min(...far));
      if (far[nearest]! > NEAR) return false;
      stage.turn('request', nearest + 1);
      return true;
    }
    const at = ((x - this.x(0)) / (this.x(SECOND) - this.x(0))) * SECOND;
    stage.turn('leaves', Math.min(Math.round(at / GRID) * GRID, AFTER * this.end) / SECOND);
    return true;
  }
}

export const little = (stage: Stage): Scene => new Little(stage);
