/** `<wt-scene>`: what all scenes have in common. Sliders, clock, bet, goal; when to move, when to
 * sleep, and what is said. The scene itself is made by its kind. */
import { button, element, hold, select, slider, type Slider } from './controls';
import { Look } from './look';
import { NAMES, PARAMETERS, read, type Name, type Values } from './parameters';
import type { Kind, Row, Scene, Stage } from './scene';
import { SECOND } from './shop_model';

const SLOWER = [1, 2, 5, 10, 20, 50, 100]; // times slower than life
const LONGEST_FRAME_MS = 50; // after a pause of the browser the model doesn't jump
const TABLE_EVERY_MS = 250;
const SAID_EVERY_MS = 5000;
const AHEAD_S = 10;

export class Frame extends HTMLElement implements Stage {
  static kinds: Record<string, Kind> = {};

  values!: Values;
  private scene!: Scene;
  private look!: Look;
  private given!: Values; // by the page
  private seed = 1;
  private slower = 10;
  private playing = false;
  private seen = false;
  private asked = false; // a frame
  private last = 0;
  private tableAt = 0;
  private saidAt = -SAID_EVERY_MS;
  private touched = false;
  private bet: number | undefined;
  private betOpen = false;
  private sliders = new Map<Name, Slider>();
  private readonly still = matchMedia('(prefers-reduced-motion: reduce)');

  private playButton = button('Play', () => this.play(!this.playing));
  private body = element('tbody');
  private table = element('table');
  private said = element('p', { class: 'wt-scene-said', role: 'status' });
  private canvas = element('canvas', { role: 'img' });
  private goalLine = element('p', { class: 'wt-scene-goal' });
  private betLine = element('div', { class: 'wt-scene-bet', role: 'group', 'aria-label': 'Your prediction' });
  private clock = element('span', { class: 'wt-scene-time' });
  private clockRow = element('div', { class: 'wt-scene-clock' });

  connectedCallback(): void {
    if (this.scene) return;
    const kind = Frame.kinds[this.option('name') ?? ''];
    try {
      if (!kind) throw new Error(`name="${this.option('name')}": no such scene.`);
      this.values = read(this);
      this.given = { ...this.values };
      this.seed = Number(this.option('seed') ?? 1);
      this.slower = Number(this.option('slower') ?? 10);
      this.scene = kind(this);
      this.scene.start(this.seed);
      this.build();
    } catch (reason) {
      console.error(reason); // what stood in its place stays
      return;
    }
    this.look = new Look(this.canvas, () => this.redraw());
    new IntersectionObserver((entries) => {
      this.seen = entries.at(-1)!.isIntersecting;
      this.redraw();
    }).observe(this);
    this.still.addEventListener('change', () => {
      this.play(false);
      this.showMotion();
    });
    this.show(Infinity);
  }

  // ---- the stage ----

  option(name: string): string | null {
    return this.getAttribute(name);
  }

  turn(name: Name, value: number): void {
    this.values[name] = value;
    this.sliders.get(name)?.show(value);
    this.touched = true;
    this.scene.changed(name);
    this.redraw();
  }

  did(words: string): void {
    this.say(words);
    this.touched = true;
    this.redraw();
  }

  redraw(): void {
    if (this.asked || !this.seen) return;
    this.asked = true;
    requestAnimationFrame((at) => this.onFrame(at));
  }

  // ---- its parts ----

