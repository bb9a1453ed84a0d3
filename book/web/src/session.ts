/** One page's Python: a kernel from the book's server, and whether it still answers. */
import { ServerConnection, type KernelMessage as Messages } from '@jupyterlab/services';
import { KernelConnection } from '@jupyterlab/services/lib/kernel/default';
import * as KernelMessage from '@jupyterlab/services/lib/kernel/messages';
import { askForPython, endPython, type Early, type Given } from './early';

type Execution = ReturnType<KernelConnection['requestExecute']>;
export type Loss = 'crashed' | 'restarted' | 'gone' | 'locked out';
export type Silent = 'kernel' | 'server' | 'socket'; // the last: no WebSocket comes through

/** Told about an open session, until it is lost or closed. */
export interface Watcher {
  onAnswer(): void; // again, after a silence
  onCut(): void; // the connection is there again, and the last words may be lost
  onSilence(who: Silent): void;
  onLoss(how: Loss): void; // the last word: widgets made before are dead
  onRest(): void; // nobody has used it for as long as it was opened for
}

const BEAT_MS = 2_000;
const PING = 'kernel_info_request';
const PING_PATIENCE_MS = 4_000; // a kernel answers on its control thread, busy or not
const REST_PATIENCE_MS = 1_500;
const SOCKET_PATIENCE_MS = 4_000;
const END_PATIENCE_MS = 4_000;
const HANDS = ['pointerdown', 'keydown', 'wheel', 'touchmove'] as const; // signs of a reader

export class Session {
  readonly kernel: KernelConnection;
  /** How often the connection was cut. Code that ran is given up then, to be run again: its
   * answer, or something that it showed, may be lost. */
  cuts = 0;
  readonly #id: string;
  readonly #settings: ServerConnection.ISettings;
  readonly #endOnLeave = () => void this.#end(true);
  readonly #running = new Set<Execution>();
  #closed = false;
  #connections = 0;
  #usedAt = Date.now();
  readonly #used = () => void (this.#usedAt = Date.now());
  #interpreter = ''; // its own id, in each of its replies: another one means it was restarted

  /** As `askForPython` throws; what was asked for early is taken. */
  static async open(baseUrl: string, page: string, early?: Early): Promise<Session> {
    return new Session(baseUrl, await (early?.take() ?? askForPython(baseUrl, page)), early);
  }

