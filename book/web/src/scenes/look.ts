/** A canvas as sharp as the screen, in the page's colours, light and dark. */

/** How scenes draw: of a canvas what they use, which an SVG does as well (svg.ts). */
export type Context = Pick<
  CanvasRenderingContext2D,
  | ('globalAlpha' | 'fillStyle' | 'strokeStyle' | 'lineWidth' | 'textAlign' | 'font')
  | ('fillRect' | 'strokeRect' | 'fillText' | 'setLineDash' | 'fill' | 'stroke')
  | ('beginPath' | 'moveTo' | 'lineTo' | 'arc' | 'rect' | 'roundRect' | 'save' | 'clip' | 'restore')
>;

export interface Pen {
  g: Context;
  canvas?: CanvasRenderingContext2D; // the same, where there are pixels
  width: number; // CSS pixels
  height: number;
  ratio: number; // of the screen's pixels to the page's
  text: string;
  muted: string;
  line: string;
  accent: string;
  warm: string;
  wash: string;
  font: string;
}

type Colours = Omit<Pen, 'g' | 'canvas' | 'width' | 'height' | 'ratio'>;

const SHARPEST = 2; // device pixels for each of the page's; more costs and is not seen

export class Look {
  #colours: Colours | undefined;
  #width: number; // as the browser says when it changes: to ask within a frame lays out the page

  constructor(
    readonly canvas: HTMLCanvasElement,
    changed: () => void,
  ) {
    const forget = () => {
      this.#colours = undefined;
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
    this.#colours ??= this.#read();
    g.font = this.#colours.font;
    return { g, canvas: g, width, height, ratio, ...this.#colours };
  }

  #read(): Colours {
    const style = getComputedStyle(this.canvas);
    const of = (name: string) => style.getPropertyValue(`--wt-${name}`);
    return {
      text: style.color,
      muted: of('muted'),
      line: of('control-line'),
      accent: of('accent'),
      warm: of('warm'),
      wash: of('wash'),
      font: `14px ${style.fontFamily}`,
    };
  }
}
