/** A pen that writes an SVG, in the page's own colours: one picture serves light and dark. What is
 * drawn in one look, one after the other, becomes one path. */
import { colours, type Context, type Pen } from './look';

const FONT = '14px ';

const short = (value: number) => String(Math.round(10 * value) / 10); // a tenth of a pixel is fine enough

export const escaped = (text: string) =>
  text.replace(/[&<>"]/g, (letter) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[letter]!);

/** All of them clockwise, so that two which overlap in one path leave no hole. */
const box = (x: number, y: number, w: number, h: number) =>
  `M${short(x)} ${short(y)}H${short(x + w)}V${short(y + h)}H${short(x)}z`;

export class Svg implements Context {
  globalAlpha = 1;
  fillStyle = '';
  strokeStyle = '';
  lineWidth = 1;
  textAlign: CanvasTextAlign = 'left';
  font = FONT;
  #path = '';
  #dash: number[] = [];
  /** A path and its attributes, or a text: an element, or a part of one. */
  #parts: { path: string; look: string; text?: string }[] = [];
  #clips = 0;

  /** `mark`: what no other picture of a page is marked with. */
  constructor(
    readonly width: number,
    readonly height: number,
    private mark: string,
  ) {}

  get pen(): Pen {
    const { width, height } = this;
    const inks = colours('currentColor', (name) => `var(--wt-${name})`);
    return { g: this, width, height, font: FONT, ...inks };
  }

  /** What has been drawn; `said` is for whoever cannot see it. */
  picture(said: string): string {
    let inside = '';
    let path = '';
    this.#parts.forEach(({ path: own, look, text }, index) => {
      path += own;
      const next = this.#parts[index + 1];
      if (text) inside += text;
      else if (!next || next.text || next.look !== look) {
        inside += `<path d="${path}"${look}/>`;
        path = '';
      }
    });
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${this.width} ${short(this.height)}" role="img" ` +
      `aria-label="${escaped(said)}" data-scene="${this.mark}" fill="none" font-size="14">${inside}</svg>\n`
    );
  }

  beginPath(): void {
    this.#path = '';
  }

  moveTo(x: number, y: number): void {
    this.#path += `M${short(x)} ${short(y)}`;
  }

  lineTo(x: number, y: number): void {
    this.#path += `${this.#path ? 'L' : 'M'}${short(x)} ${short(y)}`;
  }

  rect(x: number, y: number, w: number, h: number): void {
    this.#path += box(x, y, w, h);
  }

  /** Whole circles, as scenes have them. */
  arc(x: number, y: number, r: number): void {
    const half = `A${short(r)} ${short(r)} 0 0 1 `;
    const [left, right, at] = [short(x - r), short(x + r), short(y)];
    this.#path += `M${left} ${at}${half}${right} ${at}${half}${left} ${at}z`;
  }

  roundRect(x: number, y: number, w: number, h: number, corner: number): void {
    const r = Math.min(corner, w / 2, h / 2);
    const [left, right, top, bottom] = [short(x), short(x + w), short(y), short(y + h)];
    const turn = (toX: string, toY: string) => `A${short(r)} ${short(r)} 0 0 1 ${toX} ${toY}`;
    this.#path +=
      `M${short(x + r)} ${top}H${short(x + w - r)}${turn(right, short(y + r))}V${short(y + h - r)}` +
      `${turn(short(x + w - r), bottom)}H${short(x + r)}${turn(left, short(y + h - r))}V${short(y + r)}` +
      `${turn(short(x + r), top)}z`;
  }

  setLineDash(dash: number[]): void {
    this.#dash = dash;
  }

  fill(): void {
    this.#parts.push({ path: this.#path, look: this.#filled() });
  }

  stroke(): void {
    const last = this.#parts.at(-1);
    const dash = this.#dash.length > 0 ? ` stroke-dasharray="${this.#dash.join(' ')}"` : '';
    const wide = this.lineWidth === 1 ? '' : ` stroke-width="${short(this.lineWidth)}"`;
    const look = ` stroke="${this.strokeStyle}"${wide}${this.#opacity('stroke')}${dash}`;
    // What has just been filled gets its line.
    if (last?.path && last.path === this.#path && !last.look.includes('stroke')) last.look += look;
    else this.#parts.push({ path: this.#path, look });
  }

  fillRect(x: number, y: number, w: number, h: number): void {
    this.beginPath();
    this.rect(x, y, w, h);
    this.fill();
  }

  strokeRect(x: number, y: number, w: number, h: number): void {
    this.beginPath();
    this.rect(x, y, w, h);
    this.stroke();
  }

  fillText(text: string, x: number, y: number): void {
    const anchor = { center: 'middle', right: 'end' }[this.textAlign as string];
    const letters = this.font === FONT ? '' : ` font-family="${this.font.replace(FONT, '')}"`;
    this.#put(
      `<text x="${short(x)}" y="${short(y)}"${anchor ? ` text-anchor="${anchor}"` : ''}${letters}` +
        `${this.#filled()}>${escaped(text)}</text>`,
    );
  }

  save(): void {}

  /** Up to `restore`. */
  clip(): void {
    const id = `c${this.mark}-${(this.#clips += 1)}`;
    this.#put(`<clipPath id="${id}"><path d="${this.#path}"/></clipPath><g clip-path="url(#${id})">`);
  }

  restore(): void {
    this.#put('</g>');
  }

  #put(text: string): void {
    this.#parts.push({ path: '', look: '', text });
  }

  #filled(): string {
    return ` fill="${this.fillStyle}"${this.#opacity('fill')}`;
  }

  #opacity(of: string): string {
    return this.globalAlpha === 1 ? '' : ` ${of}-opacity="${this.globalAlpha}"`;
  }
}
