/** The picture of the shop: a dot for each request, and where it belongs. Reads the model only. */
import type { Pen } from './look';
import type { Values } from './parameters';
import type { Request, ShopModel, State } from './shop_model';
import { Stamps, type Stamp } from './stamps';

const NARROW = 560; // below this the queue stands above the workers
const LARGEST = 11; // radius of a dot
const SMALLEST = 1.6;
const CELL = 2.5; // a place, in radii
const CHASE_MS = 80; // a dot goes 63 % of its way in this time
const NEAR = 8; // to a corner of its way: then it turns
const GAP = 16;
const LABEL = 22;
const ROAD = 20; // the way back, below everything

interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}

interface Dot {
  x: number;
  y: number;
  slot: number; // in the pool; -1 for none
  rounds: number;
  turns: { x: number; y: number }[]; // corners on its way
  state: State;
  seen: number;
}

interface Places {
  radius: number;
  columns: number;
  across: number; // from one to the next
  down: number;
}

export class ShopPicture {
  private dots = new Map<number, Dot>();
  private taken: boolean[] = [];
  private frame = 0;
  private shape = '';
  private outside: Box | undefined;
  private queue!: Box;
  private pool!: Box;
  private cores!: Box;
  private places!: Places; // of the pool
  private room!: Places; // of the queue and outside
  private capacity = 24;
  private readonly stamps = new Stamps();

  forget(): void {
    this.dots.clear();
    this.taken = [];
    this.capacity = 24;
  }

  height(width: number): number {
    return width < NARROW ? 340 : 230;
  }

  draw(pen: Pen, model: ShopModel, values: Values, ms: number, visitors: boolean): void {
    const outside = values.think > 0 || values.places < 1000 || visitors;
    this.arrange(pen, model, values, outside);
    this.frame += 1;
    this.move(pen, model, ms);
    this.paintShop(pen, model, values);
    this.paintDots(pen, model);
  }

  private arrange(pen: Pen, model: ShopModel, values: Values, outside: boolean): void {
    const places = Number.isFinite(values.places) ? values.places : Infinity;
    const crowd = values.users > 0 ? Math.max(4, values.users - Math.min(values.workers, values.users)) : 8;
    const needed = Math.max(Math.min(places, crowd), model.line.length);
    while (this.capacity < needed) this.capacity *= 2;
    const shape = [pen.width, values.workers, this.capacity, outside, values.users].join();
    if (shape === this.shape) return;
    this.shape = shape;
    const { width, height } = pen;
    const full = width - 2; // half a line's width on each side
    if (width < NARROW) {
      const upper = Math.round((height - ROAD) * 0.42);
      const left = outside ? Math.round(full * 0.42) : 0;
      this.outside = outside ? { x: 1, y: LABEL, w: left - GAP, h: upper - LABEL - 6 } : undefined;
      this.queue = { x: 1 + left, y: LABEL, w: full - left, h: upper - LABEL - 6 };
      const y = upper + LABEL;
      const cores = 64;
      this.pool = { x: 1, y, w: full - cores - GAP, h: height - ROAD - y - 4 };
      this.cores = { x: 1 + full - cores, y, w: cores, h: height - ROAD - y - 4 };
    } else {
      const h = height - LABEL - ROAD - 4;
      const left = outside ? Math.round(full * 0.17) : 0;
      const queue = Math.round(full * (outside ? 0.22 : 0.28));
      const cores = Math.max(70, Math.round(full * 0.1));
      this.outside = outside ? { x: 1, y: LABEL, w: left - GAP, h } : undefined;
      this.queue = { x: 1 + left, y: LABEL, w: queue, h };
      const x = 1 + left + queue + GAP;
      this.pool = { x, y: LABEL, w: 1 + full - cores - GAP - x, h };
      this.cores = { x: 1 + full - cores, y: LABEL, w: cores, h };
    }
    this.places = fit(this.pool, values.workers);
    this.room = fit(this.queue, this.capacity, this.places.radius);
    if (this.outside) {
      const crowd = Math.min(values.users || this.capacity, 400);
      this.room = { ...this.room, radius: Math.min(this.room.radius, fit(this.outside, crowd).radius) };
    }
    for (const dot of this.dots.values()) {
      if (dot.slot >= values.workers) dot.slot = -1;
    }
    this.taken = [];
    for (const dot of this.dots.values()) if (dot.slot >= 0) this.taken[dot.slot] = true;
  }

