/** Arrivals and departures as two staircases, and the area between them, counted twice. */
import { select } from './controls';
import { Stays } from './little_model';
import type { Pen } from './look';
import { clock, short, some, time } from './say';
import type { About, Scene, Stage } from './scene';
import { SECOND } from './shop_model';
import { us } from './shop_times';
import { box, DASH, dot, stroke, words } from './sketch';

const GRID = us(0.1); // what a drag comes to
const AFTER = 1.2; // of the watched time is drawn
const MARGIN = { left: 8, right: 8, top: 10, bottom: 24 };
const NEAR = 28; // pixels from the finger

export const ABOUT: About = {
  title: 'arrivals and departures as two staircases, and the area between them',
  legend: { model: 'have come', bound: 'have left', core: 'leaves: drag it' },
  goals: {
    'break-the-law': 'Find a way to make X · R differ from the requests inside, over the whole time watched.',
  },
  options: { arrive: 'numbers', leave: 'numbers', over: 'numbers' },
  needs: {
    arrive: 'when each request comes, in order',
    leave: 'when each of them leaves',
    over: 'for how long they are watched',
  },
};

export function little(stage: Stage): Scene {
  const { values } = stage;
  const times = (name: string) => (stage.option(name) ?? '').split(/\s+/).map((text) => us(Number(text)));
  const stays = new Stays(times('arrive'), times('leave'));
  const { arrive, leave } = stays;
  const end = us(Number(stage.option('over')));
  let now = end;
  let byRows = true;
  let x = (_at: number) => 0;
  let y = (_count: number) => 0;

  const chosen = () => Math.min(arrive.length, values.request) - 1;
  const leaves = () => leave[chosen()]! / SECOND;
  const over = () => now >= end;
  values.leaves = leaves();

  function draw(pen: Pen): void {
    const { width, height } = pen;
    const leavings = stays.leavings();
    const across = (width - MARGIN.left - MARGIN.right) / (AFTER * end);
    const floor = height - MARGIN.bottom;
    const up = (floor - MARGIN.top) / arrive.length;
    x = (at) => MARGIN.left + at * across;
    y = (count) => floor - count * up;
    const fill = (index: number, from: number, to: number, below: number, above: number) => {
      if (to <= from || above <= below) return;
      box(pen, pen.accent, x(from), y(above), x(to) - x(from), y(below) - y(above), index % 2 ? 0.2 : 0.38);
    };
    if (byRows) {
      arrive.forEach((at, index) => fill(index, at, Math.min(now, leavings[index]!), index, index + 1));
    } else {
      const moments = [...stays.moments().filter((at) => at < now), now];
      const upTo = (of: number[], at: number) => of.filter((each) => each <= at).length;
      moments.slice(0, -1).forEach((at, index) => {
        fill(index, at, moments[index + 1]!, upTo(leavings, at), upTo(arrive, at));
      });
    }
    const stairs = (of: number[], colour: string, dash?: number[]) => {
      const steps = of.flatMap((at, index) => [[x(at), y(index)], [x(at), y(index + 1)]]);
      stroke(pen, colour, [[x(0), floor], ...steps, [x(AFTER * end), y(of.length)]], 2, dash);
    };
    const rule = (at: number, colour: string) => stroke(pen, colour, [[x(at), floor], [x(at), MARGIN.top]]);
    stairs(arrive, pen.accent);
    stairs(leavings, pen.muted, DASH);
    rule(end, pen.line);
    if (now < end) rule(now, pen.text);
    const left = leave[chosen()]!;
    dot(pen, pen.accent, x(left), y(leavings.indexOf(left) + 0.5), 7);
    words(pen, 0, x(0), height - 6);
    words(pen, `watched for ${end / SECOND} s`, x(end), height - 6, 1);
  }

  function counted() {
    const watched = Math.max(1, now);
    const { columns, rows, left } = stays.counted(now);
    return { columns, rows, left, n: columns / watched, X: (left * SECOND) / watched, R: rows / left };
  }

  function sentence(): string {
    const { columns, rows, left, n, R } = counted();
    const s = (us: number) => `${short(us / SECOND)} s`;
    const said =
      `By rows ${some(left, 'stay')}${left > 0 ? ` of ${time(R)} on average` : ''}, together ${s(rows)}; ` +
      `by columns ${short(n)} inside on average for ${s(now)}, together ${s(columns)}.`;
    if (columns === rows) return `${said} It is the same area.`;
    return `${said} ${s(columns - rows)} belong to requests that haven't left by then.`;
  }

  return {
    certain: true,
    over,
    draw,
    sentence,
    start() {
      stays.again();
      if (values.leaves !== leaves()) stage.turn('leaves', leaves());
      now = 0;
    },
    advance(time) {
      now = Math.min(end, (over() ? 0 : now) + time);
    },
    clock: () => clock(now, 1),
    step() {
      const from = over() ? 0 : now;
      now = Math.min(end, stays.moments().find((at) => at > from) ?? end);
      const who = (of: number[], does: string) =>
        of.map((at, index) => (at === now ? `request ${index + 1} ${does}, ` : '')).join('');
      return `At ${clock(now, 1)}: ${who(arrive, 'comes')}${who(leave, 'leaves')}${stays.inside(now)} inside.`;
    },
    changed(name) {
      if (name === 'leaves') {
        const asked = Math.round(us(values.leaves) / GRID) * GRID;
        leave[chosen()] = Math.max(arrive[chosen()]! + GRID, asked);
      }
      if (values.leaves !== leaves()) stage.turn('leaves', leaves());
    },
    tools: () => [
      select(
        'Count the area',
        [
          ['rows', 'by rows: how long each stays'],
          ['columns', 'by columns: how many are inside'],
        ],
        'rows',
        (value) => {
          byRows = value === 'rows';
          stage.did(sentence());
        },
      ),
    ],
    height: (width) => (width < 560 ? 250 : 300),
    rows() {
      const { n, X, R } = counted();
      return [
        ['answers a second X', short(X)],
        ['response time R, mean', time(R)],
        ['X · R', short((X * R) / SECOND)],
        ['inside, on average', short(n)],
      ];
    },
    goals: {
      'break-the-law'() {
        const { columns, rows } = counted();
        return over() && columns !== rows;
      },
    },
    point(px, py, begins) {
      if (begins) {
        const leavings = stays.leavings();
        const far = leave.map((at) =>
          Math.hypot(x(at) - px, Math.max(0, Math.abs(y(leavings.indexOf(at) + 0.5) - py) - 10)),
        );
        const nearest = far.indexOf(Math.min(...far));
        if (far[nearest]! > NEAR) return false;
        stage.turn('request', nearest + 1);
        return true;
      }
      const at = ((px - x(0)) / (x(SECOND) - x(0))) * SECOND;
      stage.turn('leaves', Math.min(Math.round(at / GRID) * GRID, AFTER * end) / SECOND);
      return true;
    },
  };
}
