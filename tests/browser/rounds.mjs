// Opens the pages of a knockout and of a Swiss tournament in Chromium. Fails with the first
// expectation that does not hold.
//
//   node rounds.mjs FOLDER [SCREENSHOTS]
//
// FOLDER has the folders knockout and swiss, each with report.html and expected.json: the rows of
// bracket.csv, rounds.csv and places.csv, and a name that is markup.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { launched, watch } from './chromium.mjs';
import { barriers } from './accessible.mjs';

const [, , folder, screenshots] = process.argv;
const browser = await launched();

async function opened(run, options) {
  const address = `file://${folder}/${run}/report.html`;
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  const troubles = [];
  watch(page, troubles, (asked) => asked.split('#')[0] === address);
  await page.goto(address);
  await page.waitForFunction(() => document.body.dataset.ready);
  return { page, close: async () => { assert.deepEqual(troubles, []); await context.close(); } };
}

const expectedOf = (run) => JSON.parse(readFileSync(`${folder}/${run}/expected.json`, 'utf8'));
const texts = (page, selector) => page.locator(selector).allTextContents();

/** The bracket of five: eight places, three of them empty, and one winner. */
async function bracket() {
  const { page, close } = await opened('knockout');
  const { bracket, places } = expectedOf('knockout');
  const columns = await page.$$eval('.bracket section', (all) => all.map((it) => it.querySelectorAll('li').length));
  assert.deepEqual(columns, [4, 2, 1]);
  const matches = await page.$$eval('.bracket-match', (all) => all.map((match) => ({
    sides: [...match.querySelectorAll('.bracket-side')].map((it) => it.querySelector('a')?.textContent ?? ''),
    winner: match.querySelector('.winner a')?.textContent ?? '',
    points: [...match.querySelectorAll('.points')].map((it) => it.textContent),
  })));
  assert.equal(matches.length, bracket.length);
  for (const [place, row] of bracket.entries()) {
    const { sides, winner, points } = matches[place];
    assert.deepEqual(sides, [row.first, row.second]);
    assert.equal(winner, row.winner);
    if (row.decided_by === 'points') assert.deepEqual(points, [row.points_first, row.points_second]);
  }
  assert.equal((await texts(page, '.bracket-side.dim')).filter((it) => it === 'bye').length, 3);
  const [winner] = await texts(page, '.bracket section:last-child .winner a');
  assert.equal(winner, places[0].entrant);
  assert.equal((await texts(page, '.podium .place-1 a'))[0], winner, 'the podium does not contradict the bracket');
  await close();
}

/** The newest round is open and first; each has its matches and byes. */
async function rounds(run) {
  const { page, close } = await opened(run);
  const expected = expectedOf(run);
  const names = [...new Set(expected.rounds.map((it) => it.name))].reverse();
  assert.deepEqual(await texts(page, '.round summary'), names);
  assert.equal(await page.locator('.round[open]').count(), 1);
  assert.equal(await page.locator('.round').first().getAttribute('open'), '');
  for (const [place, name] of names.entries()) {
    const of = expected.rounds.filter((it) => it.name === name);
    const round = page.locator('.round').nth(place);
    if (place > 0) await round.locator('summary').click();
    const cells = await round.locator('tbody tr').evaluateAll((all) => all.map((row) => [...row.cells].map((it) => it.textContent)));
    const number = (text) => String(Number(text));
    assert.deepEqual(cells, of.filter((it) => it.second !== '').map((it) => [it.first, it.second,
      `${number(it.points_first)} : ${number(it.points_second)}`,
      `${number(it.match_points_first)} : ${number(it.match_points_second)}`, it.games]));
    const byes = of.filter((it) => it.second === '').map((it) => it.first);
    assert.deepEqual(await round.locator('p a').allTextContents(), byes);
  }
  const places = await page.$$eval('#places tbody tr', (all) => all.map((row) => [...row.cells].map((it) => it.textContent)));
  assert.deepEqual(places, expected.places.map((it) => [it.entrant, it.place, it.match_points, it.points,
    ...(run === 'swiss' ? [it.buchholz] : [])]));
  const markup = await page.locator('main img, main script, main iframe').count();
  assert.equal(markup, 0);
  assert.ok((await page.textContent('#places')).includes(expected.hostile));
  await close();
}

async function screens(run) {
  for (const [width, height, colorScheme] of [[1280, 900, 'light'], [390, 844, 'dark']]) {
    const { page, close } = await opened(run, { viewport: { width, height }, colorScheme });
    await page.$$eval('.round', (all) => all.forEach((it) => { it.open = true; }));
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width, `${run} at ${width} px`);
    assert.deepEqual(await barriers(page, `${run}, ${colorScheme}`), []);
    if (screenshots) await page.screenshot({ path: `${screenshots}/${run}-${width}-${colorScheme}.png`, fullPage: true });
    await close();
  }
}

try {
  await bracket();
  for (const run of ['knockout', 'swiss']) {
    await rounds(run);
    await screens(run);
    console.log(`${run} ok`);
  }
} finally {
  await browser.close();
}
