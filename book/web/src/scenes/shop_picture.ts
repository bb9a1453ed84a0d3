/** The picture of the shop: a dot for each request, and where it belongs. Reads the model only. */
import type { Pen } from './look';
import { mark } from './marks';
import type { Values } from './parameters';
import type { Request, ShopModel, State } from './shop_model';
import { round, stroke, words, type Box } from './sketch';

const NARROW = 560; // below this the queue stands above the workers

export const height = (width: number) => (width < NARROW ? 340 : 230);

const LARGEST = 11; // radius of a dot
const SMALLEST = 1.6;
const CELL = 2.5; // a place, in radii
const CHASE_MS = 80; // a dot goes 63 % of its way in this time
const NEAR = 8; // to a corner of its way: then it turns
const GAP = 16;
const LABEL = 22;
const ROAD = 20; // the way back, below everything
const CORES = 64; // least width

interface Point {
  x: number;
  y: number;
}

interface Dot extends Point {
  slot: number; // in the pool; -1 for none
  rounds: number;
  turns: Point[]; // corners on its way
  state: State;
  seen: number;
}

/** How dots stand in a box. */
interface Places {
  radius: number;
  columns: number;
  across: number; // from one to the next
  down: number;
}

export class ShopPicture {
  #dots = new Map<number, Dot>();
  #taken: boolean[] = [];
  #frame = 0;
  #outside: Box | undefined;
  #queue!: Box;
  #pool!: Box;
  #cores!: Box;
  #places!: Places; // of the pool
  #small!: number; // radius in the queue and outside
  #capacity = 24;

  forget(): void {
    this.#dots.clear();
    this.#taken = [];
    this.#capacity = 24;
  }

  draw(pen: Pen, model: ShopModel, values: Values, ms: number, visitors: boolean): void {
    this.#arrange(pen, model, values, values.think > 0 || values.places < 1000 || visitors);
    this.#frame += 1;
    this.#move(pen, model, ms);
    this.#paintShop(pen, model, values);
    this.#paintDots(pen, model);
  }

