// Opens report.html of a run in Chromium and uses it as a reader would. Fails with the first
// expectation that does not hold.
//
//   node report.mjs FOLDER [SCREENSHOTS]
//
// FOLDER has report.html, games.csv, own.html (the page of one entrant), and expected.json: the
// positions of each game and the worth of those with few seeds, computed by awale, and texts that only others may see.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { launched, watch } from './chromium.mjs';
import { barriers, coloursStayApart } from './accessible.mjs';

const [, , folder, screenshots] = process.argv;
const expected = JSON.parse(readFileSync(`${folder}/expected.json`, 'utf8'));
const report = `file://${folder}/report.html`;

const browser = await launched();

/** A page of the browser in which nothing may go wrong. */
async function opened(address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  const troubles = [];
  watch(page, troubles, (asked) => asked.split('#')[0] === address.split('#')[0]);
  await page.goto(address);
  await ready(page);
  return { page, troubles, close: async () => { assert.deepEqual(troubles, []); await context.close(); } };
}

/** Waits until a view is shown. */
async function ready(page, turn = 1) {
  await page.waitForFunction((wanted) => Number(document.body.dataset.ready) >= wanted, turn, { timeout: 30_000 });
}

async function follow(page, hash) {
  const turn = await page.evaluate(() => Number(document.body.dataset.ready));
  await page.evaluate((hash) => { location.hash = hash; }, hash);
  await ready(page, turn + 1);
}

const texts = (page, selector) => page.locator(selector).allTextContents();

async function standings() {
  const { page, close } = await opened(report);
  const names = () => texts(page, '#standings tbody th a');
  const inOrder = await names();
  assert.deepEqual([...inOrder].sort(), Object.keys(expected.faults).sort());
  await page.locator('#standings button', { hasText: 'faults' }).click();
  const [first] = await names();
  assert.equal(expected.faults[first], Math.max(...Object.values(expected.faults)), 'the most faults come first');
  assert.equal(await page.locator('#standings th[aria-sort]').getAttribute('aria-sort'), 'descending');
  await page.locator('#standings button', { hasText: 'entrant' }).click();
  assert.deepEqual(await names(), [...inOrder].sort());
  await page.locator('#standings button', { hasText: 'entrant' }).click();
  assert.deepEqual(await names(), [...inOrder].sort().reverse());
  const policy = await page.evaluate(() => {
    const first = document.querySelector('meta');
    return [first.httpEquiv, first.content];
  });
  assert.equal(policy[0], 'Content-Security-Policy');
  assert.match(policy[1], /^default-src 'none'; script-src 'sha256-[^ ]+'; style-src 'sha256-[^ ]+'; /);
  const headline = await texts(page, '.headline');
  assert.ok(headline.some((it) => it.includes('lost') && it.includes('by faults')), String(headline));
  await close();
}

/** The games worth showing lead to their replays, and are shown one after the other. */
async function showing() {
  const { page, close } = await opened(report);
  const players = (await texts(page, '#standings tbody th a')).length;
  assert.equal(await page.locator('.podium').count(), players < 3 ? 0 : 1);
  assert.ok((await texts(page, '.matrix tbody tr')).length >= players);
  const links = await page.$$eval('.highlights a', (all) => all.map((it) => it.getAttribute('href')));
  assert.ok(links.length > 0 && links.length <= 10, String(links));
  const ids = links.map((it) => new URLSearchParams(it.slice(1)).get('game'));
  assert.equal(new Set(ids).size, ids.length, 'each game once');
  for (const id of ids) {
    const game = expected.games.find((it) => it.id === id);
    assert.equal(game.fault_side, '', `${id} is no game that was lost by a fault`);
  }
  await follow(page, '#view=show');
  assert.equal(await page.locator('header').isVisible(), false);
  const { positions } = expected.games.find((it) => it.id === ids[0]);
  await page.waitForFunction(() => Number(document.querySelector('.controls input').value) >= 2);
  assert.ok(positions.slice(2).includes(await page.getAttribute('.board svg', 'data-position')));
  const first = await page.textContent('.show-mode h1');
  if (links.length > 1) {
    await page.keyboard.press('n');
    await page.waitForFunction((old) => document.querySelector('.show-mode h1').textContent !== old, first);
  }
  await page.locator('text=leave').click();
  await page.waitForFunction(() => document.querySelector('#standings') !== null);
  assert.equal(await page.locator('header').isVisible(), true);
  await close();
}