  private move(pen: Pen, model: ShopModel, ms: number): void {
    const part = ms === Infinity ? 1 : 1 - Math.exp(-ms / CHASE_MS);
    const bottom = pen.height - ROAD / 2;
    const far = this.outside ? this.outside.x + this.outside.w / 2 : this.queue.x + 4;
    for (const request of model.requests.values()) {
      const dot = this.dotOf(request);
      dot.seen = this.frame;
      const inside = request.state === 'computing' || request.state === 'waiting';
      if (dot.rounds !== request.rounds) {
        // Answered since the last picture: round by the road, unless it is in another worker already.
        dot.turns = inside
          ? []
          : [
              { x: Math.min(dot.x, this.pool.x + this.pool.w), y: bottom },
              { x: far, y: bottom },
            ];
        dot.rounds = request.rounds;
        this.release(dot);
      }
      dot.state = request.state;
      if (!inside) this.release(dot);
      else if (dot.slot < 0) dot.slot = this.freeSlot();
    }
    const place = { x: 0, y: 0 };
    model.line.forEach((request, index) => {
      const dot = this.dots.get(request.id)!;
      this.inLine(index, place);
      chase(dot, place, part);
    });
    let front = 0;
    for (const [id, dot] of this.dots) {
      if (dot.seen !== this.frame) {
        // Gone: to the left on the road, and out of the picture.
        if (dot.slot >= 0 || dot.state !== 'gone') {
          this.release(dot);
          dot.state = 'gone';
          dot.turns = [{ x: Math.min(dot.x, this.pool.x + this.pool.w), y: bottom }];
        }
        place.x = -20;
        place.y = bottom;
        chase(dot, place, part);
        if (dot.x < -8 || ms === Infinity) this.dots.delete(id);
      } else if (dot.slot >= 0) {
        this.inPool(dot.slot, place);
        chase(dot, place, part);
      } else if (dot.state === 'away' || dot.state === 'refused') {
        this.inFront(front++, place);
        chase(dot, place, part);
      }
    }
  }

  private dotOf(request: Request): Dot {
    let dot = this.dots.get(request.id);
    if (!dot) {
      const y = this.queue.y + this.queue.h / 2;
      const { rounds, state } = request;
      dot = { x: -10, y, slot: -1, rounds, turns: [], state, seen: 0 };
      this.dots.set(request.id, dot);
    }
    return dot;
  }

  private freeSlot(): number {
    let slot = 0;
    while (this.taken[slot]) slot += 1;
    this.taken[slot] = true;
    return slot;
  }

  private release(dot: Dot): void {
    if (dot.slot >= 0) this.taken[dot.slot] = false;
    dot.slot = -1;
  }

  private inPool(slot: number, to: { x: number; y: number }): void {
    spot(this.pool, this.places, slot, to);
  }

  /** The head of the line stands at the door, on the right; column by column to the left. */
  private inLine(index: number, to: { x: number; y: number }): void {
    const { queue, room } = this;
    const cell = CELL * room.radius;
    const rows = Math.max(1, Math.floor(queue.h / cell));
    const column = Math.min(Math.floor(index / rows), Math.max(0, Math.floor(queue.w / cell) - 1));
    to.x = queue.x + queue.w - (column + 0.5) * cell;
    to.y = queue.y + ((index % rows) + 0.5) * cell;
  }

  /** Those outside, by columns from the left; what is too many stands on the others. */
  private inFront(index: number, to: { x: number; y: number }): void {
    const box = this.outside ?? this.queue;
    const cell = CELL * this.room.radius;
    const rows = Math.max(1, Math.floor(box.h / cell));
    const columns = Math.max(1, Math.floor(box.w / cell));
    const at = index % (columns * rows);
    to.x = box.x + (Math.floor(at / rows) + 0.5) * cell;
    to.y = box.y + ((at % rows) + 0.5) * cell;
  }

