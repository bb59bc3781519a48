// The first view: what happened, the standings, who beat whom.

const FAULT_LINK = { view: 'games', fault: 'any' };

function overview(games) {
  return [
    element('section', { 'aria-labelledby': 'happened' },
      element('h1', { id: 'happened' }, summary.tournament),
      summary.headline.map((sentence) => element('p', { class: 'headline' }, sentence)),
      element('p', { class: 'facts' }, summary.facts.join(' · '))),
    podium(),
    summary.class ? studentCards() : null,
    ...roundSections(),
    highlights(games),
    section('Standings', standings()),
    notYetPlaying(),
    summary.test ? section('Sequential test', sequentialTest()) : null,
    summary.faults.length ? section('Faults', faultTable(summary.faults)) : null,
    summary.endgames ? section('Accuracy', accuracyTable(summary.endgames), reversalTable(summary.endgames.reversals)) : null,
    summary.hosts ? section('Hosts', hostTable(summary.hosts)) : null,
    summary.notes.length ? section('Notes', element('ul', { class: 'notes' }, summary.notes.map((note) => element('li', {}, note)))) : null,
    programNotes(),
    summary.crosstable.length ? section('Who beat whom', crosstable()) : null,
    summary.superiority.some(([, , los]) => los !== null) && summary.names.length > 2 ? section('Who is stronger', superiority()) : null,
  ];
}

function section(heading, ...content) {
  return headed('h2', heading, content);
}

/** The only section of a view. */
function wholeView(heading, ...content) {
  return headed('h1', heading, content);
}

function headed(level, heading, content) {
  const id = `section-${heading.toLowerCase().replaceAll(' ', '-')}`;
  return element('section', { 'aria-labelledby': id }, element(level, { id }, heading), ...content);
}

/**
 * The columns of the standings: heading, cell, and the value that sorts them. The first click on a
 * heading puts the best first: the largest values where `isMore`, else the smallest.
 */
function standingsColumns() {
  const bar = eloScale(summary.standings);
  const ranks = (row) => (row.rank_low === row.rank_high ? String(row.rank_low) : `${row.rank_low}–${row.rank_high}`);
  return [
    { heading: '#', cell: (row) => row.rank ?? '–', by: (row) => row.rank },
    { heading: 'entrant', cell: (row) => nameCell(row), by: (row) => row.entrant },
    { heading: 'Elo, 95 %', cell: rating, by: (row) => row.rank, number: true },
    { heading: 'on a scale', cell: (row) => bar(row) },
    { heading: 'ranks', cell: (row) => (row.rank_low === null ? '' : ranks(row)), by: (row) => row.rank_low, number: true },
    { heading: 'score', cell: (row) => perCent(row.score), by: (row) => row.score, isMore: true, number: true },
    { heading: 'games', cell: (row) => link({ view: 'games', entrant: row.entrant }, String(row.games)), by: (row) => row.games || null, isMore: true, number: true },
    { heading: 'won, drawn, lost', cell: (row) => [row.wins, row.draws, row.losses].map((it) => element('span', { class: 'wdl' }, String(it))).concat(row.games ? [resultBar(row)] : []), by: (row) => (row.games ? row.wins : null), isMore: true },
    { heading: 'faults', cell: (row) => faultCell(row), by: (row) => row.fault_count, isMore: true, number: true },
    { heading: 'as South', cell: (row) => perCent(row.first_player_score), by: (row) => row.first_player_score, isMore: true, number: true },
    { heading: 'time a move', cell: (row) => readableTime(row.mean_time_us), by: (row) => row.mean_time_us, number: true },
    { heading: 'longest', cell: (row) => readableTime(row.max_time_us), by: (row) => row.max_time_us, number: true },
  ];
}

function nameCell(row) {
  const status = row.status ? element('span', { class: 'status', title: row.reason }, ` ${row.status.replace('-', ' ')}`) : null;
  const title = row.calls_itself === null ? null : `calls itself ${harmless(row.calls_itself)}`;
  const clock = row.clock === '' ? null : ` (${row.clock})`;
  return element('span', { title }, named(row.entrant, link({ entrant: row.entrant }, row.entrant)), clock, status);
}

function faultCell(row) {
  if (row.fault_count === 0) return '0';
  const kinds = Object.entries(row.faults).map(([kind, number]) => `${number} ${kind}`).join(', ');
  return element('span', { class: 'fault', title: kinds },
    link({ ...FAULT_LINK, entrant: row.entrant }, String(row.fault_count)));
}

