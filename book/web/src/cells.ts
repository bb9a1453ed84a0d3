/** One lab of the page: its code, which the reader may change, and what it last showed. */
import { OutputArea, OutputAreaModel } from '@jupyterlab/outputarea';
import { Widget } from '@lumino/widgets';
import { keepFocus, nameSliders, sayAloud } from './heard';
import { make } from './make';
import type { Session } from './session';
import type { WidgetManager } from './widgets';

const OF_CODE = {
  ...{ role: 'textbox', 'aria-multiline': 'true', 'aria-label': 'The code of this lab' },
  ...{ tabindex: '0', spellcheck: 'false' },
};
const LOOK_MS = 20; // between two looks at what is still to be drawn
const MISSING = '.wt-plot:not([data-drawn]), .jp-OutputArea-output:empty';
const DRAWN_PATIENCE_MS = 15_000; // a panel that takes longer is shown as it is; the recorded run serves until then
const LONG_MS = 1_000; // code that takes longer can be stopped

export class LabCell {
  readonly #code: HTMLElement;
  readonly #output: HTMLElement;
  readonly #run = make('button', { type: 'button', class: 'wt-run-code', title: 'Shift + Enter', disabled: true }, 'Run this code');
  readonly #reset = make('button', { type: 'button', hidden: true }, 'Back to the book’s code');
  readonly #stop = make('button', { type: 'button', hidden: true }, 'Stop this code');
  readonly #aloud = make('div', { class: 'wt-aloud', role: 'status', 'aria-atomic': 'false' });
  #shown: OutputArea | undefined;
  #wanted = false; // code that was changed before there was Python to run it

  /** `onRun` is called when the reader asks to run this cell again. */
  constructor(
    node: HTMLElement,
    readonly original: string,
    onRun: (cell: LabCell) => void,
  ) {
    const frame = node.querySelector<HTMLElement>('.cell_input pre');
    if (!frame) throw new Error('A lab’s code is not on the page. Tag its cell hide-input.');
    this.#code = make('div', OF_CODE, ...frame.childNodes); // the theme takes every `pre` out of Tab’s way
    frame.append(this.#code);
    this.#output = node.querySelector('.cell_output') ?? node.appendChild(make('div', { class: 'cell_output' }));
    node.append(this.#aloud);
    this.#makeEditable(node, onRun);
  }

  get #source(): string {
    return seenText(this.#code).replace(/\n$/, '');
  }

  #makeEditable(node: HTMLElement, onRun: (cell: LabCell) => void): void {
    const pristine = [...this.#code.cloneNode(true).childNodes];
    this.#code.contentEditable = 'plaintext-only';
    this.#code.addEventListener('keydown', (event) => {
      event.stopPropagation(); // the theme takes "/" for its search
      if (event.key !== 'Enter' || !(event.shiftKey || event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      if (this.#run.disabled) this.#wanted = true;
      else onRun(this);
    });
    this.#code.addEventListener('input', () => {
      this.#reset.hidden = this.#source === this.original.trimEnd();
    });

    this.#run.addEventListener('click', () => onRun(this));
    this.#reset.addEventListener('click', () => {
      this.#code.replaceChildren(...pristine.map((child) => child.cloneNode(true)));
      this.#reset.hidden = true;
      this.#output.querySelector('.wt-problem')?.closest('.wt-live')?.classList.add('wt-stale');
      this.#run.focus();
    });
    const actions = make('div', { class: 'wt-code-actions' }, this.#run, this.#stop, this.#reset);
    node.querySelector('.cell_input')!.append(actions);
  }

  set runnable(yes: boolean) {
    this.#run.disabled = !yes;
  }

  /** Runs the code and shows its output in place of the last one, once it is drawn.
   *
   * Rejects when the kernel is lost on the way; the last output then stays. */
  async run(session: Session, manager: WidgetManager): Promise<void> {
    const host = make('div', { class: 'wt-live wt-behind' });
    this.#output.append(host);
    const model = new OutputAreaModel({ trusted: true });
    const area = new OutputArea({ model, rendermime: manager.renderMime });
    Widget.attach(area, host);
    const pressed = document.activeElement === this.#run; // a button that is disabled loses it
    this.runnable = false;
    const idle = this.#shown && this.#busy(session);
    try {
      const typing = !this.#shown && !this.#wanted; // perhaps half a line
      const future = session.execute(typing ? this.original : this.#source);
      area.future = future;
      const reply = await future.done;
      await Promise.all([untilDrawn(host, manager), manager.inOrder]);
      const failed = reply?.content.status === 'error';
      if (failed) foldTraceback(host, reply.content as unknown as Record<string, string>);
      else await this.#carryOver(session, host, manager);
      this.#show(area, host, failed);
    } catch (reason) {
      area.dispose();
      host.remove();
      throw reason;
    } finally {
      this.runnable = true;
      idle?.();
      if (pressed && document.activeElement === document.body) this.#run.focus();
    }
  }

  /** What the reader has said to the recorded run that still stands there is said to the lab that
   * comes, as soon as it may be: until then one can say it. */
  async #carryOver(session: Session, host: HTMLElement, manager: WidgetManager): Promise<void> {
    const replay = this.#output.querySelector<HTMLElement>('.wt-replay');
    for (let told: string | undefined; replay && replay.dataset.said !== told; ) {
      told = replay.dataset.said;
      if (!told) break;
      const asPython = `__import__("json").loads(${JSON.stringify(told)})`;
      await session.execute(`__import__("labs.api").api.said_before(*${asPython})`, true).done;
      await untilDrawn(host, manager);
    }
  }

