// Opens the page of a run that is being played in Chromium and watches it. Fails with the first
// expectation that does not hold; at its end it prints the replays that it has seen, as JSON:
//
//   node live.mjs URL PID [SCREENSHOTS]
//
// PID is the run, which is interrupted as by Ctrl-C while the page is open.

import assert from 'node:assert/strict';
import { launched, watch } from './chromium.mjs';
import { barriers } from './accessible.mjs';

const [, , url, run, screenshots] = process.argv;
const browser = await launched();
const troubles = [];

async function opened(options) {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  watch(page, troubles, (address) => address.startsWith(url));
  await page.goto(url);
  await page.waitForSelector('#standings');
  return page;
}

const page = await opened({ viewport: { width: 1280, height: 900 } });

// The games go on, and the boards have all seeds.
const played = () => page.$eval('progress', (bar) => bar.value);
const before = await played();
await page.waitForFunction((least) => document.querySelector('progress').value > least, before + 3);
await page.waitForSelector('.live-board svg[data-position]');
for (const position of await page.$$eval('.live-board svg', (boards) => boards.map((board) => board.dataset.position))) {
  const numbers = position.split('-').slice(0, 14).map(Number);
  assert.equal(numbers.reduce((sum, seeds) => sum + seeds, 0), 48, position);
}
const names = await page.$$eval('#standings tbody th a', (cells) => cells.map((cell) => cell.textContent).sort());
assert.deepEqual(names, ['<img src=x onerror=alert(6)>', 'ada', 'greedy', 'minimax']);

assert.deepEqual(await barriers(page, 'live'), []);

// The standings stay sorted while they change.
await page.click('button.sort:text-is("games")');
const headline = () => page.$eval('.headline', (text) => text.textContent);
const first = await headline();
await page.waitForFunction((old) => document.querySelector('.headline').textContent !== old, first);
assert.equal(await page.$eval('th:has(button.sort:text-is("games"))', (it) => it.ariaSort), 'descending');
const games = await page.$$eval('#standings tbody tr', (rows) => rows.map((row) => Number(row.cells[6].textContent)));
assert.deepEqual(games, [...games].sort((one, other) => other - one));

if (screenshots) {
  await page.screenshot({ path: `${screenshots}/live-desktop.png` });
  const phone = await opened({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
  await phone.waitForTimeout(1000);
  await phone.screenshot({ path: `${screenshots}/live-phone.png` });
  await phone.close();
}

// Nothing is wider than the page, at the width of a phone.
const narrow = await opened({ viewport: { width: 390, height: 844 } });
await narrow.waitForSelector('.live-board svg[data-position]');
assert.ok(await narrow.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
await narrow.close();

// Replays of games that have just ended.
const replays = [];
for (let number = 0; number < 3; number += 1) {
  await page.goto(url);
  await page.waitForSelector('#standings');
  // Of one of them, not all games count.
  const latest = page.locator('.latest a', { hasText: /^(ada|greedy)~/ }).first();
  const id = await latest.evaluate((link) => { link.click(); return link.textContent; });
  await page.waitForFunction((wanted) => document.querySelector('#game-heading')?.dataset.game === wanted, id);
  const positions = [];
  for (;;) {
    positions.push(await page.$eval('#main svg[data-position]', (board) => board.dataset.position));
    const [ply, last] = await page.$eval('input[type=range]', (slider) => [slider.value, slider.max].map(Number));
    assert.equal(ply, positions.length - 1);
    if (ply === last) break;
    await page.keyboard.press('ArrowRight');
  }
  replays.push({ id, positions });
}

// A game that does not count, or not yet.
const noGame = async (text) => {
  await page.evaluate(() => { location.hash = '#game=ada~nobody.1.1'; });
  await page.waitForFunction((expected) => document.querySelector('#main').textContent.includes(expected), text);
};
await page.goto(url);
await page.waitForSelector('#standings');
await noGame('do not count game ada~nobody.1.1 yet');

// The run ends while somebody watches.
await page.goto(url);
await page.waitForSelector('#standings');
process.kill(Number(run), 'SIGINT');
await page.waitForFunction(() => document.querySelector('#live-state').textContent.includes('was interrupted'));
assert.match(await page.textContent('#live-state'), /results\/page\/report.html has every game/);
await page.evaluate(() => { location.hash = `#game=${document.querySelector('.latest a').textContent}`; });
await page.waitForFunction(() => document.querySelector('#main').textContent.includes('the run was interrupted'));
await noGame('the run was interrupted');
await page.evaluate(() => { location.hash = ''; });
await page.waitForSelector('.headline');
assert.match(await headline(), /The run is not finished: this is after \d+ of \d+ games\./);

assert.deepEqual(troubles, []);
await browser.close();
console.log(JSON.stringify(replays));
