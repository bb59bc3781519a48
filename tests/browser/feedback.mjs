// Opens feedback.html of an author in Chromium and reads it. Fails with the first expectation that does
// not hold.
//
//   node feedback.mjs FOLDER [SCREENSHOTS]
//
// FOLDER has feedback.html, and expected.json: the positions of each game on a board, computed by the
// rules of awale, and texts that the page must show.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { launched, watch } from './chromium.mjs';
import { barriers } from './accessible.mjs';

const [, , folder, screenshots] = process.argv;
const expected = JSON.parse(readFileSync(`${folder}/expected.json`, 'utf8'));
const address = `file://${folder}/feedback.html`;
const browser = await launched();

async function opened(options) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  const troubles = [];
  watch(page, troubles, (asked) => asked === address);
  await page.goto(address);
  await page.waitForFunction(() => document.body.dataset.ready);
  return { page, close: async () => { assert.deepEqual(troubles, []); await context.close(); } };
}

async function texts() {
  const { page, close } = await opened();
  const shown = await page.evaluate(() => document.querySelector('main').innerText);
  for (const text of expected.texts) assert.ok(shown.includes(text), `the page shows ${text}`);
  assert.equal(await page.locator('main img, main script, main iframe').count(), 0);
  assert.ok(!/[\u202e\u0007\u001b]/.test(shown), 'no character of a bot reorders a line');
  await close();
}

/** Every board steps through its game by its buttons, and the keys step the one that was used last. */
async function boards() {
  const { page, close } = await opened();
  assert.equal(await page.locator('.replay').count(), expected.games.length);
  for (const [number, positions] of expected.games.entries()) {
    const game = page.locator('.replay').nth(number);
    const shown = () => game.locator('.board svg').getAttribute('data-position');
    await game.getByLabel('first position').click();
    assert.equal(await shown(), positions[0]);
    const last = positions.length - 1;
    for (let ply = 1; ply <= Math.min(last, 3); ply += 1) {
      await page.keyboard.press('ArrowRight');
      assert.equal(await shown(), positions[ply]);
    }
    await game.getByLabel('last position').click();
    assert.equal(await shown(), positions[last]);
  }
  await close();
}

/** A game that plays by itself arrives at its end, also where nothing may move. */
async function plays() {
  const [positions] = expected.games;
  const { page, close } = await opened();
  const game = page.locator('.replay').first();
  await game.getByLabel('first position').click();
  await game.locator('select').selectOption('16');
  await game.getByRole('button', { name: 'play' }).click();
  await page.waitForFunction((wanted) => document.querySelector('.board svg').dataset.position === wanted, positions.at(-1));
  await close();
}

async function screens() {
  const found = [];
  for (const [width, height] of [[390, 844], [1280, 900], [1920, 1080]]) {
    for (const colorScheme of ['light', 'dark']) {
      const { page, close } = await opened({ viewport: { width, height }, colorScheme });
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width, `${width} px`);
      found.push(...await barriers(page, `${width} px, ${colorScheme}`));
      if (screenshots) await page.screenshot({ path: `${screenshots}/feedback-${width}-${colorScheme}.png`, fullPage: true });
      await close();
    }
  }
  assert.deepEqual(found, []);
}

try {
  for (const story of [texts, boards, plays, screens]) {
    await story();
    console.log(`${story.name} ok`);
  }
} finally {
  await browser.close();
}
