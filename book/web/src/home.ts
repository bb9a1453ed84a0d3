/** Progress in the reader's home, which a live book keeps: one file, through the book's own server
 * (labs/site/live/progress_handler.py). Goals and bets at scenes are the browser's, and go along. */
import { xsrfHeader } from './early';
import * as browser from './browser_storage';
import { Refused } from './make';
import type { Place } from './progress';
import { joined, type Kept } from './progress_format';

/** As the server gives it. */
interface File {
  kept: Kept;
  tag: string; // of its content
  file: string;
  said: string[];
}

const TRIES = 5; // against kernels and pages that write at the same time
const CHANGED = 409;

/** For *My progress* of the server at that address. */
export function inHome(base: string): Place {
  const address = `${base}book/progress`;

  async function asked(init: RequestInit = {}): Promise<Response> {
    const response = await fetch(address, { ...init, headers: { ...xsrfHeader(), ...init.headers } }).catch(() => {
      throw new Refused('The book’s server does not answer. If it was stopped, start it again, and reload this page.');
    });
    if (response.ok || response.status === CHANGED) return response;
    if (response.status === 403) {
      throw new Refused('The book’s server does not know this browser. Open the address it printed.');
    }
    const { message } = (await response.json().catch(() => ({}))) as { message?: string };
    throw new Refused(message ?? `The book’s server says no (error ${response.status}).`);
  }

  async function read(): Promise<File> {
    const file = (await (await asked()).json()) as File;
    return { ...file, kept: joined(file.kept, { ...browser.read(), predictions: [], answers: [], diagnoses: [] }) };
  }

  return {
    async read() {
      const { kept, file, said } = await read();
      return { kept, said, about: `This is kept in ${file}. Goals that you reached at scenes are kept by your browser, too.` };
    },
    async change(how) {
      for (let tries = 0; tries < TRIES; tries++) {
        const { kept, tag } = await read();
        const after = how(kept);
        const headers = { 'Content-Type': 'application/json', 'If-Match': tag };
        const { ok } = await asked({ method: 'PUT', headers, body: JSON.stringify(after) });
        if (!ok) continue;
        forget(after);
        return '';
      }
      throw new Refused('Other pages keep writing this file. Try again.');
    },
  };
}

/** What is no more in the file is no more in the browser, which has bets on recorded runs, too. */
function forget({ predictions, scenes }: Kept): void {
  const mine = browser.read();
  const asked = new Set(predictions.map(({ lab, question }) => `${lab} ${question}`));
  const bets = mine.predictions.filter(({ lab, question }) => asked.has(`${lab} ${question}`));
  browser.write({ ...mine, predictions: bets, scenes });
}