  private paintShop(pen: Pen, model: ShopModel, values: Values): void {
    const { g } = pen;
    const { queue, pool, cores } = this;
    g.lineWidth = 1.2;
    g.strokeStyle = pen.line;
    g.beginPath();
    g.roundRect(pool.x, pool.y, pool.w, pool.h, 6);
    g.moveTo(queue.x, queue.y);
    g.lineTo(queue.x + queue.w, queue.y);
    g.moveTo(queue.x, queue.y + queue.h);
    g.lineTo(queue.x + queue.w, queue.y + queue.h);
    g.stroke();
    g.setLineDash([4, 5]);
    g.beginPath();
    g.moveTo(pool.x + pool.w - 8, pool.y + pool.h + 2);
    const road = pen.height - ROAD / 2;
    g.lineTo(pool.x + pool.w - 8, road);
    g.lineTo(this.outside ? this.outside.x + 4 : queue.x + 4, road);
    g.stroke();
    g.setLineDash([]);
    // Workers nobody has taken.
    const place = { x: 0, y: 0 };
    const stamp = this.stamps.of(pen, 'free', this.places.radius);
    for (let slot = 0; slot < values.workers; slot += 1) {
      if (this.taken[slot]) continue;
      this.inPool(slot, place);
      stamp(place.x, place.y);
    }
    this.paintCores(pen, model.busyCores, values.cores, cores);
    g.fillStyle = pen.muted;
    g.textBaseline = 'alphabetic';
    const label = (box: Box, words: string) => g.fillText(words, box.x, box.y - 7);
    const { length } = model.line;
    label(queue, `in line ${length}${values.places < 1000 ? ` of ${values.places}` : ''}`);
    label(pool, `workers ${model.inService} of ${values.workers}`);
    g.textAlign = 'right';
    g.fillText(`cores ${model.busyCores} of ${values.cores}`, cores.x + cores.w, cores.y - 7);
    g.textAlign = 'left';
    const outside = model.requests.size - length - model.inService;
    if (this.outside) label(this.outside, `outside ${outside}`);
  }

  private paintCores(pen: Pen, busy: number, count: number, box: Box): void {
    const { g } = pen;
    const columns = count > 6 ? 2 : 1;
    const rows = Math.ceil(count / columns);
    const w = (box.w - (columns - 1) * 6) / columns;
    const h = Math.min(44, (box.h - (rows - 1) * 6) / rows);
    for (let core = 0; core < count; core += 1) {
      const x = box.x + (core % columns) * (w + 6);
      const y = box.y + Math.floor(core / columns) * (h + 6);
      g.beginPath();
      g.roundRect(x, y, w, h, 4);
      g.lineWidth = 1.2;
      g.strokeStyle = core < busy ? pen.accent : pen.line;
      if (core < busy) {
        g.fillStyle = pen.accent;
        g.fill();
      } else {
        g.setLineDash([4, 4]);
      }
      g.stroke();
      g.setLineDash([]);
    }
  }

  private paintDots(pen: Pen, model: ShopModel): void {
    const share = Math.min(1, model.busyCores / Math.max(1, model.onCores));
    const small = this.room.radius;
    const { radius } = this.places;
    const { stamps } = this;
    const away = stamps.of(pen, 'away', small);
    const stamp: Record<State, Stamp> = {
      waiting: stamps.of(pen, 'waiting', radius),
      computing: stamps.of(pen, 'computing', radius, share),
      queued: stamps.of(pen, 'queued', small),
      refused: stamps.of(pen, 'refused', small),
      away,
      gone: away,
    };
    for (const dot of this.dots.values()) stamp[dot.state](dot.x, dot.y);
  }
}

/** The largest dots of which so many fit into a box, spread evenly. */
function fit(box: Box, count: number, largest = LARGEST): Places {
  const columns = Math.max(1, Math.round(Math.sqrt((count * box.w) / box.h)));
  let best: Places | undefined;
  for (const tried of [columns, columns + 1, Math.max(1, columns - 1)]) {
    const across = box.w / tried;
    const down = box.h / Math.ceil(count / tried);
    const radius = Math.max(SMALLEST, Math.min(largest, Math.min(across, down) / CELL));
    if (!best || radius > best.radius) best = { radius, columns: tried, across, down };
  }
  return best!;
}

function spot(box: Box, places: Places, index: number, to: { x: number; y: number }): void {
  to.x = box.x + ((index % places.columns) + 0.5) * places.across;
  to.y = box.y + (Math.floor(index / places.columns) + 0.5) * places.down;
}

function chase(dot: Dot, place: { x: number; y: number }, part: number): void {
  if (part === 1) dot.turns.length = 0;
  const to = dot.turns[0] ?? place;
  dot.x += (to.x - dot.x) * part;
  dot.y += (to.y - dot.y) * part;
  if (dot.turns.length > 0 && Math.abs(dot.x - to.x) + Math.abs(dot.y - to.y) < NEAR) dot.turns.shift();
}
