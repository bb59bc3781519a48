// The bracket, the rounds and the places, where results decide who meets whom.

/** The rounds that the reader has opened or closed, by number: a live page is drawn again and again. */
const openedRounds = new Map();

function roundSections() {
  if (!summary.rounds) return [];
  const { matches, places, bracket } = summary.rounds;
  return [
    bracket.length ? section('Bracket', ...bracketTrees(bracket)) : null,
    matches.length ? section('Rounds', ...roundList(matches)) : null,
    places.length ? section('Places', placesTable(places)) : null,
  ];
}

/** Adjacent rows with the same key, as a list of lists. */
function grouped(rows, keyOf) {
  const groups = [];
  for (const row of rows) {
    const last = groups.at(-1);
    if (last && keyOf(last[0]) === keyOf(row)) last.push(row);
    else groups.push([row]);
  }
  return groups;
}

/** A tree for each knockout: where a round has not half the matches of the one before, another begins. */
function bracketTrees(bracket) {
  const trees = [];
  for (const matches of grouped(bracket, (row) => row.round)) {
    const before = trees.at(-1)?.at(-1);
    if (before?.length === 2 * matches.length) trees.at(-1).push(matches);
    else trees.push([matches]);
  }
  return trees.map(bracketTree);
}

/** A column for each round; each match stands beside the two that lead to it. */
function bracketTree(rounds) {
  return element('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': `bracket from ${rounds[0][0].round}` },
    element('div', { class: 'bracket' }, rounds.map((matches) => element('section', { 'aria-label': matches[0].round },
      element('h3', {}, matches[0].round),
      element('ol', {}, matches.map(bracketMatch))))));
}

/** How many games of a match are to come in the newest round: until then its winner only leads. */
function gamesToCome(row) {
  const { matches } = summary.rounds;
  const own = matches.find((it) => it.round === matches.at(-1).round
    && [row.first, row.second].every((name) => [it.first, it.second].includes(name)));
  return own && row.decided_by !== 'withdrawal' ? 2 * own.pairs - own.games : 0;
}

function bracketMatch(match) {
  const toCome = gamesToCome(match);
  const row = toCome ? { ...match, winner: null, decided_by: '' } : match;
  const isPlayed = row.pairs > 0 && row.points_first + row.points_second > 0;
  const decided = ['', 'points', 'bye'].includes(row.decided_by) ? null : `decided by ${row.decided_by}`;
  const how = toCome ? `${counted(toCome, 'game')} to come` : decided;
  return element('li', {}, element('div', { class: 'bracket-match', title: row.part },
    bracketSide(row, row.first, isPlayed ? row.points_first : ''),
    bracketSide(row, row.second, isPlayed ? row.points_second : ''),
    how ? element('div', { class: 'dim' }, how) : null));
}

/** A side without an entrant is a bye, if the match is decided; else the match is to come. */
function bracketSide(row, name, points) {
  if (name === '') return element('div', { class: 'bracket-side dim' }, row.decided_by === 'bye' ? 'bye' : '–');
  const isWinner = name === row.winner;
  return element('div', { class: isWinner ? 'bracket-side winner' : 'bracket-side', title: name },
    figure(name), link({ entrant: name }, name),
    element('span', { class: 'points' }, String(points)),
    isWinner ? element('span', { class: 'goes-on' }, '✓', element('span', { class: 'hidden-text' }, ' wins')) : null);
}

/** The rounds, the newest first and open. */
function roundList(matches) {
  const rounds = grouped(matches, (row) => row.round).reverse();
  return rounds.map((rows, place) => {
    const [{ round, name, stage }] = rows;
    const title = [stage === null ? '' : `stage ${stage}`, name].filter((it) => it).join(', ');
    const open = openedRounds.get(round) ?? place === 0;
    return element('details', { class: 'round', open },
      element('summary', { onclick: (event) => openedRounds.set(round, !event.currentTarget.parentNode.open) }, title), ...roundContent(title, rows));
  });
}

/** The matches of a round, each group or division by itself, and its byes. */
function roundContent(title, rows) {
  const met = rows.filter((row) => row.second !== '');
  const byes = rows.filter((row) => row.second === '');
  const parts = grouped(met, (row) => row.part);
  // Every match of a knockout has a part of its own: a heading for each would say nothing.
  const isParted = parts.some((part) => part.length > 1) && parts[0][0].part !== '';
  return [
    ...(isParted
      ? parts.flatMap((part) => [element('h3', {}, part[0].part), matchTable(`${title}, ${part[0].part}`, part)])
      : met.length ? [matchTable(title, met)] : []),
    byes.length ? element('p', {}, byes.length === 1 ? 'bye: ' : 'byes: ',
      byes.flatMap((row, place) => [place ? ', ' : '', link({ entrant: row.first }, row.first)])) : null,
  ];
}

function matchTable(title, rows) {
  return table(`Matches of ${title}`, ['first', 'second', 'points', 'match points', 'games'], rows.map((row) => [
    link({ entrant: row.first }, row.first),
    link({ entrant: row.second }, row.second),
    row.games ? `${row.points_first} : ${row.points_second}` : '',
    row.match_points_first + row.match_points_second ? `${row.match_points_first} : ${row.match_points_second}` : '',
    link({ view: 'games', entrant: row.first, opponent: row.second }, row.games === 2 * row.pairs ? String(row.games) : `${row.games} of ${2 * row.pairs}`),
  ]));
}

/** By the rules of the format; the standings are by Elo. */
function placesTable(places) {
  const hasBuchholz = places.some((row) => row.buchholz !== null);
  return table('Places by the rules of the format', ['entrant', 'place', 'match points', 'game points', ...(hasBuchholz ? ['Buchholz'] : [])],
    places.map((row) => [
      named(row.entrant, link({ entrant: row.entrant }, row.entrant)),
      String(row.place), String(row.match_points), String(row.points),
      ...(hasBuchholz ? [String(row.buchholz ?? '')] : []),
    ]), { id: 'places' });
}
