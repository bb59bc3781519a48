// Solves the puzzles of `puzzles.html`, with the mouse and the keys, after a wrong move wherever
// there is one. Fails with the first expectation that does not hold; at its end it prints what was
// played, as JSON:
//
//   node puzzles.mjs FILE [SCREENSHOTS]

import assert from 'node:assert/strict';
import { launched, watch } from './chromium.mjs';
import { barriers } from './accessible.mjs';

const [, , file, screenshots] = process.argv;
const address = `file://${file}`;
const browser = await launched();
const troubles = [];

async function opened(hash, options) {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  watch(page, troubles, (asked) => asked.startsWith(address));
  await page.goto(address + hash);
  await page.waitForSelector('.playable');
  return page;
}

const page = await opened('', { viewport: { width: 390, height: 844 } });
const shown = () => page.getAttribute('.board svg', 'data-position');
const remark = () => page.textContent('[role=status]');
const facts = () => page.textContent('.facts');
const playable = () => page.evaluate(() => [...document.querySelectorAll('.playable')]
  .map((pit) => pit.getAttribute('aria-label')[5]));

/** The hint's pit. It makes the puzzle one that was not solved at the first try. */
async function hinted() {
  await page.keyboard.press('h');
  return page.evaluate(() => document.querySelector('.hinted').getAttribute('aria-label')[5]);
}

/** Solves a puzzle: first a move that does not win, then those of the hints. */
async function solve() {
  const start = await shown();
  const positions = [start];
  const wrong = [];
  const right = await hinted();
  for (const letter of (await playable()).filter((it) => it !== right)) {
    await page.keyboard.press(letter.toLowerCase());
    assert.match(await remark(), new RegExp(`^Wrong: ${letter} (only draws|loses by \\d+ seeds?)\\. Try again\\.$`));
    assert.equal(await shown(), start);
    wrong.push(letter);
  }
  const moves = [];
  while ((await playable()).length > 0) {
    const letter = await hinted();
    moves.push(letter);
    await page.click(`[aria-label^="play ${letter},"]`);
    assert.match(await remark(), new RegExp(`^Right: ${letter}\\.`));
    positions.push(await shown());
  }
  return { start, wrong, moves, positions, remark: await remark() };
}

const count = await page.locator('select option').count();
const solved = [];
for (let number = 1; number <= count; number += 1) {
  assert.match(await facts(), new RegExp(`^puzzle ${number} of ${count} · `));
  solved.push(await solve());
  if (number === 1) {
    // Again from the start, this time without a hint: it stays one that was not solved at the first try.
    await page.keyboard.press('u');
    assert.equal(await shown(), solved[0].start);
    assert.match(await facts(), / · 1 solved, 0 at the first try$/);
  }
  await page.keyboard.press('n');
}
assert.match(await facts(), new RegExp(` · ${count} solved, 0 at the first try$`));
assert.equal(await page.locator('option', { hasText: '✓' }).count(), count);
// After the last one comes the first, and before it the last.
assert.equal(await shown(), solved[0].start);
await page.click('text="previous puzzle"');
assert.equal(await shown(), solved.at(-1).start);
await page.selectOption('select', '1');
assert.equal(await shown(), solved[1].start);
assert.ok(page.url().endsWith('#puzzle=2'));
assert.deepEqual(await barriers(page, 'puzzles.html'), []);
await page.context().close();

// A puzzle has an address, and one that is solved without help counts as such.
const other = await opened('#puzzle=3');
assert.equal(await other.getAttribute('.board svg', 'data-position'), solved[2].start);
for (const letter of solved[2].moves) await other.keyboard.press(letter.toLowerCase());
assert.match(await other.textContent('.facts'), / · 1 solved, 1 at the first try$/);
await other.context().close();

for (const width of [390, 1280]) {
  for (const colorScheme of ['light', 'dark']) {
    const seen = await opened('#puzzle=4', { viewport: { width, height: width < 1000 ? 844 : 1000 }, colorScheme });
    await seen.keyboard.press('h');
    assert.ok(await seen.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${width} px is too narrow`);
    assert.deepEqual(await barriers(seen, `puzzles.html ${width} ${colorScheme}`), []);
    if (screenshots) await seen.screenshot({ path: `${screenshots}/puzzles-${width}-${colorScheme}.png` });
    await seen.context().close();
  }
}

assert.deepEqual(troubles, []);
await browser.close();
console.log(JSON.stringify(solved));
