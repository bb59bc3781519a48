// The page of a run that is being played. Its server tells what happens, and has the data of the
// views, which are drawn again as they change.

/** What is to be said once the server is gone. */
let farewell = null;

async function fetched(path) {
  if (farewell !== null) throw new Error(farewell);
  const response = await fetch(path);
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  return response.json();
}

/** The games so far; the moves of one are asked for when it is shown. */
class LiveGames extends Games {
  missing(id) {
    if (farewell !== null) throw new Error(farewell);
    return `The standings do not count game ${id} yet, or they do not count it at all. If they do, it is shown here.`;
  }

  details(game) {
    return fetched(`game?id=${encodeURIComponent(this.id(game))}`);
  }
}

class LiveView {
  constructor() {
    this.section = new LiveSection();
    this.showOther = null;
    this.loading = null;
    this.isStale = false;
    window.addEventListener('hashchange', () => this.showSection());
    document.getElementById('main').replaceChildren(element('p', {}, 'The first standings come with the first games.'));
  }

  /** The boards stand above the overview alone. */
  showSection() {
    const { game, view, entrant } = currentParameters();
    this.section.node.hidden = [game, view, entrant].some((it) => it !== undefined);
  }

  /** Gets the newest data. If more come meanwhile, they are got afterwards. */
  load() {
    this.isStale = true;
    this.loading ??= this.loadAll().finally(() => { this.loading = null; });
    return this.loading;
  }

  async loadAll() {
    while (this.isStale) {
      this.isStale = false;
      const [newSummary, columns] = await Promise.all([fetched('summary'), fetched('columns')]);
      if (newSummary === null) return;
      summary = newSummary;
      await this.show(new LiveGames(columns));
    }
  }

  async show(games) {
    if (this.showOther === null) {
      this.showOther = await start(games);
      this.showSection();
      return;
    }
    const places = rowPlaces();
    const heading = document.activeElement?.closest('button.sort')?.textContent;
    await this.showOther(games, !isBusy());
    moveRows(places);
    // Who sorts with the keyboard stays where he was.
    [...document.querySelectorAll('button.sort')].find((it) => it.textContent === heading)?.focus();
  }
}

/** Whether drawing the view again would disturb its reader: in a replay, or in a form. */
function isBusy() {
  return currentPlayer !== null || document.activeElement?.closest('#main :is(select, input, textarea)');
}

function standingsRows() {
  return [...document.querySelectorAll('#standings tr[data-entrant]')];
}

function rowPlaces() {
  return new Map(standingsRows().map((row) => [row.dataset.entrant, row.getBoundingClientRect().top]));
}

/** Lets rows of the standings glide from their old places to the new ones. */
function moveRows(places) {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  for (const row of standingsRows()) {
    const way = (places.get(row.dataset.entrant) ?? NaN) - row.getBoundingClientRect().top;
    if (Math.abs(way) > 1) row.animate([{ transform: `translateY(${way}px)` }, { transform: 'none' }], { duration: 500, easing: 'ease' });
  }
}

function follow() {
  const view = new LiveView();
  const stream = new EventSource('events');
  const hear = (name, action) => stream.addEventListener(name, (event) => action(JSON.parse(event.data)));
  hear('moment', (moment) => view.section.show(moment));
  hear('run', (event) => view.section.hear(event));
  hear('page', () => view.load().catch(() => null));
  hear('end', async ({ interrupted }) => {
    await view.load().catch(() => null);
    stream.close();
    const report = summary?.folder ? `${summary.folder}/report.html` : 'its report.html';
    farewell = `the run ${interrupted ? 'was interrupted' : 'is over'}; ${report} has every game`;
    view.section.end(farewell[0].toUpperCase() + farewell.slice(1) + '.');
  });
  stream.addEventListener('error', () => {
    view.section.end('The connection is lost. If the run goes on, this page goes on with it; if it has ended, its report.html has every game.');
  });
}

follow();
