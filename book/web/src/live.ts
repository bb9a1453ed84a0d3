/** A page that is live: its Python, its labs, and what happens when Python is lost.
 *
 * Every fault ends in working labs again, or in a sentence with a button that leads there. */
import '@jupyter-widgets/controls/css/widgets.built.css';
import '@jupyter-widgets/html-manager/css/output.css';
import { LabCell } from './cells';
import { REFUSED, type Early } from './early';
import type { Cells, LiveConfig } from './page';
import { Session, type Loss } from './session';
import { STARTING, type StatusLine } from './status';
import { WidgetManager } from './widgets';

const LOSSES: Record<Loss, string> = {
  crashed: 'Python stopped unexpectedly. What was measured stays on the page.',
  restarted: 'Python was restarted, and these panels belong to the one before.',
  gone: 'Python was shut down. What was measured stays on the page.',
  'locked out': 'The book’s server no longer knows this browser. Open the address it printed.',
};

const LIVE = ['live', 'Live: the labs on this page measure on this machine.'] as const;

const RESTING =
  'Nothing has happened here for long, so Python was ended, to leave the server to others. What ' +
  'was measured stays on the page.';

const SILENCES = {
  kernel: 'Python does not answer. It may be suspended or very busy; waiting for it.',
  server: 'The book’s server does not answer. If it was stopped, start it again; waiting for it.',
  socket:
    'The book’s server answers, but no WebSocket comes through to it, and the labs need one: a ' +
    'proxy or a firewall on the way blocks them, or the server was not told of this address. See ' +
    '“Reading on another machine” in the appendix.',
};

const CUT =
  'The connection to Python is cut again and again. What is recorded stays on the page.';
const MOST_RESTARTS = 5; // in a row, each after a longer pause
const PAUSE_MS = 250; // before the first of them

class LivePage {
  readonly #labs = new Map<Cells['cells'][number], LabCell>(); // in the page's order
  #session: Session | undefined;
  #early: Early | undefined; // asked for by the page's first script
  #manager: WidgetManager | undefined;
  #attempt = 0; // a later start makes an earlier one's news old
  #restarts = 0; // in a row, as the connection was cut before anything was measured

  constructor(
    private readonly config: LiveConfig,
    private readonly written: Cells,
    private readonly status: StatusLine,
  ) {
    this.#early = config.early;
    const nodes = document.querySelectorAll<HTMLElement>('.cell.tag_lab');
    for (const cell of written.cells.filter(({ lab }) => lab)) {
      const node = nodes[this.#labs.size];
      if (!node) throw new Error(`Lab ${this.#labs.size + 1} is not on the page.`);
      this.#labs.set(cell, new LabCell(node, cell.source, (lab) => void this.#rerun(lab)));
    }
    window.addEventListener('beforeunload', (event) => {
      if (measuring()) event.preventDefault(); // the browser asks, in its own words
    });
    window.addEventListener('pageshow', (event) => {
      if (event.persisted) void this.start(); // back to a page whose kernel ended when it was left
    });
  }

  async start(): Promise<void> {
    const attempt = ++this.#attempt;
    const stale = () => attempt !== this.#attempt;
    this.#allow(false);
    this.status.show('starting', STARTING);
    const before = this.#session;
    const early = this.#early;
    this.#session = this.#early = undefined; // no later start has them
    await before?.close();
    let ready = false;
    let lost = false;
    try {
      const session = await Session.open(this.config.baseUrl, this.written.page, early);
      if (stale()) return void session.close();
      this.#session = session;
      this.#manager = new WidgetManager(session.kernel);
      session.watch({
        onAnswer: () => {
          if (ready) this.status.show(...LIVE);
          else this.status.show('starting', STARTING);
        },
        onCut: () => this.#manager?.recover(),
        onSilence: (who) => this.#offer('silent', SILENCES[who], 'Start again'),
        onLoss: (how) => {
          lost = true;
          this.#lose(how);
        },
        onRest: () => this.#rest(),
      }, this.config.restAfterS);
      await this.#runAll(session, stale);
      if (stale() || lost) return;
      ready = true;
      this.#restarts = 0;
      this.#allow(true);
      this.status.show(...LIVE);
      window.wallTime.plotly().catch(() => undefined); // who draws with it asks again
    } catch (reason) {
      if (stale() || lost) return; // a later start tells its own story; a loss has been told
      const refused = reason instanceof Error && reason.name === REFUSED;
      // With nothing measured yet; what was asked for after a cut may be lost by another.
      if (this.#session?.cuts || (this.#restarts && !refused)) return void this.#restart(stale);
      console.error(reason);
      const why = refused ? reason.message : 'the book’s server does not answer';
      this.#offer('lost', `The labs could not start: ${why}.`, 'Try again');
    }
  }

  async #restart(stale: () => boolean): Promise<void> {
    if (this.#restarts === MOST_RESTARTS) {
      this.#restarts = 0;
      return this.#offer('lost', CUT, 'Try again');
    }
    const pauseMs = PAUSE_MS * 2 ** this.#restarts++;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    if (!stale()) await this.start();
  }

  async #runAll(session: Session, stale: () => boolean): Promise<void> {
    for (const cell of this.written.cells) {
      const lab = this.#labs.get(cell);
      if (lab) {
        await lab.run(session, this.#manager!);
      } else {
        const reply = await session.execute(cell.source, true).done;
        if (reply?.content.status === 'error') console.error(reply.content.evalue);
      }
      if (stale()) return;
    }
  }

  async #rerun(lab: LabCell): Promise<void> {
    const session = this.#session;
    if (!session) return;
    const { cuts } = session;
    try {
      await lab.run(session, this.#manager!);
    } catch (reason) {
      if (session.cuts > cuts) return this.#rerun(lab);
      console.error(reason); // the kernel was lost on the way, and the watcher says so
    }
  }

  /** Leaves nothing open: whatever goes to and fro looks like a reader to a hub. */
  #rest(): void {
    this.#attempt += 1;
    this.#allow(false);
    void this.#session?.close();
    this.#session = undefined;
    this.#offer('lost', RESTING, 'Start again');
  }

  #lose(how: Loss): void {
    this.#allow(false);
    if (how === 'locked out') {
      this.status.show('lost', LOSSES[how], { label: 'Reload', run: () => location.reload() });
    } else {
      this.#offer('lost', LOSSES[how], 'Start again');
    }
  }

  #offer(state: 'silent' | 'lost', words: string, label: string): void {
    this.status.show(state, words, { label, run: () => void this.start() });
  }

  #allow(runnable: boolean): void {
    for (const lab of this.#labs.values()) lab.runnable = runnable;
  }
}

/** Whether a lab measures, which ends when the page is left. */
function measuring(): boolean {
  const lost = document.documentElement.dataset.labs === 'lost';
  return !lost && document.querySelector('.wt-stop:not(:disabled)') !== null;
}

window.wallTime.measuring = measuring;
window.wallTime.goLive = (config, cells, status) => {
  void new LivePage(config, cells, status).start();
};
