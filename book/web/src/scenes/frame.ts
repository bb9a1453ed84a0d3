/** `<wt-scene>`: what all scenes have in common. Sliders, clock, bet, goal; when to move, when to
 * sleep, and what is said. The scene itself is made by its kind. Loaded only by pages that have one;
 * works from a file. */
import { make } from '../make';
import { button, hold, say, select, slider } from './controls';
import { KINDS } from './kinds';
import { penFor } from './look';
import { NAMES, read, type Name, type Values } from './parameters';
import type { Row, Scene, Stage } from './scene';
import { SECOND } from './shop_model';
import { byChance } from './shop_times';

const SLOWER = [1, 2, 5, 10, 20, 50, 100]; // times slower than life
const LONGEST_FRAME_MS = 50; // after a pause of the browser the model doesn't jump
const TABLE_EVERY_MS = 250;
const SAID_EVERY_MS = 5000;
const PAUSED = 'Paused: a lab on this page is measuring, and what moves takes CPU from it.';
const AHEAD_S = 10;
const LARGEST_SEED = 2 ** 32 - 1;

class Frame extends HTMLElement implements Stage {
  values!: Values;
  seed = 1;
  #scene!: Scene;
  #pen!: ReturnType<typeof penFor>;
  #slower = 10;
  #playing = false;
  #seen = false;
  #asked = false; // a frame
  #stale = false; // what is seen
  #last = 0;
  #tableAt = 0;
  #saidAt = -SAID_EVERY_MS;
  #touched = false;
  #bet: number | undefined;
  #betOpen = false;
  #sliders = new Map<Name, ReturnType<typeof slider>>();
  #still = matchMedia('(prefers-reduced-motion: reduce)');

  #playButton = button('Play', () => this.#play(!this.#playing));
  // Its parts, as the page has them in a template (labs/site/roles/scene_directive.py).
  #live!: HTMLElement;
  #canvas!: HTMLCanvasElement;

  connectedCallback(): void {
    if (this.#scene) return;
    try {
      this.values = read((name) => this.option(name));
      this.#slower = Number(this.option('slower') ?? 10);
      this.#scene = KINDS[this.option('name')!]!(this);
      this.#scene.start();
      if (this.#scene.over) this.#scene.advance!(Infinity);
      this.#build();
    } catch (reason) {
      console.error(reason); // what stood in its place stays
      return;
    }
    this.#pen = penFor(this.#canvas, () => this.#redraw());
    new IntersectionObserver((entries) => {
      this.#seen = entries.at(-1)!.isIntersecting;
      this.#redraw();
    }).observe(this);
    // Held as high as it is, it is laid out and painted by itself, and not with the whole page.
    new ResizeObserver(() => {
      const { offsetHeight } = this.#live;
      if (offsetHeight) this.style.setProperty('--wt-high', `${offsetHeight}px`);
    }).observe(this.#live);
    this.#still.addEventListener('change', () => {
      this.#play(false);
      this.#showMotion();
    });
    this.#show(Infinity);
  }

  // ---- the stage ----

  option(name: string): string | null {
    return this.getAttribute(name);
  }

  turn(name: Name, value: number): void {
    this.values[name] = value;
    this.#sliders.get(name)?.show(value);
    this.#touched = true;
    this.#scene.changed(name);
    this.#redraw();
  }

  did(words: string): void {
    this.#say(words);
    this.#touched = true;
    this.#redraw();
  }

  // ---- its parts ----

  #part<E extends HTMLElement>(name: string): E {
    return this.#live.querySelector<E>(`.wt-scene-${name}`)!;
  }