  #arrange({ width, height }: Pen, model: ShopModel, { users, workers, places }: Values, outside: boolean): void {
    const crowd = users > 0 ? Math.max(4, users - workers) : 8;
    const needed = Math.max(Math.min(places, crowd), model.line.length);
    while (this.#capacity < needed) this.#capacity *= 2;
    const narrow = width < NARROW;
    const full = width - 2; // half a line's width on each side
    const floor = height - ROAD - 4;
    const upper = Math.round((height - ROAD) * 0.42); // where the workers begin, if narrow
    const left = outside ? Math.round(full * (narrow ? 0.42 : 0.17)) : 0;
    const queue = narrow ? full - left : Math.round(full * (outside ? 0.22 : 0.28));
    const high = narrow ? upper - LABEL - 6 : floor - LABEL;
    const x = narrow ? 1 : 1 + left + queue + GAP;
    const y = narrow ? upper + LABEL : LABEL;
    const cores = narrow ? CORES : Math.max(CORES + 6, Math.round(full * 0.1));
    this.#outside = outside ? { x: 1, y: LABEL, w: left - GAP, h: high } : undefined;
    this.#queue = { x: 1 + left, y: LABEL, w: queue, h: high };
    this.#pool = { x, y, w: 1 + full - cores - GAP - x, h: floor - y };
    this.#cores = { x: 1 + full - cores, y, w: cores, h: floor - y };
    this.#places = fit(this.#pool, workers, LARGEST);
    this.#small = fit(this.#queue, this.#capacity, this.#places.radius).radius;
    if (this.#outside) this.#small = fit(this.#outside, Math.min(users || this.#capacity, 400), this.#small).radius;
    this.#taken = [];
    for (const dot of this.#dots.values()) {
      if (dot.slot >= workers) dot.slot = -1;
      if (dot.slot >= 0) this.#taken[dot.slot] = true;
    }
  }

  #move(pen: Pen, model: ShopModel, ms: number): void {
    const part = ms === Infinity ? 1 : 1 - Math.exp(-ms / CHASE_MS);
    const queue = this.#queue;
    const front = this.#outside ?? queue;
    const bottom = pen.height - ROAD / 2;
    const far = this.#outside ? front.x + front.w / 2 : queue.x + 4;
    const out = (dot: Dot) => ({ x: Math.min(dot.x, this.#pool.x + this.#pool.w), y: bottom });
    for (const request of model.requests.values()) {
      const dot = this.#dotOf(request);
      const { state, rounds } = request;
      dot.seen = this.#frame;
      dot.state = state;
      const inside = state === 'computing' || state === 'waiting';
      if (dot.rounds !== rounds) {
        // Answered since the last picture: round by the road, unless it is in another worker already.
        dot.turns = inside ? [] : [out(dot), { x: far, y: bottom }];
        dot.rounds = rounds;
        this.#release(dot);
      }
      if (!inside) this.#release(dot);
      else if (dot.slot < 0) dot.slot = this.#freeSlot();
    }
    // The head of the line stands at the door, on the right.
    model.line.forEach(({ id }, index) => chase(this.#dots.get(id)!, stand(queue, this.#small, index, true), part));
    let before = 0;
    for (const [id, dot] of this.#dots) {
      if (dot.seen !== this.#frame) {
        // Gone: to the left on the road, and out of the picture.
        if (dot.slot >= 0 || dot.state !== 'gone') {
          this.#release(dot);
          dot.state = 'gone';
          dot.turns = [out(dot)];
        }
        chase(dot, { x: -20, y: bottom }, part);
        if (dot.x < -8 || ms === Infinity) this.#dots.delete(id);
      } else if (dot.slot >= 0) {
        chase(dot, this.#inPool(dot.slot), part);
      } else if (dot.state !== 'queued') {
        chase(dot, stand(front, this.#small, before++), part);
      }
    }
  }

  #dotOf({ id, rounds, state }: Request): Dot {
    let dot = this.#dots.get(id);
    if (!dot) {
      const y = this.#queue.y + this.#queue.h / 2;
      dot = { x: -10, y, slot: -1, rounds, turns: [], state, seen: 0 };
      this.#dots.set(id, dot);
    }
    return dot;
  }

  #freeSlot(): number {
    let slot = 0;
    while (this.#taken[slot]) slot += 1;
    this.#taken[slot] = true;
    return slot;
  }

  #release(dot: Dot): void {
    if (dot.slot >= 0) this.#taken[dot.slot] = false;
    dot.slot = -1;
  }

  #inPool(slot: number): Point {
    const { x, y } = this.#pool;
    const { columns, across, down } = this.#places;
    return { x: x + ((slot % columns) + 0.5) * across, y: y + (Math.floor(slot / columns) + 0.5) * down };
  }

  #paintShop(pen: Pen, model: ShopModel, { workers, places, cores }: Values): void {
    const queue = this.#queue;
    const pool = this.#pool;
    const outside = this.#outside;
    round(pen, pen.line, pool, 6);
    for (const y of [queue.y, queue.y + queue.h]) stroke(pen, pen.line, [[queue.x, y], [queue.x + queue.w, y]], 1.2);
    const door = pool.x + pool.w - 8;
    const road = pen.height - ROAD / 2;
    const way = [[door, pool.y + pool.h + 2], [door, road], [(outside ?? queue).x + 4, road]];
    stroke(pen, pen.line, way, 1.2, [4, 5]);
    for (let slot = 0; slot < workers; slot += 1) {
      const { x, y } = this.#inPool(slot);
      if (!this.#taken[slot]) mark(pen, 'free', this.#places.radius, x, y);
    }
    this.#paintCores(pen, model.busyCores, cores);
    const label = ({ x, y }: Box, text: string, part = 0) => words(pen, text, x, y - 7, part);
    const { length } = model.line;
    label(queue, `in line ${length}${places < 1000 ? ` of ${places}` : ''}`);
    label(pool, `workers ${model.inService} of ${workers}`);
    const { x, y, w } = this.#cores;
    words(pen, `cores ${model.busyCores} of ${cores}`, x + w, y - 7, 1);
    if (outside) label(outside, `outside ${model.requests.size - length - model.inService}`);
  }

  #paintCores(pen: Pen, busy: number, count: number): void {
    const all = this.#cores;
    const columns = count > 6 ? 2 : 1;
    const rows = Math.ceil(count / columns);
    const w = (all.w - (columns - 1) * 6) / columns;
    const h = Math.min(44, (all.h - (rows - 1) * 6) / rows);
    for (let core = 0; core < count; core += 1) {
      const x = all.x + (core % columns) * (w + 6);
      const y = all.y + Math.floor(core / columns) * (h + 6);
      if (core < busy) round(pen, pen.accent, { x, y, w, h }, 4, pen.accent);
      else round(pen, pen.line, { x, y, w, h }, 4, '', [4, 4]);
    }
  }

  #paintDots(pen: Pen, model: ShopModel): void {
    const share = Math.min(1, model.busyCores / Math.max(1, model.onCores));
    for (const { state, x, y } of this.#dots.values()) {
      const inside = state === 'waiting' || state === 'computing';
      mark(pen, state === 'gone' ? 'away' : state, inside ? this.#places.radius : this.#small, x, y, share);
    }
  }
}

/** The largest dots of which so many fit into a box, spread evenly. */
function fit(box: Box, count: number, largest: number): Places {
  const columns = Math.max(1, Math.round(Math.sqrt((count * box.w) / box.h)));
  const tried = [columns, columns + 1, Math.max(1, columns - 1)].map((columns) => {
    const across = box.w / columns;
    const down = box.h / Math.ceil(count / columns);
    return { radius: Math.max(SMALLEST, Math.min(largest, Math.min(across, down) / CELL)), columns, across, down };
  });
  return tried.reduce((best, each) => (each.radius > best.radius ? each : best));
}

/** Where the nth stands in a box, column by column; what is too many stands on the others. */
function stand(box: Box, radius: number, nth: number, fromRight = false): Point {
  const cell = CELL * radius;
  const rows = Math.max(1, Math.floor(box.h / cell));
  const columns = Math.max(1, Math.floor(box.w / cell));
  const at = nth % (columns * rows);
  const x = (Math.floor(at / rows) + 0.5) * cell;
  return { x: fromRight ? box.x + box.w - x : box.x + x, y: box.y + ((at % rows) + 0.5) * cell };
}

function chase(dot: Dot, place: Point, part: number): void {
  if (part === 1) dot.turns.length = 0;
  const to = dot.turns[0] ?? place;
  dot.x += (to.x - dot.x) * part;
  dot.y += (to.y - dot.y) * part;
  if (dot.turns.length > 0 && Math.abs(dot.x - to.x) + Math.abs(dot.y - to.y) < NEAR) dot.turns.shift();
}