async function filters() {
  const { page, close } = await opened(`${report}#view=games`);
  const shown = async () => Number((await page.locator('#games-count').textContent()).split(' ')[0]);
  const { games } = expected;
  assert.equal(await shown(), games.length);
  const choose = async (name, value) => {
    const turn = await page.evaluate(() => Number(document.body.dataset.ready));
    await page.locator(`select[name=${name}]`).selectOption(value);
    await ready(page, turn + 1);
  };
  for (const name of Object.keys(expected.faults)) {
    await choose('entrant', name);
    const own = games.filter((game) => [game.south, game.north].includes(name));
    assert.equal(await shown(), own.length, name);
    await choose('result', 'lost');
    const lost = own.filter((game) => game.result === (game.south === name ? '0-1' : '1-0'));
    assert.equal(await shown(), lost.length, name);
    await choose('fault', 'own');
    assert.equal(await shown(), expected.faults[name], name);
    await choose('fault', '');
    await choose('result', '');
  }
  await choose('entrant', '');
  const ending = games[0].ending;
  await choose('ending', ending);
  assert.equal(await shown(), games.filter((game) => game.ending === ending).length);
  await close();
}

/** The number of games whose replays are stepped with real keys; the others get the same events faster. */
const KEYED_GAMES = 1;
const STEPPED_GAMES = process.env.AWALE_FULL ? 8 : 3;

/** What is drawn: the position, and the number of seeds that lie in each pit and store. */
function drawn(page) {
  return page.evaluate(look);
}

/** What is drawn at the beginning of a replay, and after each step. */
function steppedThrough(page, steps) {
  return page.evaluate(`{
    const look = ${look};
    const seen = [];
    for (let step = 0; step < ${steps}; step += 1) {
      seen.push(look());
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }));
    }
    seen;
  }`);
}

function look() {
  const svg = document.querySelector('.board svg');
  const holes = [...svg.querySelectorAll('.hole')].map((hole) => hole.getBBox());
  const seeds = [...svg.querySelectorAll('.seed')].map((seed) => {
    const matrix = new DOMMatrix(getComputedStyle(seed).transform);
    return [matrix.e, matrix.f];
  });
  const inside = ({ x, y, width, height }) => seeds.filter(([seedX, seedY]) => (
    seedX >= x && seedX <= x + width && seedY >= y && seedY <= y + height)).length;
  return {
    position: svg.dataset.position,
    lying: holes.map(inside),
    counts: [...svg.querySelectorAll('.count')].map((it) => Number(it.textContent)),
  };
}

function check(seen, position, what) {
  assert.equal(seen.position, position, what);
  const numbers = position.split('-').slice(0, 14).map(Number);
  assert.deepEqual(seen.counts, numbers, what);
  assert.deepEqual(seen.lying, numbers, what);
}

async function replays() {
  const { page, close } = await opened(report);
  const stepped = expected.games.slice(0, KEYED_GAMES);
  const others = expected.games.slice(KEYED_GAMES)
    .filter(({ id }, place) => place < STEPPED_GAMES || expected.hostile_games.includes(id));
  for (const { id, positions } of others) {
    await follow(page, `#game=${encodeURIComponent(id)}`);
    const seen = await steppedThrough(page, positions.length);
    for (const [ply, position] of positions.entries()) check(seen[ply], position, `${id} at ply ${ply}`);
  }
  for (const { id, positions } of stepped) {
    await follow(page, `#game=${encodeURIComponent(id)}`);
    assert.equal(await page.locator('h1').getAttribute('data-game'), id);
    const [pair, number] = [id.split('.').at(-2), id.split('.').at(-1)];
    assert.match(await page.locator('h1').textContent(), new RegExp(`^.+ – .+, pair ${pair}, game ${number}$`));
    for (const [ply, position] of positions.entries()) {
      check(await drawn(page), position, `${id} at ply ${ply}`);
      await page.keyboard.press('ArrowRight');
    }
    const last = positions.length - 1;
    check(await drawn(page), positions[last], `${id} stays at its end`);
    await page.keyboard.press('Home');
    check(await drawn(page), positions[0], `${id} from its start`);
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    if (last > 0) check(await drawn(page), positions[last - 1], `${id} back`);
  }
  const { id, positions } = expected.games.find((game) => game.positions.length > 7);
  await follow(page, `#game=${encodeURIComponent(id)}&ply=7`);
  check(await drawn(page), positions[7], 'an address leads to its ply');
  await close();
}

