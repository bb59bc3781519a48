// The games that are worth showing: upsets, long chains of captures, close games and short ones.

/** The most games of each kind, and of all. */
const MOST_OF_KIND = 3;
const MOST_SHOWN = 10;

/** The games with the highest values, the highest first; of equal ones the first. */
function highest(games, valueOf, most) {
  const found = [];
  for (let game = 0; game < games.count; game += 1) {
    const value = valueOf(game);
    if (value === null || (found.length === most && value <= found.at(-1).value)) continue;
    const place = found.findIndex((it) => it.value < value);
    found.splice(place < 0 ? found.length : place, 0, { game, value });
    found.length = Math.min(found.length, most);
  }
  return found.map((it) => it.game);
}

/** The first games of a list in which no two entrants meet twice. */
function withoutRepeated(games, list) {
  const met = new Set();
  const isNew = (game) => {
    const both = [games.columns.south[game], games.columns.north[game]].sort().join();
    return !met.has(both) && met.add(both);
  };
  return list.filter(isNew).slice(0, MOST_OF_KIND);
}

/** For each kind its games, with a sentence each and the ply that is shown first. */
function kindsOfHighlights(games) {
  const { columns } = games;
  const rows = new Map(summary.standings.map((row) => [row.entrant, row]));
  const yardsticks = new Set(summary.class?.yardsticks ?? []);
  const isShown = (game) => columns.fault[game] === 0 && !(yardsticks.has(games.south(game)) && yardsticks.has(games.north(game)));
  const sides = (game) => {
    const both = [games.south(game), games.north(game)];
    return columns.winner[game] === 2 ? both.reverse() : both;
  };
  const seeds = (game) => [...games.stores(game)].sort((one, other) => other - one).join(' to ');
  const kind = (name, list, sentence) => list.map((game) => ({ kind: name, game, ply: 0, sentence: sentence(game, ...sides(game)) }));
  const upset = (game) => {
    if (!isShown(game) || columns.winner[game] === 0) return null;
    const [winner, loser] = sides(game).map((name) => rows.get(name));
    const isUpset = winner && loser && winner.rank > loser.rank && loser.rank !== null && winner.elo !== null && loser.elo !== null;
    return isUpset ? loser.elo - winner.elo : null;
  };
  const close = (game) => {
    const [south, north] = games.stores(game);
    return isShown(game) && columns.plies[game] > 0 ? columns.plies[game] / 1e6 - Math.abs(south - north) : null;
  };
  const short = (game) => (isShown(game) && columns.winner[game] !== 0 ? -columns.plies[game] : null);
  const ranked = (name) => `${name} (rank ${rows.get(name).rank})`;
  const few = 8 * MOST_OF_KIND;
  return [
    kind('upset', withoutRepeated(games, highest(games, upset, few)), (game, winner, loser) => `${ranked(winner)} beats ${ranked(loser)}, ${seeds(game)}`),
    summary.chains.slice(0, MOST_OF_KIND).map(({ pits, game, ply }) => ({
      kind: 'chain', game, ply, sentence: `${ply % 2 ? games.north(game) : games.south(game)} empties ${counted(pits, 'pit')} of ${ply % 2 ? games.south(game) : games.north(game)} with one move`,
    })),
    kind('close', withoutRepeated(games, highest(games, close, few)), (game, one, other) => (columns.winner[game] === 0
      ? `${one} and ${other} share the seeds after ${counted(columns.plies[game], 'ply', 'plies')}`
      : `${one} beats ${other} ${seeds(game)} after ${counted(columns.plies[game], 'ply', 'plies')}`)),
    kind('short', withoutRepeated(games, highest(games, short, few)), (game, winner, loser) => `${winner} beats ${loser} in ${counted(columns.plies[game], 'ply', 'plies')}`),
  ];
}

/** The best games of all kinds in turn, each once. */
function worthShowing(games) {
  const kinds = kindsOfHighlights(games);
  const all = Array.from({ length: MOST_OF_KIND }, (_, place) => kinds.map((list) => list[place])).flat();
  const known = new Set();
  const isNew = (it) => it !== undefined && !known.has(it.game) && known.add(it.game);
  return all.filter(isNew).slice(0, MOST_SHOWN);
}

function highlights(games) {
  const shown = worthShowing(games);
  if (shown.length === 0) return null;
  return section('Games worth showing',
    element('ul', { class: 'highlights' }, shown.map(({ kind, game, ply, sentence }) => element('li', {},
      element('span', { class: `kind kind-${kind}` }, kind),
      link({ game: games.id(game), ply: ply || undefined }, sentence)))),
    element('p', {}, link({ view: 'show' }, 'Show these games one after the other, on the whole screen')));
}