  #build(): void {
    const scene = this.#scene;
    this.#live = this.querySelector('template')!.content.firstElementChild as HTMLElement;
    const canvas = (this.#canvas = this.#live.querySelector('canvas')!);
    this.#buildBet();
    if (scene.advance) this.#part('clock').append(...this.#clockRow());
    this.#part('tools').append(...(scene.tools?.() ?? []));
    for (const name of (this.option('turn')?.split(/\s+/) ?? []) as Name[]) {
      const made = slider(name, this.values[name], (value) => this.turn(name, value));
      this.#sliders.set(name, made);
      this.#part('sliders').append(made.node);
    }
    canvas.addEventListener('pointerdown', (event) => this.#point(event, true));
    canvas.addEventListener('pointermove', (event) => {
      if (event.buttons > 0) this.#point(event, false);
    });
    this.append(this.#live);
    this.toggleAttribute('live', true);
    this.#showMotion();
  }

  #clockRow(): Node[] {
    const scene = this.#scene;
    this.#playButton.classList.add('wt-scene-play');
    const row: Node[] = [
      ...(scene.send && this.option('hold') ? [hold('Hold to send requests', (down) => this.#hold(down))] : []),
      this.#playButton,
      button('Step', () => this.#step()),
      ...(scene.over ? [] : [button(`${AHEAD_S} s ahead`, () => this.#ahead())]),
      button('Again', () => this.#again()),
      select(
        'Speed',
        SLOWER.map((times) => [`${times}`, times === 1 ? 'as in life' : `${times} × slower`]),
        `${this.#slower}`,
        (value) => (this.#slower = Number(value)),
      ),
    ];
    if (byChance(this) && !scene.certain) {
      const seed = make('input', { type: 'number', min: '0', max: `${LARGEST_SEED}` });
      seed.value = `${this.seed}`;
      seed.addEventListener('change', () => {
        this.seed = Math.min(LARGEST_SEED, Math.max(0, Math.floor(Number(seed.value) || 0)));
        seed.value = `${this.seed}`;
        this.#again();
      });
      row.push(make('label', { class: 'wt-scene-choice' }, 'Seed ', seed));
    }
    return row;
  }

  /** The page's script asks, in the words of a recorded figure's bet, and keeps what is said. */
  #buildBet(): void {
    const question = this.option('bet');
    if (!question) return;
    this.#betOpen = true;
    const line = this.#part('bet');
    window.wallTime.ask(line, question, this.option('bet-on')!, (value, asked) => {
      this.#bet = value;
      this.#betOpen = false;
      line.remove();
      if (!asked) return;
      this.#showMotion();
      this.querySelector<HTMLElement>('.wt-scene-live :is(button, input):not([hidden])')?.focus();
      this.#show(0);
    });
  }

  #showMotion(): void {
    this.#playButton.hidden = this.#still.matches;
    for (const each of this.querySelectorAll<HTMLButtonElement>('.wt-scene-clock button')) each.disabled = this.#betOpen;
  }

  // ---- the reader's hands ----

  #play(on: boolean): void {
    this.#playing = on && !this.#still.matches;
    this.#playButton.textContent = this.#playing ? 'Pause' : 'Play';
    this.#touched = true;
    this.#last = 0;
    this.#redraw();
  }

  #step(): void {
    this.#play(false);
    this.#tell(this.#scene.step!());
  }

  #ahead(): void {
    this.#scene.advance!(AHEAD_S * SECOND);
    this.#tell(this.#scene.sentence(), this.#playing ? 0 : Infinity);
  }

  #tell(words: string, ms = Infinity): void {
    this.#say(words);
    this.#touched = true;
    this.#show(ms);
  }

  #again(): void {
    this.#scene.start();
    this.#say(this.#scene.sentence());
    this.#show(Infinity);
  }

  #hold(down: boolean): void {
    this.#scene.send!(down);
    if (!this.#still.matches) {
      if (down && !this.#playing) this.#play(true);
    } else if (down) {
      this.#scene.send!(false);
      this.#step();
    }
  }

  #point(event: PointerEvent, begins: boolean): void {
    const box = this.#canvas.getBoundingClientRect();
    if (!this.#scene.point?.(event.clientX - box.left, event.clientY - box.top, begins)) return;
    if (begins) this.#canvas.setPointerCapture(event.pointerId);
    event.preventDefault();
  }

  // ---- what is seen ----

  #redraw(): void {
    this.#stale = true;
    this.#ask();
  }

  #ask(): void {
    if (this.#asked || !this.#seen) return;
    this.#asked = true;
    requestAnimationFrame((at) => this.#onFrame(at));
  }

  #onFrame(at: number): void {
    this.#asked = false;
    if (!this.#seen) {
      this.#last = 0;
      return;
    }
    const scene = this.#scene;
    if (this.#playing && window.wallTime.measuring?.()) {
      this.#play(false);
      this.#say(PAUSED);
    }
    const ms = this.#last ? Math.min(LONGEST_FRAME_MS, at - this.#last) : 16;
    this.#last = this.#playing ? at : 0;
    if (this.#playing) {
      scene.advance!(Math.round((ms * 1000) / this.#slower));
      if (scene.over?.()) {
        this.#play(false);
        this.#say(scene.sentence());
      }
    }
    // Most of what is simulated in the background is nothing to see yet.
    if (scene.simulate?.() || this.#stale) this.#show(this.#playing ? ms : Infinity, at);
    this.#stale = this.#playing;
    if (this.#playing || scene.restless?.()) this.#ask();
  }

  #show(ms: number, at = performance.now()): void {
    const scene = this.#scene;
    const pen = this.#pen((width) => scene.height(width));
    if (pen) scene.draw(pen, ms);
    if (this.#playing && at - this.#tableAt < TABLE_EVERY_MS) return;
    this.#tableAt = at;
    this.#showTable(this.#betOpen ? [] : scene.rows());
    if (scene.clock) say(this.#part('time'), ` Its clock: ${scene.clock()}`);
    this.#showGoal();
    if (at - this.#saidAt >= SAID_EVERY_MS && this.#touched && !this.#betOpen) this.#say(scene.sentence(), at);
  }

  #showTable(rows: Row[]): void {
    const table = this.#live.querySelector('table')!;
    const body = table.tBodies[0]!;
    table.hidden = rows.length === 0;
    table.toggleAttribute('data-no-bound', !rows.some(([, , bound]) => bound));
    table.toggleAttribute('data-no-model', !rows.some(([, , , model]) => model));
    while (body.rows.length > rows.length) body.deleteRow(-1);
    rows.forEach((row, index) => {
      let line = body.rows[index];
      if (!line) {
        line = body.insertRow();
        line.append(make('th', { scope: 'row' }));
        for (const kind of ['simulated', 'bound', 'model']) line.append(make('td', { 'data-kind': kind }));
      }
      [...line.cells].forEach((cell, column) => say(cell, row[column] ?? ''));
    });
  }

  #showGoal(): void {
    const name = this.option('goal');
    if (!name) return;
    const line = this.#part('goal');
    if (line.dataset.reached) return;
    const before = !this.#touched && window.wallTime.played(name);
    if (!before && (!this.#touched || this.#betOpen || !this.#scene.goals![name]!())) return;
    const words = line.textContent!.trim();
    line.dataset.reached = 'yes';
    line.append(make('strong', {}, ' Reached.'));
    if (before) return;
    window.wallTime.play({ what: name, words });
    this.#say(`Reached: ${words}`);
  }

  /** Politely: a screen reader comes to it when it has time. */
  #say(words: string, at = performance.now()): void {
    this.#saidAt = at;
    this.#touched = this.#playing;
    let text = words;
    // What was bet on is what the page begins with.
    const given = read((name) => this.option(name));
    const settled = this.#bet !== undefined && NAMES.every((each) => this.values[each] === given[each]);
    const answer = settled && this.#scene.answer?.();
    if (answer) text += ` ${window.wallTime.judged(this.#bet!, this.option('bet-on')!, answer)}`;
    say(this.#part('said'), text);
  }
}

customElements.define('wt-scene', Frame);
