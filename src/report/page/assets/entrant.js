// The view of one entrant: whom it beat, from which openings, how fast it was, what went wrong.

const MOST_OPENINGS = 50;
const WORST_GAMES = 10;

function entrantView(games, parameters) {
  const { entrant } = parameters;
  const row = summary.standings.find((it) => it.entrant === entrant);
  if (!row) return [section('No such entrant', element('p', {}, `There is no entrant ${harmless(entrant)}. `, link({}, 'Overview')))];
  const number = summary.names.indexOf(entrant);
  const own = filtered(games, { entrant });
  return [
    element('section', { 'aria-labelledby': 'entrant-heading' },
      element('h1', { id: 'entrant-heading' }, named(entrant)), realName(entrant),
      element('p', { class: 'headline' }, entrantSentence(row)),
      row.reason ? element('p', { class: 'fault hostile' }, harmless(row.reason)) : null),
    weeksCurve(entrant),
    programNotes(entrant),
    own.length ? section('Opponents', opponentTable(games, number, own)) : null,
    own.length ? section('South and North', sideTable(games, number, own)) : null,
    section('Faults', ownFaults(entrant)),
    own.length && summary.times[number]?.length ? section('Times of its moves', timeHistogram(summary.time_starts, summary.times[number])) : null,
    own.length ? section('Heaviest losses', worstGames(games, number, own)) : null,
    own.length ? section('Openings', openingTable(games, number, own)) : null,
  ];
}

function entrantSentence(row) {
  if (!row.games) return row.status === 'not-admitted' ? 'It was not admitted.' : 'It has played no game yet.';
  const rank = row.rank === null ? '' : `Rank ${row.rank}${row.rank_low === null || row.rank_low === row.rank_high ? '' : ` (${row.rank_low} to ${row.rank_high} with 95 %)`}, `;
  const strength = row.sweep === null ? `${rating(row)} Elo` : rating(row);
  return `${rank}${strength}: ${row.wins} won, ${row.draws} drawn and ${row.losses} lost of ${counted(row.games, 'game')}; `
    + `${counted(row.fault_count, 'fault')}.${row.calls_itself === null ? '' : ` Its program calls itself ${harmless(row.calls_itself)}.`}${row.clock === '' ? '' : ` Its clock: ${row.clock}.`}${row.status === 'withdrawn' ? ' It was withdrawn because of them.' : ''}`;
}

/** Results of games by a key, in the order of the keys' first games. */
function tallied(games, entrant, own, key) {
  const tallies = new Map();
  for (const game of own) {
    const name = key(game);
    if (!tallies.has(name)) tallies.set(name, { wins: 0, draws: 0, losses: 0 });
    tallies.get(name)[{ won: 'wins', drawn: 'draws', lost: 'losses' }[games.resultFor(entrant, game)]] += 1;
  }
  return tallies;
}

function share({ wins, draws, losses }) {
  return (wins + draws / 2) / (wins + draws + losses);
}

function resultCells(results) {
  return [perCent(share(results)), [`${results.wins} won, ${results.draws} drawn, ${results.losses} lost `, resultBar(results)]];
}

function opponentTable(games, entrant, own) {
  const { south, north } = games.columns;
  const other = (game) => summary.names[south[game] === entrant ? north[game] : south[game]];
  const tallies = tallied(games, entrant, own, other);
  const order = ranked().filter((name) => tallies.has(name));
  return table('Results by opponent, in the order of the standings', ['opponent', 'score', 'results', 'games'], order.map((name) => [
    link({ entrant: name }, name), ...resultCells(tallies.get(name)),
    link({ view: 'games', entrant: summary.names[entrant], opponent: name }, 'show'),
  ]));
}

function sideTable(games, entrant, own) {
  const sides = ['South, who moves first', 'North'];
  const tallies = tallied(games, entrant, own, (game) => sides[games.columns.south[game] === entrant ? 0 : 1]);
  return table('Results by side', ['side', 'score', 'results'], sides.filter((side) => tallies.has(side))
    .map((side) => [side, ...resultCells(tallies.get(side))]));
}

function openingTable(games, entrant, own) {
  const tallies = [...tallied(games, entrant, own, (game) => games.columns.opening[game])];
  tallies.sort(([one, first], [other, second]) => share(first) - share(second) || one - other);
  const caption = tallies.length > MOST_OPENINGS
    ? `Results by opening: the ${MOST_OPENINGS} of ${tallies.length} with the lowest scores`
    : 'Results by opening, the lowest scores first';
  return table(caption, ['opening', 'score', 'results'], tallies.slice(0, MOST_OPENINGS).map(([opening, results]) => [
    link({ view: 'games', entrant: summary.names[entrant], opening }, String(opening)), ...resultCells(results)]));
}

function ownFaults(entrant) {
  const own = summary.faults.filter((fault) => fault.entrant === entrant);
  return own.length ? faultTable(own) : element('p', {}, 'None.');
}

function worstGames(games, entrant, own) {
  const margin = (game) => {
    const [south, north] = games.stores(game);
    return games.columns.south[game] === entrant ? north - south : south - north;
  };
  const lost = own.filter((game) => games.resultFor(entrant, game) === 'lost' && games.atFault(game) === null);
  lost.sort((one, other) => margin(other) - margin(one) || one - other);
  if (!lost.length) return element('p', {}, 'It lost no game on the board.');
  return table('Games that it lost on the board, by the difference of seeds', ['game', 'against', 'as', 'seeds', 'plies'], lost.slice(0, WORST_GAMES).map((game) => {
    const isSouth = games.columns.south[game] === entrant;
    return [link({ game: games.id(game) }, games.id(game)), isSouth ? games.north(game) : games.south(game),
      isSouth ? 'South' : 'North', games.stores(game).join('–'), String(games.columns.plies[game])];
  }));
}
