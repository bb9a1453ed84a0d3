/** What every page of the book loads. Asks for bets, checks answers, lets a reader point at recorded
 * figures; where the page is served by the book's own server, loads the rest and goes live. Works from
 * a file, too. */
import { askAtScene, askFor, hideBehindBets, judged } from './bet';
import { offerDrawing } from './dropped';
import { Early } from './early';
import { offerChecks } from './exercises';
import { offerExplanations } from './explained';
import { inHome } from './home';
import { inBrowser, play, played } from './browser_storage';
import { fetchLetters } from './letters';
import { offerLevels } from './levels';
import { data, make } from './make';
import { preparePaper } from './paper';
import type { Plotly } from './plot';
import { showProgress } from './progress';
import { bringToLife } from './recorded';
import { tidySearch } from './search';
import { STARTING, statusLine, type StatusLine } from './status';
import { offerSwitch } from './switch';
import { tidy } from './tidy';

/** Written by the book's server into live-config.js; a built site has none. */
export interface LiveConfig {
  baseUrl: string; // of the Jupyter server, as the browser sees it; added by this script
  early: Early; // and this
  restAfterS: number; // of nothing happening, after which the page ends its Python; 0 is never
}

/** The source of the page's cells, written into it by labs.site.build.sphinx_ext. */
export interface Cells {
  page: string; // 1-cpu-time/one-core
  cells: { source: string; lab: boolean }[];
}

declare global {
  interface Window {
    wallTime: typeof wallTime;
    wallTimeLive?: LiveConfig;
    Plotly?: Plotly;
  }
}

const config = window.wallTimeLive;
const statics = new URL('.', (document.currentScript as HTMLScriptElement).src);

function loadScript(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = make('script', { src: new URL(path, statics).href });
    script.onload = () => resolve();
    script.onerror = () => {
      script.remove();
      reject(new Error(`${path} did not load.`));
    };
    document.head.append(script);
  });
}

let plotly: Promise<Plotly> | undefined;

/** For the other scripts. */
const wallTime = {
  plotly(): Promise<Plotly> {
    plotly ??= loadScript('lib/plotly.js').then(() => window.Plotly!);
    plotly.catch(() => (plotly = undefined)); // ask again next time
    return plotly;
  },
  ask: askAtScene, // these for the scenes
  judged,
  played,
  play,
  offerChecks: undefined as ((inside: ParentNode) => void) | undefined, // by main, for what a cell shows later
  goLive: undefined as ((...about: Parameters<typeof goLive>) => void) | undefined, // by live.ts; and this
  measuring: undefined as (() => boolean) | undefined, // a lab of this page
};
window.wallTime = wallTime;

/** The token has done its work: keep it out of bookmarks and screenshots. */
function hideToken(): void {
  const address = new URL(location.href);
  if (!address.searchParams.has('token')) return;
  address.searchParams.delete('token');
  history.replaceState(history.state, '', address);
}

async function goLive(config: LiveConfig, cells: Cells, status: StatusLine): Promise<void> {
  status.show('starting', STARTING);
  try {
    if (!window.wallTime.goLive) {
      // First of all, so that the book's own styles have the last word.
      document.head.prepend(make('link', { rel: 'stylesheet', href: new URL('lib/live.css', statics).href }));
      await loadScript('lib/live.js');
    }
    window.wallTime.goLive!(config, cells, status);
  } catch (reason) {
    console.error(reason);
    status.show('lost', 'The labs could not be loaded: the book’s server does not answer.', {
      label: 'Try again',
      run: () => void goLive(config, cells, status),
    });
  }
}

/** What a recorded run has to say is there in any case, should asking for a bet fail. */
function ask(): void {
  try {
    document.querySelectorAll<HTMLElement>('.wt-replay').forEach(askFor);
  } catch (reason) {
    console.error(reason);
    document.documentElement.classList.remove('wt-asks');
  }
}

/** A page with cells; the rest of its script finds Python connected. */
function readCells(): Cells | undefined {
  const cells = data<Cells>(document.getElementById('wt-cells'));
  if (!config) return cells;
  // By this script's own address: a proxy may put a prefix before each path and take it off
  // again, and then the server does not know it.
  config.baseUrl = new URL('../../', statics).href;
  if (cells) config.early = new Early(config.baseUrl, cells.page);
  return cells;
}

function main(): void {
  const cells = readCells();
  tidy();
  tidySearch();
  preparePaper();
  ask();
  document.querySelectorAll<HTMLElement>('figure.wt-recorded').forEach(bringToLife);
  const article = document.querySelector('article.bd-article') ?? document.querySelector('main');
  if (config) hideToken();
  const place = config ? inHome(config.baseUrl) : inBrowser;
  wallTime.offerChecks = (inside) => offerChecks(inside, place, Boolean(config));
  wallTime.offerChecks(document);
  offerExplanations();
  unfoldTarget();
  addEventListener('hashchange', unfoldTarget);
  const record = document.querySelector<HTMLElement>('.wt-progress');
  if (record) {
    showProgress(record, place, Boolean(config));
    const chooser = make('div', { class: 'wt-data' });
    record.after(chooser);
    offerDrawing(chooser, chooser);
  }
  if (!cells || !article) return;
  const status = statusLine(article);
  if (config) return void goLive(config, cells, status);
  status.begin('static'); // in the words that stand there
  document.querySelectorAll('script.wt-levels').forEach(offerLevels);
  document.querySelectorAll('script.wt-switch-data').forEach(offerSwitch);
  const files = [...document.querySelectorAll('details.wt-data a[download$=".json"]')].at(-1);
  const saved = files?.closest('details');
  if (saved) offerDrawing(saved, saved.closest('.cell') ?? saved);
}

/** What a link leads to is seen, also where it stands in a fold. */
function unfoldTarget(): void {
  const target = document.querySelector(':target');
  const fold = target?.closest('details:not([open])');
  fold?.setAttribute('open', '');
  if (fold) target?.scrollIntoView();
}

/** Scripts of the page that are no matter before all else is there: the scenes'. */
function loadLater(): void {
  for (const { content } of document.querySelectorAll<HTMLMetaElement>('meta[name="wall-time-later"]')) {
    loadScript(new URL(content, location.href).href).catch(console.error);
  }
}

if (document.readyState === 'complete') loadLater();
else addEventListener('load', loadLater);

if (config) document.documentElement.dataset.live = 'here'; // for the style sheets

hideBehindBets();
void fetchLetters();

// Deferred, and yet before DOMContentLoaded, which waits for the theme's scripts.
if (document.readyState !== 'loading') main();
else document.addEventListener('readystatechange', main, { once: true });
