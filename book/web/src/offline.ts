/** Pages of a built site that were read once can be read without a network: by a service worker, which
 * the build writes (labs/site/build/templates/service-worker.js). On a website only: a live page is nothing
 * without its server, and a file is there anyway. */

export function keepForLater(statics: URL, live: boolean): void {
  const workers = navigator.serviceWorker as ServiceWorkerContainer | undefined; // none on plain http
  if (!workers || !location.protocol.startsWith('http')) return;
  const home = new URL('../', statics).href;
  if (live) void forget(workers, home);
  else addEventListener('load', () => void start(workers, home));
}

async function start(workers: ServiceWorkerContainer, home: string): Promise<void> {
  try {
    await workers.register(`${home}service-worker.js`);
    if (workers.controller) return; // it has seen all that this page asked for
    const { active } = await workers.ready;
    const loaded = performance.getEntriesByType('resource').map((each) => each.name);
    active?.postMessage([location.href, ...loaded]);
  } catch {
    // Forbidden, as in some windows that keep nothing, or not there.
  }
}

/** Of a website that was once at this address. */
async function forget(workers: ServiceWorkerContainer, home: string): Promise<void> {
  const found = await workers.getRegistration(home).catch(() => undefined);
  if (found?.scope === home) await found.unregister();
}