/** Seeds that move arrive where the rules say. */
async function movement() {
  const { id, positions } = expected.games.find((game) => game.positions.length > 14);
  const { page, close } = await opened(`${report}#game=${encodeURIComponent(id)}`, { reducedMotion: 'no-preference' });
  await page.locator('select[aria-label=speed]').selectOption('16');
  for (let ply = 1; ply <= 12; ply += 1) {
    // In one task: on a busy machine a fast movement is over before a second call.
    const isMoving = await page.evaluate(() => {
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }));
      return document.getAnimations().length > 0;
    });
    assert.ok(isMoving, 'seeds move');
    await page.waitForFunction(() => document.getAnimations().length === 0);
    await page.waitForTimeout(30);
    check(await drawn(page), positions[ply], `${id} at ply ${ply}, moved`);
  }
  await page.locator('#play').click();
  // On a busy machine several plies pass between two looks at the page.
  await page.waitForFunction(() => Number(new URLSearchParams(location.hash.slice(1)).get('ply')) >= 14);
  await page.keyboard.press(' ');
  await close();
}

/** The value of each position that a database knows is shown, and `m` leads to each mistake. */
async function mistakes() {
  const { page, close } = await opened(report);
  const solved = expected.games.filter(({ worth, ending }) => worth.slice(0, -1).some((it) => it !== null) && ending !== 'repetition');
  assert.ok(solved.length > 0, 'a game comes to few seeds');
  const status = () => page.textContent('.status-line');
  const ringed = (name) => page.evaluate((name) => {
    const place = [...document.querySelectorAll('.board .hole')].findIndex((it) => it.classList.contains(name));
    return 'ABCDEFabcdef'[place] ?? '';
  }, name);
  const found = { games: 0, mistakes: 0 };
  for (const { id, positions, moves, worth } of solved.slice(0, STEPPED_GAMES)) {
    const first = worth.findIndex((it) => it !== null);
    const wrong = [];
    await follow(page, `#game=${encodeURIComponent(id)}`);
    assert.equal(await page.locator('.plot path.line-exact').count(), 1);
    assert.equal(await page.locator('.plot path.line-estimate').count(), 1);
    for (let ply = 0; ply < positions.length - 1; ply += 1) {
      const said = (await status()).match(/exact: South ([+−]?\d+)/);
      if (ply < first) assert.equal(said, null);
      else assert.equal(Number(said[1].replace('−', '-')), worth[ply].ahead, `${id} at ply ${ply}`);
      if (ply >= first && !worth[ply].best.includes(moves[ply])) wrong.push(ply);
      await page.keyboard.press('ArrowRight');
    }
    await page.keyboard.press('Home');
    assert.equal(await page.locator('#next-mistake').count(), wrong.length ? 1 : 0);
    for (const ply of [...wrong, ...wrong.slice(0, 1)]) {
      await page.keyboard.press('m');
      assert.equal(await page.getAttribute('.board svg', 'data-position'), positions[ply], `${id} at ply ${ply}`);
      assert.equal(await ringed('mistaken'), moves[ply]);
      assert.ok(worth[ply].best.includes(await ringed('hinted')), `${id} at ply ${ply}`);
      assert.match(await status(), new RegExp(` · ${moves[ply]} loses \\d+ seeds?; [A-Fa-f] is better`));
    }
    found.games += 1;
    found.mistakes += wrong.length;
  }
  assert.ok(found.mistakes > 0, JSON.stringify(found));
  await close();
}