/** How the standings are sorted: the heading of a column, or null for their own order. */
let standingsOrder = null;
let isOrderReversed = false;

function standings() {
  const columns = standingsColumns();
  const body = element('tbody');
  const heads = columns.map((column) => {
    if (!column.by) return element('th', { scope: 'col' }, column.heading);
    return element('th', { scope: 'col' }, element('button', { type: 'button', class: 'sort', onclick: () => sortBy(column) }, column.heading));
  });
  function sortBy(column) {
    isOrderReversed = standingsOrder === column.heading ? !isOrderReversed : Boolean(column.isMore);
    standingsOrder = column.heading;
    show();
  }
  function show() {
    const rows = summary.standings.filter((row) => row.status !== 'not-admitted');
    const sorted = columns.find((column) => column.heading === standingsOrder);
    if (sorted) {
      rows.sort((one, other) => compare(sorted.by(one), sorted.by(other), isOrderReversed));
    }
    heads.forEach((head, place) => {
      if (columns[place] === sorted) head.setAttribute('aria-sort', isOrderReversed ? 'descending' : 'ascending');
      else head.removeAttribute('aria-sort');
    });
    body.replaceChildren(...rows.map((row) => element('tr', { 'data-entrant': row.entrant }, columns.map((column, place) => (place === 1
      ? element('th', { scope: 'row' }, column.cell(row))
      : element('td', { class: column.number ? 'number' : null, 'data-heading': column.heading }, column.cell(row)))))));
  }
  show();
  return element('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'standings' },
    element('table', { id: 'standings', class: 'stacks' },
      element('caption', { class: 'hidden-text' }, 'Standings; the headings sort the table'),
      element('thead', {}, element('tr', {}, heads)), body));
}

/** Values that are missing come last, whatever the direction. */
function compare(one, other, isReversed) {
  if (one === null || other === null) return (one === null) - (other === null);
  const order = one < other ? -1 : one > other ? 1 : 0;
  return isReversed ? -order : order;
}

/** How dark a score is: five steps to each side of an even one, blue above and orange below. */
function heat(share) {
  if (share === null || share === undefined) return '';
  const step = Math.min(5, Math.round(Math.abs(share - 0.5) * 10));
  return step === 0 ? 'heat' : `heat heat-${share > 0.5 ? 'high' : 'low'}-${step}`;
}

/** Entrants in the order of the standings. */
function ranked() {
  return summary.standings.map((row) => row.entrant);
}

/** Those of them who have played. */
function played() {
  return summary.standings.filter((row) => row.games > 0).map((row) => row.entrant);
}

const NARROW = 'The matrix needs a wider screen: turn the phone, or open this page on a computer.';

function matrix(caption, names, cell) {
  return [element('p', { class: 'narrow dim' }, NARROW), element('div', { class: 'scroll wide', tabindex: 0, role: 'group', 'aria-label': caption },
    element('table', { class: 'matrix' },
      element('caption', {}, caption),
      element('thead', {}, element('tr', {}, element('td'), names.map((name, place) => (
        element('th', { scope: 'col', title: name }, element('span', {}, `${place + 1}`), element('span', { class: 'hidden-text' }, ` ${name}`)))))),
      element('tbody', {}, names.map((name, place) => element('tr', {},
        element('th', { scope: 'row' }, `${place + 1} `, link({ entrant: name }, name)),
        names.map((other) => (other === name ? element('td', { class: 'self' }, '') : cell(name, other))))))))];
}

function crosstable() {
  const cells = new Map(summary.crosstable.map((row) => [`${row.entrant}\n${row.opponent}`, row]));
  return matrix('Share of the points of the row against the column, in %', played(), (entrant, opponent) => {
    const row = cells.get(`${entrant}\n${opponent}`);
    if (!row) return element('td', {}, '');
    const text = `${entrant} against ${opponent}: ${row.wins} won, ${row.draws} drawn, ${row.losses} lost`;
    return element('td', { class: heat(row.score), title: text },
      link({ view: 'games', entrant, opponent }, String(Math.round(100 * row.score))));
  });
}

