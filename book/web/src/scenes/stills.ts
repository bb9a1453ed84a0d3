/** The still picture of a scene, which its page shows without a script and on paper: drawn by the
 * scene itself, for `make figures` (../picture.ts). `npm test` holds the committed ones to it. */
import { ABOUT, KINDS } from './kinds';
import { read } from './parameters';
import type { Stage } from './scene';
import { Svg } from './svg';

const WIDTH = 560; // of the narrowest that is laid out as on a wide page

export interface Asked {
  mark: string; // of name and options, as labs/site/roles/scenes.py has it
  name: string;
  options: Record<string, string>;
}

/** A stage without a page. */
export function stageOf(options: Record<string, string>): Stage {
  const option = (name: string) => options[name] ?? null;
  const values = read(option);
  const turn: Stage['turn'] = (name, value) => void (values[name] = value);
  return { values, seed: 1, option, turn, did() {} };
}

/** What a reader sees at first, or what has happened then by what is said about the scene. */
export function still({ mark, name, options }: Asked): string {
  const { title, still } = ABOUT[name]!;
  const stage = stageOf(options);
  const scene = KINDS[name]!(stage);
  scene.start();
  if (scene.over) scene.advance!(Infinity);
  still?.(scene, stage.option);
  while (scene.restless?.()) scene.simulate!();
  const svg = new Svg(WIDTH, scene.height(WIDTH), mark);
  scene.draw(svg.pen, Infinity);
  return svg.picture(`Simulated: ${title}. ${scene.sentence()}`);
}
