/** The axes of a recorded figure's picture, as setup/figures.py writes them beside it. */

export type Axis = [type: string, offset: number, length: number, from: number, to: number];

export function axesOf(picture: Element): Partial<Record<string, Axis>> {
  return JSON.parse(picture.getAttribute('data-axes') ?? '{}') as Record<string, Axis>;
}

/** How far along an axis, as a part of it. */
export function along([type, , , from, to]: Axis, value: number): number {
  return ((type === 'log' ? Math.log10(value) : value) - from) / (to - from);
}
