/** One reader's way through the book in Firefox: a live lab, then a static chapter.
 *
 *     node journey.mjs FIREFOX LIVE STATIC
 *
 * Prints one object of JSON: what was seen at each step. tests/browser/test_firefox.py judges it. */
import puppeteer from 'puppeteer-core';

const [executablePath, live, still] = process.argv.slice(2);
const PATIENCE_MS = 90_000; // a cold kernel, and a run, on a busy machine
const browser = await puppeteer.launch({ browser: 'firefox', executablePath, headless: true });
const seen = { version: await browser.version(), foreign: [], errors: [] };

/** A page that listens to what it asks for and complains of. */
async function opened(address, width) {
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  await page.setViewport({ width, height: 900 });
  page.on('pageerror', (error) => seen.errors.push(String(error.message ?? error)));
  page.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (/^(https?|wss?):/.test(protocol) && hostname !== '127.0.0.1') seen.foreign.push(request.url());
  });
  await page.goto(address, { waitUntil: 'domcontentloaded' });
  return page;
}

const text = (page, selector) => page.$eval(selector, (node) => node.textContent);

async function press(page, name) {
  const button = await page.waitForSelector(`::-p-aria([role="button"][name="${name}"])`);
  await page.waitForFunction((node) => !node.disabled, {}, button);
  await button.click();
}

try {
  const lab = await opened(live, 1280);
  await lab.waitForSelector('.wt-status[data-state="live"]');
  const bet = await lab.waitForSelector('.wt-prediction input');
  await bet.type('100');
  await bet.press('Enter');
  await press(lab, 'Run');
  await lab.waitForFunction(() =>
    /You said|None of the/.test(document.querySelector('.wt-verdict')?.textContent ?? ''));
  seen.verdict = await text(lab, '.wt-verdict');
  const shown = await lab.$('.wt-live'); // the first lab's
  seen.rows = (await shown.$$('.wt-data tbody tr:not(.wt-reason)')).length;
  seen.points = await shown.$eval('.wt-figure .wt-plot', (node) =>
    node.data.filter((t) => t.xaxis === 'x' && t.name.startsWith('measured'))
      .reduce((n, t) => n + t.x.length, 0));
  await lab.close({ runBeforeUnload: false });

  const chapter = await opened(still, 390);
  const number = await chapter.waitForSelector('.wt-bet input');
  await number.type('12.5');
  await number.press('Enter');
  await chapter.waitForSelector('figure.wt-recorded');
  seen.bet = await text(chapter, '.cell.tag_lab');
  const answer = await chapter.waitForSelector('form.wt-check input');
  await answer.type('7777');
  await answer.press('Enter');
  await chapter.waitForFunction(() =>
    document.querySelector('form.wt-check .wt-answer')?.textContent.trim());
  seen.answer = await text(chapter, 'form.wt-check .wt-answer');
  const scene = await chapter.waitForSelector('wt-scene button');
  await scene.evaluate((node) => node.scrollIntoView());
  seen.scene = (await chapter.$$('wt-scene canvas')).length;
  seen.tooWide = await chapter.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth);
} catch (error) {
  seen.stopped = String(error.stack ?? error);
} finally {
  await browser.close();
  console.log(JSON.stringify(seen));
}
