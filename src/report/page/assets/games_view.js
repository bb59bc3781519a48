// Every game, with filters, a page of the list at a time.

const ROWS = 100;
const GAME_HEADINGS = ['game', 'South', 'North', 'result', 'seeds', 'ending', 'plies', 'opening'];
const FILTERS = ['entrant', 'opponent', 'result', 'ending', 'opening', 'fault'];

function gamesView(games, parameters) {
  const list = element('tbody');
  const count = element('p', { 'aria-live': 'polite', id: 'games-count' });
  const fields = filterFields(games, parameters, changed);
  const pages = element('nav', { class: 'pages', 'aria-label': 'pages of the list' });
  let found = filtered(games, parameters);
  let page = Math.max(0, Math.min(Math.trunc(Number(parameters.page)) || 0, lastPage()));
  function lastPage() { return Math.max(0, Math.ceil(found.length / ROWS) - 1); }
  function changed(name, value) {
    const next = { ...parameters, view: 'games', [name]: value, page: undefined };
    location.hash = address(next);
  }
  function turn(by) {
    page += by;
    history.replaceState(null, '', address({ ...parameters, page: page || undefined }));
    show();
  }
  function show() {
    count.textContent = `${counted(found.length, 'game')} of ${games.count.toLocaleString('en')}`;
    const rows = found.slice(page * ROWS, (page + 1) * ROWS);
    list.replaceChildren(...rows.map((game) => gameRow(games, game)));
    pages.replaceChildren(
      element('button', { type: 'button', disabled: page === 0, onclick: () => turn(-1) }, 'previous'),
      element('span', {}, ` page ${page + 1} of ${lastPage() + 1} `),
      element('button', { type: 'button', disabled: page === lastPage(), onclick: () => turn(1) }, 'next'));
  }
  show();
  return [wholeView('Games',
    element('form', { class: 'filters', onsubmit: (event) => event.preventDefault() }, fields),
    count,
    element('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'games' },
      element('table', { id: 'games', class: 'stacks' },
        element('thead', {}, element('tr', {}, GAME_HEADINGS
          .map((it) => element('th', { scope: 'col' }, it)))),
        list)),
    pages)];
}

function filterFields(games, parameters, changed) {
  const names = [...summary.names].sort();
  const endings = [...games.columns.endings].sort();
  const isPerspective = parameters.entrant !== undefined;
  const choices = {
    entrant: ['every entrant', names],
    opponent: ['every opponent', names],
    result: ['every result', isPerspective ? ['won', 'drawn', 'lost'] : ['1-0', '1/2-1/2', '0-1']],
    ending: ['every ending', endings],
    fault: ['with or without fault', ['any', 'none', ...(isPerspective ? ['own', 'of the opponent'] : [])]],
  };
  const fields = Object.entries(choices).map(([name, [all, values]]) => element('label', {}, name,
    element('select', { name, onchange: (event) => changed(name, event.target.value) },
      element('option', { value: '' }, all),
      values.map((value) => element('option', { value, selected: parameters[name] === value }, value)))));
  const opening = element('label', {}, 'opening',
    element('input', { name: 'opening', type: 'number', min: 1, value: parameters.opening ?? '', onchange: (event) => changed('opening', event.target.value) }));
  return [...fields, opening];
}

/** The numbers of the games that fit every filter. */
function filtered(games, parameters) {
  const { columns } = games;
  const number = (name) => (name === undefined ? -1 : summary.names.indexOf(name));
  const [entrant, opponent] = [number(parameters.entrant), number(parameters.opponent)];
  const opening = Number(parameters.opening) || 0;
  const fits = (game) => {
    const sides = [columns.south[game], columns.north[game]];
    if (parameters.entrant !== undefined && !sides.includes(entrant)) return false;
    if (parameters.opponent !== undefined && !sides.includes(opponent)) return false;
    if (entrant >= 0 && entrant === opponent) return false;
    if (opening && columns.opening[game] !== opening) return false;
    if (parameters.ending && games.ending(game) !== parameters.ending) return false;
    if (parameters.fault && !fitsFault(games, game, parameters)) return false;
    if (!parameters.result) return true;
    return (['won', 'drawn', 'lost'].includes(parameters.result)
      ? entrant >= 0 && games.resultFor(entrant, game)
      : games.result(game)) === parameters.result;
  };
  const found = [];
  for (let game = 0; game < games.count; game += 1) if (fits(game)) found.push(game);
  return found;
}

function fitsFault(games, game, { fault, entrant }) {
  const guilty = games.atFault(game);
  if (fault === 'none') return guilty === null;
  if (fault === 'own') return guilty !== null && guilty === entrant;
  if (fault === 'of the opponent') return guilty !== null && guilty !== entrant;
  return guilty !== null && (entrant === undefined || guilty === entrant);
}

function gameRow(games, game) {
  const [south, north] = [games.south(game), games.north(game)];
  const guilty = games.atFault(game);
  const cell = (place, content, attributes = {}) => element('td', { 'data-heading': GAME_HEADINGS[place], ...attributes }, content);
  return element('tr', {},
    element('th', { scope: 'row' }, link({ game: games.id(game) }, games.id(game))),
    cell(1, link({ entrant: south }, south)),
    cell(2, link({ entrant: north }, north)),
    cell(3, games.result(game)),
    cell(4, games.stores(game).join('–')),
    cell(5, games.ending(game), { class: guilty === null ? null : 'fault' }),
    cell(6, String(games.columns.plies[game]), { class: 'number' }),
    cell(7, link({ view: 'games', opening: games.columns.opening[game] }, String(games.columns.opening[game])), { class: 'number' }));
}
