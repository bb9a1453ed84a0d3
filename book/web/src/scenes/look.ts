/** A canvas as sharp as the screen, in the page's colours, light and dark. */

/** How scenes draw: of a canvas what they use, which an SVG does as well (svg.ts). */
export type Context = Pick<
  CanvasRenderingContext2D,
  | ('globalAlpha' | 'fillStyle' | 'strokeStyle' | 'lineWidth' | 'textAlign' | 'font')
  | ('fillRect' | 'strokeRect' | 'fillText' | 'setLineDash' | 'fill' | 'stroke')
  | ('beginPath' | 'moveTo' | 'lineTo' | 'arc' | 'rect' | 'roundRect' | 'save' | 'clip' | 'restore')
>;

/** The page's colours, as wall-time.css names them. */
export const colours = (text: string, of: (name: string) => string) => ({
  text,
  muted: of('muted'),
  line: of('control-line'),
  accent: of('accent'),
  warm: of('warm'),
  wash: of('wash'),
});

export interface Pen extends ReturnType<typeof colours> {
  g: Context;
  width: number; // CSS pixels
  height: number;
  font: string;
}

const SHARPEST = 2; // device pixels for each of the page's; more costs and is not seen

/** What gives a pen for that canvas: empty, and as high as is asked for at its width; none while it is
 * not displayed. `changed` is told when the theme or the width is another. */
export function penFor(canvas: HTMLCanvasElement, changed: () => void): (heightAt: (width: number) => number) => Pen | undefined {
  let looks: (ReturnType<typeof colours> & { font: string }) | undefined;
  new MutationObserver(() => {
    looks = undefined;
    changed();
  }).observe(document.documentElement, { attributeFilter: ['data-theme'] });
  const place = canvas.parentElement!;
  let width = place.clientWidth; // as the browser says when it changes: to ask within a frame lays out the page
  new ResizeObserver(() => {
    if (place.clientWidth === width) return;
    width = place.clientWidth;
    changed();
  }).observe(place);
  return (heightAt) => {
    if (width === 0) return undefined;
    const height = heightAt(width);
    const ratio = Math.min(SHARPEST, devicePixelRatio);
    const g = canvas.getContext('2d')!;
    const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width !== across || canvas.height !== down) {
      canvas.width = across;
      canvas.height = down;
      canvas.style.height = `${height}px`;
    }
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, width, height);
    if (!looks) {
      const style = getComputedStyle(canvas);
      const of = (name: string) => style.getPropertyValue(`--wt-${name}`);
      looks = { ...colours(style.color, of), font: `14px ${style.fontFamily}` };
    }
    g.font = looks.font;
    return { g, width, height, ...looks };
  };
}
