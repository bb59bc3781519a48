// Opens a page in Chromium several times and prints what that takes: from the navigation until the
// overview stands, and from a click until a game and the list of all games stand, each the median
// in ms. Measures; decides nothing.
//
//   node opening_time.mjs PAGE GAME
//
// PAGE is the path of a report.html, GAME the id of a game in it.

import { pathToFileURL } from 'node:url';
import { launched } from './chromium.mjs';

const TIMES = 5;
const [, , path, game] = process.argv;
const browser = await launched();
const median = (times) => times.sort((one, other) => one - other)[Math.floor(times.length / 2)].toFixed(0);

const times = { overview: [], games: [], game: [] };
for (let time = 0; time < TIMES; time += 1) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.setDefaultTimeout(120_000);
  const until = async (kind, act, selector) => {
    const since = performance.now();
    await act();
    await page.waitForSelector(selector);
    times[kind].push(performance.now() - since);
  };
  const show = (hash) => page.evaluate((wanted) => { location.hash = wanted; }, hash);
  await until('overview', () => page.goto(pathToFileURL(path).href), '#standings');
  await until('games', () => show('#view=games'), '#main table');
  await until('game', () => show(`#${new URLSearchParams({ game })}`), '#main svg[data-position]');
  await page.close();
}
await browser.close();
for (const [kind, all] of Object.entries(times)) console.log(`page_${kind}_ms ${median(all)}`);
