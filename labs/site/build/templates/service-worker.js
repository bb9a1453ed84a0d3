// Wall Time, build {{ build }}: pages that were read once can be read without a network.
// labs/site/build/offline.py writes it beside the site's first page, with the checksum of all its files.
'use strict';

const OURS = `wall-time ${self.registration.scope} `;
const CACHE = `${OURS}{{ build }}`;
const FILES = /(?:href|src)="([^":]*_static\/[^"]+)"/g;

/** A file with its checksum in its address never changes. */
const forGood = (url) => url.searchParams.has('v') || url.searchParams.has('digest');
const isPage = (url) => /\/$|\.html$/.test(url.pathname);
const place = (url) => (isPage(url) ? url.origin + url.pathname.replace(/index\.html$/, '') : url.href);
const kept = async (url) => (await caches.open(CACHE)).match(place(url));

async function keep(url, answer) {
  if (answer.ok && answer.type === 'basic' && !answer.redirected) {
    const cache = await caches.open(CACHE);
    await cache.put(place(url), answer.clone()).catch(() => {}); // the disk may be full
  }
  return answer;
}

/** From the network, so that nobody reads an old build; what was kept, where there is none. */
async function answer(request, url) {
  const found = forGood(url) && (await kept(url));
  if (found) return found;
  try {
    // Unless the website says so, a browser guesses for how long it need not ask.
    const fresh = forGood(url) ? {} : { cache: 'no-cache' };
    return await keep(url, await fetch(request, fresh));
  } catch (reason) {
    const before = await kept(url);
    if (before) return before;
    throw reason;
  }
}

self.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET' || !request.url.startsWith(self.registration.scope)) return;
  if (!request.headers.has('range')) event.respondWith(answer(request, new URL(request.url)));
});

/** An address with what a page there loads; nothing is wrong when it is out of reach. */
async function take(address) {
  const url = new URL(address);
  if (!url.href.startsWith(self.registration.scope)) return;
  const found = await fetch(url, { cache: forGood(url) ? 'default' : 'no-cache' }).catch(() => {});
  if (!found) return;
  await keep(url, found);
  if (!isPage(url) || !found.ok) return;
  const names = [...(await found.text()).matchAll(FILES)].map(([, name]) => new URL(name, url));
  for (const each of names) if (!(await kept(each))) await take(each);
}

// What a page had loaded before there was a worker.
self.addEventListener('message', (event) => event.waitUntil(Promise.all(event.data.map(take))));

self.addEventListener('install', () => self.skipWaiting());

/** What a former build had kept, anew. */
async function renew() {
  await self.clients.claim();
  for (const name of await caches.keys()) {
    if (!name.startsWith(OURS) || name === CACHE) continue;
    const urls = (await (await caches.open(name)).keys()).map((each) => new URL(each.url));
    for (const url of urls) if (!forGood(url)) await take(url);
    await caches.delete(name);
  }
}

self.addEventListener('activate', (event) => event.waitUntil(renew()));