function superiority() {
  const cells = new Map(summary.superiority.map(([entrant, opponent, los]) => [`${entrant} ${opponent}`, los]));
  const number = new Map(summary.names.map((name, place) => [name, place]));
  return matrix('Probability that the row is stronger than the column, in %', played(), (entrant, opponent) => {
    const los = cells.get(`${number.get(entrant)} ${number.get(opponent)}`);
    if (los === undefined || los === null) return element('td', {}, '');
    return element('td', { class: heat(los), title: `${entrant} is stronger than ${opponent}: ${perCent(los)}` }, percentOfLos(los));
  });
}

function percentOfLos(los) {
  if (los >= 0.995) return '>99';
  if (los <= 0.005) return '<1';
  return String(Math.round(100 * los));
}

function sequentialTest() {
  const { path, lower, upper, verdict } = summary.test;
  const points = path.map((llr, pairs) => [pairs, llr]);
  return [element('p', {}, verdict),
    linePlot({
      label: `log-likelihood ratio after ${counted(path.length - 1, 'pair')}: ${path.at(-1)}; bounds ${lower} and ${upper}`,
      lines: [{ points }],
      xLabel: 'pairs that count',
      yLabel: 'log-likelihood ratio',
      levels: [{ y: upper, text: `accept H1: ${upper}` }, { y: lower, text: `accept H0: ${lower}` }],
    })];
}

const HOSTS = 'Where games were played; and the entrant whose points there fit its rating least, with their distance from it in standard errors (σ)';

function hostTable(hosts) {
  return table(HOSTS, ['host', 'games', 'voids', 'median delay', 'longest delay', 'fits least'],
    hosts.map((row) => [
      row.host ? element('span', { class: 'hostile' }, harmless(row.host)) : element('em', {}, 'this machine'),
      String(row.games),
      String(row.voids),
      readableTime(row.median_late_time_us),
      readableTime(row.max_late_time_us),
      row.z === null ? '' : [
        link({ entrant: row.entrant }, row.entrant),
        ` ${row.z < 0 ? '−' : '+'}${Math.abs(row.z).toFixed(1)} σ`,
        row.beyond_chance === 'yes' ? element('span', { class: 'fault' }, ', beyond chance') : null,
      ],
    ]));
}

/** A row for each entrant; its rows as South and as North stand in their own columns. */
function accuracyTable({ seeds, accuracy }) {
  const caption = `Moves with at most ${seeds} seeds on the board, against perfect play: seeds lost a move, and moves that threw a result away`;
  const of = (entrant, side) => accuracy.find((row) => row.entrant === entrant && row.side === side);
  const lost = (row) => (row.moves ? row.mean_seeds_lost.toFixed(2) : '–');
  return table(caption, ['entrant', 'moves', 'best', 'seeds lost', 'as South', 'as North', 'won → drawn', 'won → lost', 'drawn → lost', 'by no move'],
    accuracy.filter((row) => row.side === 'both').map((row) => [
      link({ entrant: row.entrant }, row.entrant),
      String(row.moves),
      row.moves ? perCent(row.best_share) : '–',
      lost(row),
      lost(of(row.entrant, 'south')),
      lost(of(row.entrant, 'north')),
      String(row.won_to_drawn),
      String(row.won_to_lost),
      String(row.drawn_to_lost),
      String(row.worse_by_fault + row.worse_by_resignation + row.worse_by_adjudication + row.worse_by_agreement),
    ]));
}

function reversalTable(games) {
  if (!games.length) {
    return null;
  }
  const caption = 'Games with another result than was due when so few seeds were left: some of them, those with most lost seeds first';
  return table(caption, ['game', 'from ply', 'was due', 'came', 'South lost', 'North lost', 'ending'],
    games.map((row) => [
      link({ game: row.id, ply: row.ply }, row.id),
      String(row.ply),
      row.due,
      row.result,
      String(row.seeds_lost_south),
      String(row.seeds_lost_north),
      row.ending,
    ]));
}

function faultTable(faults) {
  return table('Faults that count; like ones of an entrant once', ['entrant', 'fault', 'games', 'what happened', 'what to do', 'evidence'],
    faults.map((fault) => [
      link({ entrant: fault.entrant }, fault.entrant),
      fault.kind || 'not examined',
      fault.game ? [link({ game: fault.game, ply: fault.plies }, String(fault.count))] : 'not admitted',
      element('span', { class: 'hostile' }, harmless(fault.detail)),
      fault.advice ?? (fault.folder ? 'read its evidence, and repeat the fault with awale replay-to-bot' : ''),
      fault.folder ? element('code', {}, fault.folder) : '',
    ]));
}
