// Opens the two pages of a class whose names are hidden in Chromium. Fails with the first expectation
// that does not hold.
//
//   node class.mjs FOLDER [SCREENSHOTS]
//
// FOLDER has report.html, organiser.html, and expected.json: texts that both show, and texts that the
// organiser alone is shown.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { launched, watch } from './chromium.mjs';
import { barriers } from './accessible.mjs';

const [, , folder, screenshots] = process.argv;
const expected = JSON.parse(readFileSync(`${folder}/expected.json`, 'utf8'));
const browser = await launched();

async function opened(file, options) {
  const address = `file://${folder}/${file}`;
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  const troubles = [];
  watch(page, troubles, (asked) => asked.split('#')[0] === address);
  await page.goto(address);
  await page.waitForFunction(() => document.body.dataset.ready);
  return { page, close: async () => { assert.deepEqual(troubles, []); await context.close(); } };
}

async function texts() {
  for (const [file, isOrganiser] of [['report.html', false], ['organiser.html', true]]) {
    const { page, close } = await opened(file);
    const shown = await page.evaluate(() => document.querySelector('main').textContent);
    for (const text of expected.everybody) assert.ok(shown.includes(text), `${file} shows ${text}`);
    for (const text of expected.organiser) assert.equal(shown.includes(text), isOrganiser, `${file}: ${text}`);
    assert.equal(await page.locator('main img, main script, main iframe').count(), 0);
    await close();
  }
}

/** First the podium and the students, then games worth showing, and matrices last. */
async function order() {
  const { page, close } = await opened('report.html');
  const headings = await page.evaluate(() => [...document.querySelectorAll('main h2')].map((it) => it.textContent));
  const places = ['Students', 'Games worth showing', 'Standings', 'Who beat whom'].map((it) => headings.indexOf(it));
  assert.ok(places.every((it, place) => it >= 0 && (place === 0 || it > places[place - 1])), headings.join(', '));
  const podium = await page.locator('.podium li').count();
  assert.ok(podium >= 3, `${podium} on the podium`);
  await close();
}

/** The show plays, and goes on by its button, its key and by itself. */
async function show() {
  const { page, close } = await opened('report.html');
  await page.getByRole('link', { name: 'Show these games one after the other' }).click();
  const line = page.locator('.show-mode div.status-line');
  await line.waitFor();
  const number = async () => Number(/game (\d+) of/.exec(await line.textContent())[1]);
  const arrives = (wanted) => page.waitForFunction((it) => document.querySelector('.show-mode div.status-line')?.textContent.startsWith(`game ${it} of`), wanted);
  assert.equal(await number(), 1);
  const first = await page.locator('.show-mode svg').first().getAttribute('data-position');
  await page.waitForFunction((it) => document.querySelector('.show-mode svg').dataset.position !== it, first);
  await page.getByLabel('next game (n)').click();
  await arrives(2);
  await page.keyboard.press('n');
  await arrives(3);
  await page.getByLabel('previous game').click();
  await arrives(2);
  // At the end of a game the next one comes.
  await page.locator('.show-mode input[type=range]').evaluate((slider) => {
    slider.value = String(Number(slider.max) - 1);
    slider.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await page.locator('.show-mode').getByRole('button', { name: '► play' }).click();
  await arrives(3);
  await close();
}

async function screens() {
  const found = [];
  for (const [width, height] of [[390, 844], [1280, 900], [1920, 1080]]) {
    for (const colorScheme of ['light', 'dark']) {
      for (const view of ['', '#view=show', `#entrant=${encodeURIComponent(expected.entrant)}`]) {
        const { page, close } = await opened('organiser.html', { viewport: { width, height }, colorScheme });
        const name = `${width} px, ${colorScheme}${view}`;
        await page.evaluate((it) => { window.location.hash = it; }, view);
        await page.waitForFunction((it) => document.body.dataset.ready && (it === '' || !document.querySelector('.podium')), view);
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width, name);
        found.push(...await barriers(page, name));
        if (screenshots) await page.screenshot({ path: `${screenshots}/class-${width}-${colorScheme}${view.slice(1, 5)}.png`, fullPage: true });
        await close();
      }
    }
  }
  assert.deepEqual(found, []);
}

try {
  for (const story of [texts, order, show, screens]) {
    await story();
    console.log(`${story.name} ok`);
  }
} finally {
  await browser.close();
}
