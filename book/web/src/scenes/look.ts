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
  canvas?: CanvasRenderingContext2D; // the same, where there are pixels
  width: number; // CSS pixels
  height: number;
  ratio: number; // of the screen's pixels to the page's
  font: string;
}

const SHARPEST = 2; // device pixels for each of the page's; more costs and is not seen

export class Look {
  #looks: (ReturnType<typeof colours> & { font: string }) | undefined;
  #width: number; // as the browser says when it changes: to ask within a frame lays out the page

  constructor(
    readonly canvas: HTMLCanvasElement,
    changed: () => void,
  ) {
    const forget = () => {
      this.#looks = undefined;
      changed();
    };
    new MutationObserver(forget).observe(document.documentElement, { attributeFilter: ['data-theme'] });
    const place = canvas.parentElement!;
    this.#width = place.clientWidth;
    new ResizeObserver(() => {
      const width = place.clientWidth;
      if (width === this.#width) return;
      this.#width = width;
      changed();
    }).observe(place);
  }

  /** Empty, and as high as is asked for at this width; nothing while it is not displayed. */
  pen(heightAt: (width: number) => number): Pen | undefined {
    const { canvas } = this;
    const width = this.#width;
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
    if (!this.#looks) {
      const style = getComputedStyle(canvas);
      const of = (name: string) => style.getPropertyValue(`--wt-${name}`);
      this.#looks = { ...colours(style.color, of), font: `14px ${style.fontFamily}` };
    }
    g.font = this.#looks.font;
    return { g, canvas: g, width, height, ratio, ...this.#looks };
  }
}
