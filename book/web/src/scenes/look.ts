/** A canvas as sharp as the screen, in the page's colours, light and dark. */
export interface Pen {
  g: CanvasRenderingContext2D;
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

const SHARPEST = 2; // device pixels for each of the page's; more costs and is not seen

export class Look {
  private colours: Omit<Pen, 'g' | 'width' | 'height' | 'ratio'> | undefined;

  constructor(
    readonly canvas: HTMLCanvasElement,
    changed: () => void,
  ) {
    const forget = () => {
      this.colours = undefined;
      changed();
    };
    new MutationObserver(forget).observe(document.documentElement, {
      attributeFilter: ['data-theme'],
    });
    new ResizeObserver(changed).observe(canvas.parentElement!);
  }

  /** Empty, and as high as is asked for at this width; nothing while it is not displayed. */
  pen(heightAt: (width: number) => number): Pen | undefined {
    const { canvas } = this;
    const width = Math.round(canvas.parentElement!.clientWidth);
    if (width === 0) return undefined;
    const height = heightAt(width);
    const ratio = Math.min(SHARPEST, devicePixelRatio || 1);
    const g = canvas.getContext('2d')!;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.height = `${height}px`;
    }
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, width, height);
    this.colours ??= this.read();
    g.font = this.colours.font;
    return { g, width, height, ratio, ...this.colours };
  }

  private read(): Omit<Pen, 'g' | 'width' | 'height' | 'ratio'> {
    const style = getComputedStyle(this.canvas);
    const of = (name: string, without: string) => style.getPropertyValue(name).trim() || without;
    return {
      text: style.color,
      muted: of('--wt-muted', '#667'),
      line: of('--wt-control-line', '#999'),
      accent: of('--wt-accent', '#066'),
      warm: of('--wt-warm', '#a41'),
      wash: of('--wt-wash', 'transparent'),
      font: `14px ${style.fontFamily}`,
    };
  }
}
