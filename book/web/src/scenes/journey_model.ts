/** One request, alone in the picture: the parts of its way one after another, in whole microseconds.
 * The laws of labs/theory stand behind it. */
import type { Values } from './parameters';

export type Stage =
  | 'due' // the client is busy with others before it asks
  | 'connect' // SYN there, and the kernel's answer back
  | 'request'
  | 'line' // in the listen queue, until a worker accepts
  | 'ready' // for a core
  | 'core'
  | 'wait'
  | 'response'
  | 'unread'; // the client is busy with others before it reads

/** From the first knock to the last byte of the response. */
const WAY: Stage[] = ['connect', 'request', 'line', 'ready', 'core', 'wait', 'response'];

/** Whose clock runs in which parts. */
export const CLOCKS: Record<string, { words: string; about: string; parts: Stage[] }> = {
  client: { words: 'client', about: 'the client’s wall time', parts: WAY },
  ab: { words: 'ab', about: 'ab, users × duration / requests', parts: ['due', ...WAY, 'unread'] },
  locust: { words: 'Locust', about: 'Locust, from asking to having read', parts: [...WAY, 'unread'] },
  log: { words: 'server’s log', about: 'the server’s log, in service', parts: ['ready', 'core', 'wait'] },
  cpu: { words: 'CPU time', about: 'the server’s CPU time', parts: ['core'] },
};

/** As the sliders say, in whole microseconds. Workers are all taken if somebody is ahead in line; the client
 * is busy before it asks and before it reads. */
export type Numbers = Pick<Values, 'way' | 'ahead' | 'workers' | 'others' | 'cores' | 'cpu' | 'wait' | 'late'>;

export class Journey {
  readonly spans: { part: Stage; from: number; to: number }[] = [];
  readonly total: number;

  constructor({ way, ahead, workers, others, cores, cpu, wait, late }: Numbers) {
    // Cores are shared alike; workers come free evenly, W in the time one request is in service.
    const computing = Math.max(cpu, Math.ceil((cpu * (others + 1)) / cores));
    const line = Math.floor((ahead * (computing + wait)) / workers);
    const parts: [Stage, number][] = [
      ['due', late],
      ['connect', 2 * way],
      ['request', way],
      ['line', line],
      ['ready', computing - cpu],
      ['core', cpu],
      ['wait', wait],
      ['response', way],
      ['unread', late],
    ];
    let at = 0;
    for (const [part, length] of parts) {
      if (length > 0) this.spans.push({ part, from: at, to: at + length });
      at += length;
    }
    this.total = at;
  }

  /** What a clock has counted by then. */
  clock(name: string, until: number): number {
    let sum = 0;
    for (const { part, from, to } of this.spans) {
      if (CLOCKS[name]!.parts.includes(part)) sum += Math.max(0, Math.min(to, until) - from);
    }
    return sum;
  }
}
