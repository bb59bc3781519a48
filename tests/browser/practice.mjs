// Plays on `play.html`, the page that needs no server, at all levels, on both sides, with the mouse
// and the keys. Fails with the first expectation that does not hold; at its end it prints the games
// that were played, as JSON:
//
//   node practice.mjs FILE [SCREENSHOTS]

import assert from 'node:assert/strict';
import { launched, watch } from './chromium.mjs';
import { barriers } from './accessible.mjs';

const [, , file, screenshots] = process.argv;
const address = `file://${file}`;
const browser = await launched();
const troubles = [];

async function opened(options) {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  watch(page, troubles, (asked) => asked === address);
  await page.goto(address);
  await page.waitForSelector('.playable');
  return page;
}

const page = await opened({ viewport: { width: 390, height: 844 } });
const shown = async () => (await page.getAttribute('.board svg', 'data-position')).split('-');
const remark = () => page.textContent('[role=status]');
/** The letters of the pits that may be played, with what each of them takes. */
const playable = () => page.evaluate(() => Object.fromEntries([...document.querySelectorAll('.playable')]
  .map((pit) => pit.getAttribute('aria-label').match(/^play (.), \d+ seeds?(?:, takes (\d+))?$/).slice(1))));

// A pit by the mouse, by its letter, and by the keyboard's focus.
await page.click('.hole >> nth=2');
assert.match(await remark(), /^You play C\. Random plays [a-f]\. Your turn\.$/);
const [second] = Object.keys(await playable());
await page.keyboard.press(second.toLowerCase());
const [third] = Object.keys(await playable());
await page.focus(`[aria-label^="play ${third},"]`);
await page.keyboard.press('Enter');
assert.match(await remark(), new RegExp(`^You play ${third}`));

// Undo takes back both moves, to the first position.
for (let move = 0; move < 3; move += 1) await page.keyboard.press('u');
assert.equal((await shown()).join('-'), '4-4-4-4-4-4-4-4-4-4-4-4-0-0-S');
assert.ok(await page.locator('text="undo"').isDisabled());

/** Plays to the end, always the pit that takes most; returns the moves, for the rules of awale. */
async function playGame(level, side) {
  await page.selectOption('select >> nth=1', String(side));
  await page.selectOption('select >> nth=0', level);
  const positions = [];
  for (;;) {
    positions.push((await shown()).join('-'));
    const pits = Object.entries(await playable());
    if (pits.length === 0) break;
    const [letter, takes] = pits.sort(([, one], [, other]) => (other ?? 0) - (one ?? 0))[0];
    const before = Number((await shown())[12 + side]);
    const badges = await page.locator('.badge').allTextContents();
    assert.deepEqual(badges.sort(), pits.flatMap(([, seeds]) => (seeds ? [`+${seeds}`] : [])).sort());
    await page.keyboard.press(letter.toLowerCase());
    assert.equal(Number((await shown())[12 + side]) - before, Number(takes ?? 0));
    if (takes) assert.match(await remark(), new RegExp(`You play ${letter} and take ${takes} seeds? from `));
  }
  return { level, side, positions, remark: await remark() };
}

const games = [];
for (const level of ['random', 'greedy', 'search']) {
  for (const side of [0, 1]) games.push(await playGame(level, side));
}

// What is shown to those who want no hints.
await page.click('text="new game"');
await page.uncheck('input[type=checkbox]');
assert.equal(await page.locator('.badge').count(), 0);
assert.deepEqual(await barriers(page, 'play.html'), []);
await page.click('summary');
assert.deepEqual(await barriers(page, 'play.html with its rules'), []);
await page.context().close();

for (const width of [390, 1280, 1920]) {
  for (const colorScheme of ['light', 'dark']) {
    const other = await opened({ viewport: { width, height: width < 1000 ? 844 : 1000 }, colorScheme });
    for (let move = 0; move < 12; move += 1) {
      const label = await other.getAttribute('.playable >> nth=0', 'aria-label', { timeout: 1000 }).catch(() => null);
      if (label) await other.keyboard.press(label[5].toLowerCase());
    }
    assert.ok(await other.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${width} px is too narrow`);
    assert.deepEqual(await barriers(other, `play.html ${width} ${colorScheme}`), []);
    if (screenshots) await other.screenshot({ path: `${screenshots}/practice-${width}-${colorScheme}.png` });
    await other.context().close();
  }
}

assert.deepEqual(troubles, []);
await browser.close();
console.log(JSON.stringify(games));
