/** Memory after a fork: what is shared, what a worker has copied, and what it all weighs. */
import { Dice } from './dice';
import type { Pen } from './look';
import { ALL, CODE, DATA, LOADED, Pages } from './pages_model';
import { clock, short } from './say';
import type { About, Scene, Stage } from './scene';
import { box, stroke, words } from './sketch';

const ANSWERS = 40; // of each worker, before a goal is asked for
const COLUMNS = 12; // pages of a process in a row
const ROWS = ALL / COLUMNS;
const LABEL = 20;
const GAP = 14;
const BAR = 62;

export const ABOUT: About = {
  title: 'the memory pages of a master and its workers',
  legend: { shared: 'shared by all who have it', own: 'a copy of its own' },
  goals: { 'weigh-late': 'Find the most workers that still fit when each of them has given 40 answers.' },
  needs: { workers: 'how many the master forks' },
  still(scene) {
    for (let i = 0; i < 100; i += 1) scene.step!();
  },
};

export function pages(stage: Stage): Scene {
  const { values } = stage;
  let model: Pages;
  let dice: Dice;
  let touched: number[];
  let at: number; // the worker that answered last

  function begin(): void {
    model = new Pages(values.workers, values.preload > 0, values.written, dice);
    forget();
  }

  function forget(): void {
    at = -1;
    touched = [];
  }

  function cell(width: number) {
    const processes = values.workers + 1;
    let columns = Math.max(2, Math.floor(width / 104));
    while (Math.ceil(processes / columns) > 5) columns += 1;
    const across = width / columns;
    const page = Math.min(8, Math.max(1, (across - GAP) / COLUMNS));
    return { page, across, columns, down: ROWS * page + LABEL + 8 };
  }

  function draw(pen: Pen): void {
    const { g, width } = pen;
    const { preload, workers } = model;
    const { page, across, down, columns } = cell(width);
    for (let who = -1; who < workers.length; who += 1) {
      const master = who < 0;
      const x = ((who + 1) % columns) * across;
      const y = Math.floor((who + 1) / columns) * down + LABEL;
      const colour = who === at && !master ? pen.accent : pen.muted;
      if (across > 62 || master) words(pen, master ? 'master' : `worker ${who + 1}`, x, y - 6, 0, colour);
      const colours = Array.from({ length: preload || !master ? ALL : CODE }, (_, i) => {
        const data = i - CODE - LOADED;
        const own = !master && (preload ? workers[who]!.own[data] : i >= CODE);
        return !own ? pen.line : who === at && touched.includes(data) ? pen.warm : pen.accent;
      });
      for (const colour of [pen.line, pen.accent, pen.warm]) {
        g.fillStyle = colour;
        g.globalAlpha = colour === pen.line ? 0.35 : 1;
        colours.forEach((each, i) => {
          if (each !== colour) return;
          g.fillRect(x + (i % COLUMNS) * page, y + Math.floor(i / COLUMNS) * page, page - 1, page - 1);
        });
      }
    }
    drawBar(pen);
  }

  /** What is used of the machine, to scale, and what RSS makes of it. */
  function drawBar(pen: Pen): void {
    const { used } = model;
    const { memory } = values;
    const scale = pen.width / Math.max(1.25 * memory, used);
    const y = pen.height - 22;
    const end = memory * scale;
    box(pen, used > memory ? pen.warm : pen.accent, 0, y, used * scale, 14);
    stroke(pen, pen.text, [[end, y - 6], [end, y + 20]], 2);
    words(pen, `used ${used}`, 0, y - 10, 0, pen.text);
    words(pen, `the machine ${memory}`, end, y - 10, 1, pen.text);
  }

  return {
    draw,
    start() {
      dice = new Dice(stage.seed);
      begin();
    },
    changed(name) {
      if (name === 'preload' || name === 'written') begin();
      model.resize(values.workers);
      forget();
    },
    advance(us) {
      forget();
      model.run(model.now + us);
    },
    clock: () => clock(model.now),
    step() {
      const { who, copied } = model.step();
      at = who;
      touched = copied;
      const n = copied.length;
      const shared = n === 1 ? ['a page', 'it'] : [`${n} pages`, 'them'];
      const where = n > 0 ? `${shared[0]} that it shared until now: the kernel copies ${shared[1]}` : 'pages of its own';
      return `Worker ${who + 1} answers a request and writes to ${where}.`;
    },
    height(width) {
      const { down, columns } = cell(width);
      return Math.ceil((values.workers + 1) / columns) * down + BAR;
    },
    rows() {
      const { workers, preload, used, expected, fewest } = model;
      const n = workers.length;
      const pss = workers.reduce((sum, _, who) => sum + model.pss(who), 0) / n;
      return [
        ['RSS of a worker', `${ALL} pages`],
        ['PSS of a worker, mean', `${short(pss)} pages`],
        ['all RSS together', `${ALL * n + (preload ? ALL : CODE)}`],
        ['used: all PSS together', `${used}`, `of ${values.memory}`, short(expected)],
        ['answers of each worker', `${fewest}`],
      ];
    },
    sentence() {
      const { used, workers, fewest } = model;
      const over = used - values.memory;
      return (
        `${workers.length} workers use ${used} pages after ${fewest} answers each` +
        (over > 0 ? `: ${over} more than the machine has.` : ', and they fit.')
      );
    },
    answer: () => (model.fewest < ANSWERS ? undefined : { value: model.used, words: `${model.used} pages` }),
    goals: {
      'weigh-late'() {
        const { used, fewest, workers, preload } = model;
        const most = Math.floor((values.memory - ALL) / DATA);
        return preload && fewest >= ANSWERS && used <= values.memory && workers.length >= most;
      },
    },
  };
}
