// Shows the view that the address names.

/**
 * Shows the views of these games from now on. Returns a function that puts other games in place of
 * them; if told so, it draws the view again, where the reader is.
 */
async function start(games) {
  const main = document.getElementById('main');
  showNavigation();
  let shown = 0;
  async function show() {
    const turn = shown += 1;
    const parameters = currentParameters();
    currentPlayer?.pause();
    currentPlayer = null;
    const nodes = await viewOf(games, parameters).catch(notAvailable);
    if (turn !== shown) return;
    document.body.classList.toggle('showing', parameters.view === 'show');
    main.replaceChildren(...nodes.filter((node) => node !== null));
    // Only now does the list of moves have a height to scroll.
    currentPlayer?.changed();
    document.getElementById('entrant-choice').value = parameters.view ? '' : parameters.entrant ?? '';
    const shownNow = parameters.game ?? parameters.entrant ?? parameters.view;
    document.title = `${shownNow === undefined ? '' : `${shownNow} – `}${summary.tournament} – awale`;
    document.body.dataset.ready = String(turn);
  }
  async function showFromTop() {
    await show();
    window.scrollTo(0, 0);
  }
  window.addEventListener('hashchange', showFromTop);
  await showFromTop();
  return async (others, isDrawn) => {
    games = others;
    if (isDrawn) await show();
  };
}

function showNavigation() {
  document.getElementById('navigation').replaceChildren(
    link({}, 'Overview'), ' ', link({ view: 'games' }, 'Games'), ' ',
    element('label', {}, element('span', { class: 'hidden-text' }, 'entrant '),
      element('select', { id: 'entrant-choice', onchange: (event) => { if (event.target.value) location.hash = address({ entrant: event.target.value }); } },
        element('option', { value: '' }, 'entrant …'), ranked().map((name) => element('option', { value: name }, name)))));
}

/** A view whose data cannot be had: the server of a live page is gone. */
function notAvailable(error) {
  return [wholeView('Not available', element('p', {}, `This cannot be shown: ${error.message}. `, link({}, 'Overview')))];
}

async function viewOf(games, parameters) {
  if (parameters.game !== undefined) return gameView(games, parameters);
  if (parameters.view === 'show') return showView(games);
  if (parameters.view === 'games') return gamesView(games, parameters);
  if (parameters.entrant !== undefined) return entrantView(games, parameters);
  return summary.own ? entrantView(games, { entrant: summary.own }) : overview(games);
}

function cannotBeShown(error) {
  document.getElementById('main').replaceChildren(element('p', { class: 'fault' },
    `This page cannot be shown: ${error}. It needs a browser of 2023 or newer.`));
  throw error;
}
