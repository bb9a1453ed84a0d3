/** Python for a page that goes live: asked for, and connected to, while the rest of the page's script
 * is still on its way. */

/** As the book's server gives it. */
export interface Given {
  id: string; // of the session
  kernel: { id: string; name: string };
}

const START_PATIENCE_MS = 60_000; // a cold kernel on a slow, busy machine
const PROTOCOLS = ['v1.kernel.websocket.jupyter.org'];

// What Jupyter answers to a page whose origin is not that of the server, as a proxy told it.
const FROM_ELSEWHERE =
  `its server takes this page for another site’s. Start it again with “make read PORT=… ` +
  `ORIGIN=${location.origin}”; see “Reading on another machine”`;

/** The name of an error in whose words the server said no: two scripts have this class. */
export const REFUSED = 'Refused';

class Refused extends Error {
  override name = REFUSED;
}

/** A Python of this page's own. Throws one that is REFUSED, or what `fetch` throws when nobody answers. */
export async function askForPython(base: string, page: string): Promise<Given> {
  const response = await fetch(`${base}book/session`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...xsrfHeader() },
    body: JSON.stringify({ page }),
    signal: AbortSignal.timeout(START_PATIENCE_MS),
  });
  if (response.status === 404) throw new Refused(FROM_ELSEWHERE);
  if (response.status === 403) throw new Refused('the book’s server does not know this browser; open the address it printed');
  if (!response.ok) throw new Refused(`Python did not start (error ${response.status})`);
  return (await response.json()) as Given;
}

/** Ends it. */
export async function endPython(base: string, id: string, more: RequestInit): Promise<void> {
  const ending = fetch(`${base}api/sessions/${id}`, { method: 'DELETE', headers: xsrfHeader(), ...more });
  await ending.catch(() => undefined); // gone already, or the server is: there is nothing left to end
}

export function xsrfHeader(): Record<string, string> {
  const token = /(?:^|;\s*)_xsrf=([^;]+)/.exec(document.cookie)?.[1];
  return token ? { 'X-XSRFToken': decodeURIComponent(token) } : {};
}

export class Early {
  readonly given: Promise<Given>;
  readonly clientId = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
  #socket: WebSocket | undefined;
  #end = () => {};
  readonly #leave = () => this.#end();

  constructor(base: string, page: string) {
    this.given = askForPython(base, page);
    window.addEventListener('pagehide', this.#leave);
    this.given.then(
      ({ id, kernel }) => {
        this.#end = () => void endPython(base, id, { keepalive: true });
        const channels = `${base.replace(/^http/, 'ws')}api/kernels/${kernel.id}/channels`;
        this.#socket = new WebSocket(`${channels}?session_id=${this.clientId}`, PROTOCOLS);
      },
      () => undefined, // whoever takes it hears of it
    );
  }

  /** From now on whoever has taken it ends it. */
  async take(): Promise<Given> {
    const given = await this.given;
    window.removeEventListener('pagehide', this.#leave);
    return given;
  }

  /** In the place of `WebSocket`: the first is the one that is there already. */
  get sockets(): typeof WebSocket {
    const take = () => {
      const socket = this.#socket;
      this.#socket = undefined;
      if (!socket || socket.readyState > WebSocket.OPEN) return undefined;
      if (socket.readyState === WebSocket.OPEN) setTimeout(() => socket.dispatchEvent(new Event('open')));
      return socket;
    };
    return class extends WebSocket {
      constructor(...about: ConstructorParameters<typeof WebSocket>) {
        const there = take();
        if (there) return there as never;
        super(...about);
      }
    };
  }
}