/** No text of a bot is markup, wherever it is shown. */
async function hostility() {
  const { page, close } = await opened(report);
  const views = ['#', '#view=games', ...Object.keys(expected.faults).map((name) => `#${new URLSearchParams({ entrant: name })}`),
    ...expected.hostile_games.flatMap((id) => [0, 1, 2, 3, 9].map((ply) => `#${new URLSearchParams({ game: id, ply })}`)),
    `#${new URLSearchParams({ game: expected.hostile_games[0], ply: 2.5 })}`, '#view=games&page=-3', '#view=games&page=0.5',
    '#game=<img src=x onerror=alert(7)>', '#entrant=<img src=x onerror=alert(7)>'];
  let shown = '';
  for (const view of views) {
    await page.goto('about:blank');
    await page.goto(report + view);
    await ready(page);
    shown += await page.evaluate(() => document.body.textContent);
    const odd = await page.evaluate(() => [
      ...document.querySelectorAll('img, iframe, object, embed, base, svg script, foreignObject'),
      ...[...document.querySelectorAll('a')].filter((it) => !it.getAttribute('href').startsWith('#')),
      ...[...document.querySelectorAll('*')].filter((it) => [...it.attributes].some(({ name }) => name.startsWith('on') || name === 'style' && !it.classList.contains('seed'))),
      ...[...document.querySelectorAll('script')].filter((it) => it.type !== 'module' && !it.id),
    ].map((it) => it.outerHTML));
    assert.deepEqual(odd, [], view);
  }
  assert.ok(!/[\u202e\u0007\u001b]/.test(shown), 'no character of a bot reorders a line');
  for (const text of expected.hostile) assert.ok(shown.includes(text), `the page shows ${text}`);
  await close();
}

/** The page of one entrant has nothing that others wrote. */
async function ownPage() {
  const { page, close } = await opened(`file://${folder}/own.html`);
  assert.equal(await page.locator('h1').textContent(), expected.own);
  const everything = await page.evaluate(async () => {
    const texts = [document.documentElement.textContent];
    for (const block of document.querySelectorAll('script[type="text/plain"]')) {
      const bytes = Uint8Array.from(atob(block.textContent), (it) => it.charCodeAt(0));
      texts.push(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text());
    }
    return texts.join('\n');
  });
  for (const text of expected.secrets) assert.ok(!everything.includes(text), `the page of ${expected.own} has ${text}`);
  for (const text of expected.shown) assert.ok(everything.includes(text), `the page of ${expected.own} lacks ${text}`);
  await close();
}

/** Every view fits every screen, and everybody can read it: nothing but tables is wider than it. */
async function screens() {
  const game = expected.games.find((it) => it.positions.length > 12).id;
  const views = { overview: '#', games: '#view=games', game: `#${new URLSearchParams({ game, ply: 9 })}`, entrant: `#${new URLSearchParams({ entrant: expected.own })}`,
    fault: `#${new URLSearchParams({ game: expected.hostile_games[0] })}`, show: '#view=show' };
  const found = [];
  for (const [screen, width, height] of [['desktop', 1280, 900], ['phone', 360, 780]]) {
    for (const colorScheme of ['light', 'dark']) {
      for (const [view, hash] of Object.entries(views)) {
        const { page, close } = await opened(report + hash, { viewport: { width, height }, colorScheme });
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width, `${view} on a ${screen}`);
        if (screen === 'phone') {
          const wide = await page.$$eval('table', (all) => all.filter((it) => it.getBoundingClientRect().width > innerWidth).length);
          assert.equal(wide, 0, `no table of the ${view} is wider than a phone`);
        }
        // The short form looks at each screen and at each colour scheme once.
        if (process.env.AWALE_FULL || (screen === 'phone') === (colorScheme === 'dark')) {
          found.push(...await barriers(page, `${view} on a ${screen}, ${colorScheme}`));
        }
        if (view === 'overview') await coloursStayApart(page, colorScheme);
        if (screenshots) await page.screenshot({ path: `${screenshots}/${view}-${screen}-${colorScheme}.png`, fullPage: true });
        await close();
      }
    }
  }
  assert.deepEqual(found, []);
}

try {
  for (const story of [standings, showing, filters, replays, mistakes, movement, hostility, ownPage, screens]) {
    const started = Date.now();
    await story();
    console.log(`${story.name} ok after ${Date.now() - started} ms`);
  }
} finally {
  await browser.close();
}
