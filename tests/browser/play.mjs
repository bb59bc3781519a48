// Plays two games against a bot on the page of `awale play --web`, with the mouse and the keys.
// Fails with the first expectation that does not hold; at its end it prints what the boards showed,
// as JSON:
//
//   node play.mjs URL [SCREENSHOTS]

import assert from 'node:assert/strict';
import { launched, watch } from './chromium.mjs';
import { barriers } from './accessible.mjs';

const [, , url, screenshots] = process.argv;
const browser = await launched();
const context = await browser.newContext({ viewport: { width: 390, height: 844 }, reducedMotion: 'reduce' });
const page = await context.newPage();
const troubles = [];
watch(page, troubles, (address) => address.startsWith(new URL(url).origin));

/** What the server answered last. */
let state = null;
await page.goto(url);
await page.waitForSelector('.playable');
assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));

assert.deepEqual(await barriers(page, 'play'), []);

const shown = () => page.getAttribute('.board svg', 'data-position');
const remark = () => page.textContent('[role=status]');

/** Does something that the server is asked for, and waits until its answer is shown. */
async function asked(action) {
  const answered = page.waitForResponse((response) => new URL(response.url()).pathname === '/act');
  await action();
  state = await (await answered).json();
  await page.waitForFunction(() => !document.querySelector('.controls button').disabled || document.querySelector('.playable'));
  assert.equal(await shown(), state.positions.at(-1));
}

// A pit with the mouse, a pit with its letter, a pit with the keyboard's focus.
await asked(() => page.click('.hole >> nth=2'));
assert.match(state.moves, /^C[a-f]$/);
const second = Object.keys(state.next)[0];
await asked(() => page.keyboard.press(second.toLowerCase()));
const third = Object.keys(state.next)[0];
await page.focus(`[aria-label^="play ${third},"]`);
await asked(() => page.keyboard.press('Enter'));
assert.equal(state.moves.length, 6);
if (screenshots) await page.screenshot({ path: `${screenshots}/play-phone.png` });

const before = state.positions.at(-3);
await asked(() => page.click('text="undo"'));
assert.equal(state.positions.at(-1), before);
await asked(() => page.keyboard.press('h'));
assert.match(await remark(), /^[A-F]: minimax expects to end |^[A-F] wins within /);
assert.equal(state.hint, (await remark())[0]);
assert.match(await page.getAttribute('.hole.hinted', 'aria-label'), new RegExp(`^play ${state.hint},.*, the hint$`));
assert.match(await page.textContent('.replay'), /It expects to end .*looked \d+ plies ahead/);

// To the end.
const seen = [];
while (!state.over) {
  const letter = Object.keys(state.next).at(-1);
  await asked(() => page.keyboard.press(letter.toLowerCase()));
}
seen.push({ moves: state.moves, position: await shown(), remark: await remark() });
assert.equal(await page.locator('.playable').count(), 0);
await asked(() => page.click('text="new game"'));
assert.equal(state.moves, '');
assert.equal(await page.locator('.playable').count(), 6);

// Another level plays, and says that it is another one.
await asked(() => page.getByLabel('You play against').selectOption('greedy'));
assert.equal(state.bot, 'greedy');
assert.equal(await page.textContent('h1'), 'you against greedy');
await asked(() => page.keyboard.press(Object.keys(state.next)[0].toLowerCase()));
assert.equal(state.moves.length, 2);
// No program that the page does not offer.
const refused = await page.evaluate(async () => (await fetch(`act${location.search}`, {
  method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ action: 'level', value: 'sh -c id' }) })).json());
assert.equal(refused.bot, 'greedy');

assert.deepEqual(troubles, []);
await browser.close();
console.log(JSON.stringify(seen));