  private build(): void {
    const { scene } = this;
    const live = element('div', { class: 'wt-scene-live', role: 'group', 'aria-label': `Simulated: ${scene.title}` });
    const legend = element('p', { class: 'wt-scene-legend' });
    for (const [mark, words] of scene.legend) {
      legend.append(element('span', {}, element('span', { class: `wt-mark wt-mark-${mark}` }), words), ' ');
    }
    const head = element('p', { class: 'wt-scene-head' }, element('strong', {}, 'Simulated'));
    head.append(' by a model, measured on no machine.', this.clock);
    const picture = element('div', { class: 'wt-scene-picture' }, this.canvas);
    const labels = ['', 'simulated', ...(scene.columns ?? ['bound', 'model'])];
    const headings = labels.map((label) => (label ? element('th', { scope: 'col' }, label) : element('td')));
    this.table.append(element('thead', {}, element('tr', {}, ...headings)), this.body);
    live.append(head, picture, legend);
    this.buildBet();
    if (this.betOpen) live.append(this.betLine);
    if (scene.moves || scene.send) live.append(this.clockRow);
    this.buildClock();
    const tools = scene.tools?.() ?? [];
    if (tools.length > 0) live.append(element('div', { class: 'wt-scene-clock' }, ...tools));
    live.append(this.buildSliders(), element('div', { class: 'wt-scene-table' }, this.table));
    if (this.option('goal')) live.append(this.goalLine);
    live.append(this.said);
    this.canvas.addEventListener('pointerdown', (event) => this.point(event, true));
    this.canvas.addEventListener('pointermove', (event) => {
      if (event.buttons > 0) this.point(event, false);
    });
    this.canvas.setAttribute('aria-label', scene.title); // until it is drawn, off screen
    this.append(live);
    this.toggleAttribute('live', true);
    this.showMotion();
  }

  private buildClock(): void {
    const { scene, clockRow } = this;
    if (scene.send) {
      const rate = this.option('hold');
      if (rate) clockRow.append(hold('Hold to send requests', (down) => this.hold(down)));
    }
    if (!scene.moves) return;
    this.playButton.classList.add('wt-scene-play');
    clockRow.append(
      this.playButton,
      button('Step', () => this.step()),
      ...(scene.over ? [] : [button(`${AHEAD_S} s ahead`, () => this.ahead())]),
      button('Again', () => this.again()),
      select(
        'Speed',
        SLOWER.map((times) => [String(times), times === 1 ? 'as in life' : `${times} × slower`]),
        String(this.slower),
        (value) => (this.slower = Number(value)),
      ),
    );
    const seed = element('input', { type: 'number', min: '0', max: '4294967295', step: '1' });
    seed.value = String(this.seed);
    seed.addEventListener('change', () => {
      this.seed = Math.min(4294967295, Math.max(0, Math.floor(Number(seed.value) || 0)));
      seed.value = String(this.seed);
      this.again();
    });
    if (this.option('times') !== 'alike' && !scene.certain) {
      clockRow.append(element('label', { class: 'wt-scene-choice' }, 'Seed ', seed));
    }
  }

  private buildSliders(): HTMLElement {
    const box = element('div', { class: 'wt-scene-sliders' });
    const names = (this.option('turn') ?? '').split(/\s+/).filter(Boolean);
    for (const name of names) {
      if (!(name in PARAMETERS)) {
        throw new Error(`turn="${name}": there are ${NAMES.join(', ')}.`);
      }
      const known = name as Name;
      const made = slider(known, this.values[known], (value) => this.turn(known, value));
      this.sliders.set(known, made);
      box.append(made.node);
    }
    return box;
  }

  /** The page's script asks, in the words of a recorded figure's bet, and keeps what is said. */
  private buildBet(): void {
    const question = this.option('bet');
    if (!question) return;
    this.betOpen = true;
    window.wallTime.ask(this.betLine, question, this.option('bet-on')!, (value, asked) => {
      this.bet = value;
      this.betOpen = false;
      if (!asked) return;
      this.betLine.remove();
      this.showMotion();
      this.querySelector<HTMLElement>('.wt-scene-live :is(button, input):not([hidden])')?.focus();
      this.show(0);
    });
  }

  private showMotion(): void {
    const reduced = this.still.matches;
    this.playButton.hidden = reduced;
    for (const each of this.querySelectorAll<HTMLButtonElement>('.wt-scene-clock button')) each.disabled = this.betOpen;
  }

  // ---- the reader's hands ----

  private play(on: boolean): void {
    this.playing = on && !this.still.matches;
    this.playButton.textContent = this.playing ? 'Pause' : 'Play';
    this.touched = true;
    this.last = 0;
    this.redraw();
  }

  private step(): void {
    this.play(false);
    const words = this.scene.step();
    this.say(words);
    this.touched = true;
    this.show(Infinity);
  }

