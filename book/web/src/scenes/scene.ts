/** What a scene is: a model with a clock of its own, and a picture that only reads it.
 *
 * `frame.ts` has all that scenes have in common: sliders, clock, bet, goal, and when to sleep. */
import type { Pen } from './look';
import type { Name, Values } from './parameters';

/** A row of the table: what, simulated, the bound, the model; '' where there is none. A column
 * without anything is not shown. */
export type Row = [what: string, simulated: string, bound?: string, model?: string];

export interface Scene {
  /** Whether nothing in it is left to chance, and there is no seed to choose. */
  readonly certain?: boolean;
  /** Whether a goal is reached, by its name; its words stand in `About`. */
  readonly goals?: Record<string, () => boolean>;
  /** Buttons and choices of its own (controls.ts), below the clock's. */
  tools?(): Node[];
  /** Begin again: the stage's seed is the same, and so is the course. */
  start(): void;
  /** The model's clock goes on by so many microseconds. Without one there is nothing to play, and
   * neither `clock` nor `step`. */
  advance?(us: number): void;
  /** What its clock shows. */
  clock?(): string;
  /** To the next thing that happens, and what it was in words. */
  step?(): string;
  /** Of a course that has an end, and is seen whole at first: whether it is there. To go on is then to
   * begin again. */
  over?(): boolean;
  /** A frame's part of what is simulated although nothing plays; whether there is more to see. */
  simulate?(): boolean;
  /** Whether there is more of that. */
  restless?(): boolean;
  /** The reader has turned it; `values` are already the new ones. */
  changed(name: Name): void;
  height(width: number): number;
  /** `ms` of real time since the last picture; infinite: show where everything belongs. */
  draw(pen: Pen, ms: number): void;
  rows(): Row[];
  /** What there is to see, in a sentence or two. */
  sentence(): string;
  /** What a bet is held against, once the model has run for long enough. */
  answer?(): { value: number; words: string } | undefined;
  /** While the reader holds the button down that sends requests; once for a short press. */
  send?(held: boolean): void;
  /** Pointer on the canvas, in its pixels; whether the scene took it. */
  point?(x: number, y: number, begins: boolean): boolean;
}

export interface Stage {
  values: Values;
  /** Of the dice: a whole number. */
  readonly seed: number;
  /** What else the page says: data of the element. */
  option(name: string): string | null;
  /** A slider of the scene's own was moved from the canvas. */
  turn(name: Name, value: number): void;
  /** The reader used a tool of the scene's own; what came of it is said. */
  did(words: string): void;
}

export type Kind = (stage: Stage) => Scene;

/** What an option of a page may be: numbers from 0 on, some of these words, or any words. */
export type Check = 'numbers' | 'words' | readonly string[];

/** What stands around a scene, and what a page may ask of it. No page's script has it: the build
 * writes it into labs/site/roles/scenes.json, and what is the same for all pages into them. */
export interface About {
  /** For a screen reader: what the picture is of. */
  title: string;
  /** What the marks mean: class of a mark in scenes.css, and words. */
  legend: Record<string, string>;
  /** Marks that only some pages have: those that give this option, or turn it. */
  only?: Record<string, string>;
  /** Headings of the table's last two columns. */
  columns?: [bound: string, model: string];
  /** What a page can ask of the reader, in words. */
  goals?: Record<string, string>;
  /** Options of its own. */
  options?: Record<string, Check>;
  /** Options without which it cannot be shown, and what they say. */
  needs?: Record<string, string>;
  /** What happens before its still picture is drawn. */
  still?(scene: Scene, option: Stage['option']): void;
}