  /** The reader's own code goes on: before long it can be stopped, and its last output is pale, as
   * it is of before. Until the returned function is called. */
  #busy(session: Session): () => void {
    // What could not be told to the kernel shows as its silence.
    this.#stop.onclick = () => session.kernel.interrupt().catch(() => undefined);
    const long = setTimeout(() => {
      this.#stop.hidden = false;
      this.#output.classList.add('wt-stale');
    }, LONG_MS);
    return () => {
      clearTimeout(long);
      if (this.#stop === document.activeElement) this.#run.focus();
      this.#stop.hidden = true;
      this.#output.classList.remove('wt-stale');
    };
  }

  #show(area: OutputArea, host: HTMLElement, failed: boolean): void {
    const recordedStays = failed && !this.#shown; // an error says nothing about the recorded run
    const again = this.#shown !== undefined;
    const typing = this.#output.querySelector<HTMLInputElement>('.wt-bet input[type=text]')?.value;
    const stoodHere = document.activeElement !== document.body && this.#output.contains(document.activeElement);
    this.#shown?.dispose(); // while it is still on the page
    this.#shown = area;
    for (const child of [...this.#output.children]) {
      if (child !== host && !recordedStays) child.remove();
    }
    window.wallTime.offerChecks!(host);
    host.classList.remove('wt-behind');
    if (!again) goOn(host, typing, stoodHere);
    nameSliders(host);
    keepFocus(host);
    sayAloud(host, this.#aloud, again);
  }
}

// As what a traceback is drawn: newer versions of rendermime have a kind of its own for it.
const ERRORS = ['error', 'stderr'].map((kind) => `[data-mime-type="application/vnd.jupyter.${kind}"]`).join();

/** What went wrong first; Python's way there is for who wants it. */
function foldTraceback(host: HTMLElement, { ename, evalue = '' }: Record<string, string>): void {
  const errors = host.querySelectorAll(ERRORS);
  const traceback = errors[errors.length - 1];
  if (!traceback) return;
  const why = evalue.replace(/ \(\d+\.py, line (\d+)\)$/, ' (line $1)'); // of no file the reader has
  let said = /\.$/.test(why) ? why : `${ename}: ${why}`; // ours are sentences
  if (ename === 'KeyboardInterrupt') said = 'Stopped, before it had come to its end.';
  const way = make('details', { class: 'wt-traceback' }, make('summary', {}, 'Where Python stopped'));
  traceback.before(make('p', { class: 'wt-problem', role: 'alert' }, said), way);
  way.append(traceback);
}

/** An element's text with the lines that are seen: a browser's editing ends them with `\n`, with
 * `<br>` or with a block, as it likes, and textContent knows the first only. */
function seenText(element: Element): string {
  let text = '';
  const endLine = () => {
    if (text && !text.endsWith('\n')) text += '\n';
  };
  const read = (node: Node) => {
    if (node instanceof Text) text += node.data;
    if (node instanceof HTMLBRElement) text += '\n';
    if (!(node instanceof Element)) return;
    const inline = getComputedStyle(node).display.startsWith('inline');
    if (!inline) endLine();
    node.childNodes.forEach(read);
    if (!inline) endLine();
  };
  element.childNodes.forEach(read);
  return text;
}

/** In a lab that has come: what was typed is there, and the keyboard stands where it stood. */
function goOn(host: HTMLElement, typed: string | undefined, stoodHere: boolean): void {
  const number = host.querySelector<HTMLInputElement>('.wt-prediction input');
  if (number && typed) {
    number.value = typed;
    number.dispatchEvent(new Event('change', { bubbles: true }));
  }
  const places = [number, host.querySelector<HTMLElement>('.wt-run')];
  if (stoodHere) places.find((each) => each?.checkVisibility())?.focus({ preventScroll: true });
}

/** Until all of the output's widgets are there, and what is in sight of them is drawn. */
async function untilDrawn(host: HTMLElement, manager: WidgetManager): Promise<void> {
  const deadline = Date.now() + DRAWN_PATIENCE_MS;
  const looked = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  for (let ms = 0; Date.now() < deadline; ms = LOOK_MS) {
    await looked(ms);
    await Promise.race([manager.settled(), looked(DRAWN_PATIENCE_MS)]);
    const missing = [...host.querySelectorAll(MISSING)];
    if (!missing.some((node) => node.getClientRects().length > 0)) return; // none on display
  }
}