  private ahead(): void {
    this.touched = true;
    this.scene.advance(AHEAD_S * SECOND);
    this.say(this.scene.sentence());
    this.touched = true;
    this.show(this.playing ? 0 : Infinity);
  }

  private again(): void {
    this.touched = true;
    this.scene.start(this.seed);
    this.say(this.scene.sentence());
    this.show(Infinity);
  }

  private hold(down: boolean): void {
    this.scene.send!(down);
    if (!this.still.matches) {
      if (down && !this.playing) this.play(true);
      return;
    }
    if (down) {
      this.scene.send!(false);
      this.step();
    }
  }

  private point(event: PointerEvent, begins: boolean): void {
    const box = this.canvas.getBoundingClientRect();
    if (!this.scene.point?.(event.clientX - box.left, event.clientY - box.top, begins)) return;
    if (begins) this.canvas.setPointerCapture(event.pointerId);
    event.preventDefault();
  }

  // ---- what is seen ----

  private onFrame(at: number): void {
    this.asked = false;
    if (!this.seen) {
      this.last = 0;
      return;
    }
    const ms = this.last ? Math.min(LONGEST_FRAME_MS, at - this.last) : 16;
    this.last = this.playing ? at : 0;
    if (this.playing) this.scene.advance(Math.round((ms * 1000) / this.slower));
    if (this.playing && this.scene.over?.()) {
      this.play(false);
      this.say(this.scene.sentence());
    }
    this.show(this.playing ? ms : Infinity, at);
    if (this.playing || this.scene.restless?.()) this.redraw();
  }

  private show(ms: number, at = performance.now()): void {
    const pen = this.look.pen((width) => this.scene.height(width));
    if (pen) this.scene.draw(pen, ms);
    if (this.playing && at - this.tableAt < TABLE_EVERY_MS) return;
    this.tableAt = at;
    this.showTable(this.betOpen ? [] : this.scene.rows());
    if (this.scene.moves) this.clock.textContent = ` Its clock: ${this.scene.clock()}`;
    this.showGoal();
    if (at - this.saidAt >= SAID_EVERY_MS && this.touched && !this.betOpen) this.say(this.scene.sentence(), at);
  }

  private showTable(rows: Row[]): void {
    const { body } = this;
    const kinds = ['simulated', 'bound', 'model'];
    this.table.hidden = rows.length === 0;
    this.table.toggleAttribute('data-no-bound', !rows.some(([, , bound]) => bound));
    this.table.toggleAttribute('data-no-model', !rows.some(([, , , model]) => model));
    while (body.rows.length > rows.length) body.deleteRow(-1);
    rows.forEach((row, index) => {
      let line = body.rows[index];
      if (!line) {
        line = body.insertRow();
        line.append(element('th', { scope: 'row' }));
        for (const kind of kinds) line.append(element('td', { 'data-kind': kind }));
      }
      row.forEach((text, column) => {
        const cell = line.cells[column]!;
        if (cell.textContent !== text) cell.textContent = text;
      });
    });
  }

  private showGoal(): void {
    const name = this.option('goal');
    if (!name) return;
    const { words, reached } = this.scene.goal(name);
    const first = !this.goalLine.firstChild;
    if (first) this.goalLine.append(element('span', { 'aria-hidden': 'true' }), words);
    const before = first && window.wallTime.played(name);
    if (!before && (!reached || this.goalLine.dataset.reached || !this.touched || this.betOpen)) return;
    this.goalLine.dataset.reached = 'yes';
    this.goalLine.append(element('strong', {}, ' Reached.'));
    if (before) return;
    window.wallTime.play({ what: name, words });
    this.say(`Reached: ${words}`);
  }

  /** Politely: a screen reader comes to it when it has time. */
  private say(words: string, at = performance.now()): void {
    this.saidAt = at;
    this.touched = this.playing;
    let text = words;
    const on = this.option('bet-on')!;
    // What was bet on is what the page begins with.
    const settled = this.bet !== undefined && NAMES.every((each) => this.values[each] === this.given[each]);
    const answer = settled && this.scene.answer?.(on);
    if (answer) text += ` ${window.wallTime.judged(this.bet!, on, answer)}`;
    if (this.said.textContent !== text) this.said.textContent = text;
  }
}

