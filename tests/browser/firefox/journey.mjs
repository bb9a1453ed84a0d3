/** One reader's way through the book in Firefox: a live lab, then a static chapter with a bet, its
 * replay, and a recording from elsewhere; then My progress.
 *
 *     node journey.mjs FIREFOX LIVE STATIC RECORDING PROGRESS
 *
 * Prints one object of JSON: what was seen at each step. tests/browser/test_firefox.py judges it. */
import { readFileSync } from 'node:fs';
import puppeteer from 'puppeteer-core';

const [executablePath, live, still, recording, progress] = process.argv.slice(2);
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

const TELL = 'print(In[-1].encode().hex())'; // what Python was asked to run

/** A cell's code is written in, by keys and mouse alone: of each change, the code that is seen, and
 * the code that then ran. */
async function edited(page) {
  const { keyboard } = page;
  const cell = (await page.$$('.cell.tag_lab'))[1];
  const code = await cell.waitForSelector('[role=textbox]');
  const held = async (key, pressed) => {
    await keyboard.down(key);
    await keyboard.press(pressed);
    await keyboard.up(key);
  };
  const write = async (words) => {
    await held('Control', 'a');
    await keyboard.type(words);
  };
  const shown = '.wt-live:not(.wt-behind)';
  const changes = {};
  const run = async (change) => {
    await page.waitForFunction((node) => !node.disabled, {}, await cell.$('.wt-run-code'));
    const seen = await code.evaluate((node) => node.innerText);
    const before = await cell.$(shown);
    await held('Shift', 'Enter');
    await page.waitForFunction((node) => !node.isConnected, {}, before);
    const told = await cell.$eval(shown, (node) => node.textContent.trim().split('\n').at(-1));
    changes[change] = [seen, Buffer.from(told, 'hex').toString()];
  };
  await code.click();
  await held('Control', 'End'); // behind the book's own words, which are coloured
  await keyboard.type(`\n${TELL}`);
  await run('added');
  await write('if True:\n    pass\n\n');
  await held('Control', 'a');
  await held('Control', 'c');
  await write(`def twice(n):\n    return 2 * n\n\ntwice(21)\n${TELL}`);
  await run('typed');
  await keyboard.press('Home');
  await held('Control', 'v');
  await run('pasted');
  await held('Control', 'z');
  await run('undone');
  return changes;
}

try {
  const lab = await opened(live, 1280);
  await lab.waitForSelector('.wt-status[data-state="live"]');
  seen.edited = await edited(lab);
  const bet = await lab.waitForSelector('.wt-prediction input');
  await bet.type('100');
  await bet.press('Enter');
  await press(lab, 'Run');
  await lab.waitForFunction(() =>
    /it was/.test(document.querySelector('.wt-prediction')?.textContent ?? '') &&
    document.querySelector('.wt-live .wt-data tbody tr'));
  seen.verdict = await text(lab, '.wt-prediction');
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

  // A page may have several figures of one run: what is replayed is the first that offers it.
  const figure = await chapter.waitForSelector('.cell.tag_lab figure.wt-recorded:has(.wt-levels-shown)');
  const seek = (what) => figure.waitForSelector(`.wt-levels-shown ${what}`, { visible: true });
  const enter = async (what) => (await seek(what)).press('Enter');
  await enter('> button');
  seen.levels = await figure.$eval('input[type=range]', (node) => Number(node.max));
  seen.replayed = [];
  for (let step = 0; step <= seen.levels; step += 1) {
    if (step > 0) await enter('button.wt-first');
    seen.replayed.push(await figure.evaluate((node) => ({
      marks: [...node.querySelectorAll('svg > g:is([clip-path], :has([clip-path])) path[transform]:not(.wt-later)')]
        .filter((mark) => mark.getBoundingClientRect().width > 0).length,
      said: node.querySelector('[role=status]').textContent.length,
    })));
  }
  seen.next = await figure.$eval('button.wt-first', (node) => node.textContent);
  await enter('button:not(.wt-first, .wt-explore)');
  seen.back = await (await seek('> button')).evaluate((node) => node === document.activeElement);

  await chapter.evaluate((said) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([said], 'mine.json', { type: 'application/json' }));
    const how = { bubbles: true, cancelable: true, dataTransfer };
    document.body.dispatchEvent(new DragEvent('drop', how));
  }, readFileSync(recording, 'utf8'));
  const drawing = await chapter.waitForSelector('.wt-drawing');
  await chapter.waitForFunction((node) => node === document.activeElement, {}, drawing);
  seen.dropped = await drawing.$eval('.wt-plot', (node) => node.data.length);
  seen.named = await drawing.evaluate((node) => node.ariaLabel);

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
  await chapter.close({ runBeforeUnload: false });

  const mine = await opened(new URL('../my-progress.html', still).href, 390);
  const file = await mine.waitForSelector('.wt-progress input[type=file]');
  await file.uploadFile(progress);
  await mine.waitForFunction(() => document.querySelectorAll('.wt-scatter circle').length >= 2);
  seen.bets = await mine.$$eval('.wt-scatter circle', (nodes) => nodes.map((node) => {
    const { left, top, width } = node.getBoundingClientRect();
    return [node.textContent, left, top, width];
  }));
  seen.tooWide = Math.max(seen.tooWide, await mine.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth));
} catch (error) {
  seen.stopped = String(error.stack ?? error);
} finally {
  await browser.close();
  console.log(JSON.stringify(seen));
}