  private constructor(baseUrl: string, given: Given, early?: Early) {
    this.#settings = ServerConnection.makeSettings({
      baseUrl,
      wsUrl: baseUrl.replace(/^http/, 'ws'),
      appUrl: '',
      token: '',
      appendToken: false,
      ...(early && { WebSocket: early.sockets }),
    });
    this.#id = given.id;
    const name = early && { clientId: early.clientId };
    this.kernel = new KernelConnection({ model: given.kernel, serverSettings: this.#settings, ...name });
    window.addEventListener('pagehide', this.#endOnLeave);
    for (const sign of HANDS) window.addEventListener(sign, this.#used, { passive: true });
  }

  /** Runs code; rejects when the kernel is lost on the way, or the connection: see `cuts`. */
  execute(code: string, silent = false): Execution {
    const asked = { code, silent, allow_stdin: false, store_history: !silent };
    const execution = this.kernel.requestExecute(asked);
    this.#running.add(execution);
    const ended = () => this.#running.delete(execution);
    execution.done.then(ended, ended);
    return execution;
  }

  /** Keeps asking the kernel whether it is there, and tells. `restAfterS` as in LiveConfig. */
  watch(watcher: Watcher, restAfterS: number): void {
    const lost = (how: Loss) => {
      if (this.#closed) return;
      this.#closed = true;
      watcher.onLoss(how);
    };
    this.kernel.connectionStatusChanged.connect((_, status) => {
      if (status !== 'connected' || ++this.#connections === 1) return;
      this.cuts += 1;
      for (const execution of this.#running) execution.dispose();
      watcher.onCut();
    });
    this.kernel.statusChanged.connect((_, status) => {
      if (status === 'restarting' || status === 'autorestarting') lost('crashed');
      if (status === 'dead') lost('gone');
    });
    this.kernel.anyMessage.connect((_, { msg, direction }) => {
      const question = direction === 'send' ? msg.header : msg.parent_header;
      if (!('msg_type' in question) || String(question.msg_type) !== PING) this.#used();
      if (direction !== 'recv' || !['shell', 'control'].includes(msg.channel)) return;
      this.#interpreter ||= msg.header.session;
      if (msg.header.session !== this.#interpreter) lost('restarted');
    });
    void this.#beat(watcher, lost, restAfterS * 1000 || Infinity);
  }

  async #beat(watcher: Watcher, lost: (how: Loss) => void, restAfterMs: number): Promise<void> {
    const connected = () => this.kernel.reconnect().then(() => true, () => false);
    let silent: Silent | undefined;
    for (;;) {
      await pause(BEAT_MS);
      if (this.#closed) return;
      if (Date.now() - this.#usedAt > restAfterMs) return watcher.onRest();
      let answers = await this.#ping();
      // A server that slept finds its connections too old and closes them a moment later, with
      // whatever was sent by then. So a fresh one first.
      if (answers && silent === 'server') answers = await connected();
      if (this.#closed) return;
      if (answers) {
        if (silent) watcher.onAnswer();
        silent = undefined;
      } else {
        const answer = await this.#ask();
        if (this.#closed) return;
        if (answer === 404) return lost('gone');
        if (answer === 403) return lost('locked out');
        silent = answer === 200 ? 'kernel' : 'server';
        if (answer === 200 && !this.#connections && !(await this.#socketsPass())) silent = 'socket';
        if (this.#closed) return;
        watcher.onSilence(silent);
        // The library gives up after some tries, or waits long: the server is there, so try now.
        if (answer === 200 && this.kernel.connectionStatus !== 'connected') {
          await connected();
        }
      }
    }
  }

  /** Whether the kernel answers within the patience. */
  async #ping(): Promise<boolean> {
    if (this.kernel.isDisposed || this.kernel.connectionStatus !== 'connected') return false;
    const message = KernelMessage.createMessage<Messages.IDebugRequestMsg>({
      // On the control channel, where it counts as no activity of the kernel's. The library knows
      // no type for that. (A hub's proxy counts every byte: see `restAfterS`.)
      msgType: PING as 'debug_request',
      channel: 'control',
      session: this.kernel.clientId,
      content: {} as never,
    });
    try {
      const future = this.kernel.sendControlMessage(message, true);
      const answer = new Promise<boolean>((resolve) => {
        future.onReply = () => resolve(true);
      });
      const answered = await Promise.race([answer, pause(PING_PATIENCE_MS)]);
      if (!answered) future.dispose();
      return answered === true;
    } catch {
      return false; // it cannot be sent: the same as no answer
    }
  }

  /** What the server says of the kernel: an HTTP status, or 0 when it does not answer. */
  async #ask(): Promise<number> {
    const address = `${this.#settings.baseUrl}api/kernels/${this.kernel.id}?no_track_activity=1`;
    try {
      const response = await fetch(address, { signal: AbortSignal.timeout(REST_PATIENCE_MS) });
      return response.ok ? 200 : response.status;
    } catch {
      return 0;
    }
  }

  /** Whether any WebSocket comes through: a proxy may pass none, or the server refuse this page's
   * origin. The kernel's own may only be slow, as one that starts is; this one is answered at once. */
  #socketsPass(): Promise<boolean> {
    return new Promise((resolve) => {
      const trial = new WebSocket(`${this.#settings.wsUrl}api/events/subscribe`);
      const end = (passes: boolean) => () => {
        clearTimeout(deadline);
        trial.close();
        resolve(passes);
      };
      const deadline = setTimeout(end(false), SOCKET_PATIENCE_MS);
      trial.onopen = end(true);
      trial.onerror = end(false);
    });
  }

  /** Ends the kernel; nothing is told any more. */
  async close(): Promise<void> {
    window.removeEventListener('pagehide', this.#endOnLeave);
    for (const sign of HANDS) window.removeEventListener(sign, this.#used);
    const ended = this.#end(false);
    if (!this.kernel.isDisposed) this.kernel.dispose();
    await ended;
  }

  async #end(leaving: boolean): Promise<void> {
    this.#closed = true;
    const more = leaving ? { keepalive: true } : { signal: AbortSignal.timeout(END_PATIENCE_MS) };
    await endPython(this.#settings.baseUrl, this.#id, more);
  }
}

// When a kernel is lost, the library rejects whatever it still waited for, with nobody to hear
// it. The watcher has told by then.
const UNHEARD = ['Canceled future for ', 'Kernel connection disconnected'];
window.addEventListener('unhandledrejection', (event) => {
  const reason = String(event.reason);
  if (UNHEARD.some((words) => reason.includes(words))) event.preventDefault();
});

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
