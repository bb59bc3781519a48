// The students of a class: the podium, a card for each, and a list of those without a game.

/** The rows of those who play, without yardsticks. */
function rankedPlayers() {
  const yardsticks = new Set(summary.class?.yardsticks ?? []);
  return summary.standings.filter((row) => row.games > 0 && row.rank !== null && !yardsticks.has(row.entrant));
}

function rankRange(row) {
  const range = row.rank_low === null || row.rank_low === row.rank_high ? '' : ` (${row.rank_low}–${row.rank_high})`;
  return row.rank === null ? '' : `rank ${row.rank}${range}`;
}

function pointsText(student) {
  return student?.points == null ? null : `${student.points} of ${student.most_points} points`;
}

function studentOf(name) {
  return summary.class?.students.find((it) => it.name === name);
}

/** Who hides behind an alias, for the organiser alone; else null. */
function realName(name) {
  const people = summary.class?.secrets?.people ?? {};
  return Object.hasOwn(people, name) ? element('span', { class: 'dim hostile' }, ` ${harmless(people[name])}`) : null;
}

/** What was noticed about programs, or about that of one entrant; null if there is nothing. */
function programNotes(entrant) {
  const notes = (summary.class?.secrets?.notes ?? []).filter(([name, , other]) => [undefined, name, other].includes(entrant));
  if (notes.length === 0) return null;
  return section('Notes on programs', element('p', { class: 'dim' }, 'Evidence, never a verdict.'),
    table('What was noticed about programs', ['entrant', 'note', 'with', 'what was seen'], notes.map(([name, kind, other, seen]) => [
      [link({ entrant: name }, name), realName(name)], kind, [other, realName(other)], element('span', { class: 'hostile' }, harmless(seen))])));
}

/** The first three places, by the rules of the format if it has rounds; those of equal ranks are shared. */
function podium() {
  const places = summary.rounds && new Map(summary.rounds.places.map((it) => [it.entrant, it.place]));
  const by = (row) => (places ? places.get(row.entrant) : row.rank);
  const rows = rankedPlayers().sort((one, other) => by(one) - by(other));
  if (rows.length < 3 || (!places && new Set(rows.map((row) => row.pool)).size > 1)) return null;
  const placed = rows.map((row) => ({ row, place: 1 + rows.filter((it) => by(it) < by(row)).length }));
  return element('ol', { class: 'podium', 'aria-label': 'the first three' }, placed.filter(({ place }) => place <= 3).map(({ row, place }) => (
    element('li', { class: `place-${place}` },
      element('span', { class: 'place' }, String(place)),
      figure(row.entrant),
      link({ entrant: row.entrant }, row.entrant),
      element('span', { class: 'dim' }, [pointsText(studentOf(row.entrant)), rankRange(row)].filter((it) => it).join(' · '))))));
}

/** What has changed since the last week that was kept, or null. */
function changeSince(student, row) {
  const before = student.weeks.at(-1);
  const week = summary.class.weeks.at(-1);
  if (!before || before.rank === null || row.rank === null) return null;
  const by = before.rank - row.rank;
  const arrow = by > 0 ? '▲' : by < 0 ? '▼' : '=';
  const text = by === 0 ? `same rank as in ${week}` : `${Math.abs(by)} ${by > 0 ? 'up' : 'down'} since ${week}`;
  return element('span', { class: by > 0 ? 'up' : by < 0 ? 'down' : 'dim' }, element('span', { 'aria-hidden': 'true' }, `${arrow} `), text);
}

/** The points of all weeks and of now, as a line without axes. */
function sparkline(student) {
  const points = weekPoints(student);
  if (points.length < 2) return null;
  const x = (week) => 2 + (96 * (week - points[0][0])) / (points.at(-1)[0] - points[0][0]);
  const y = (value) => 22 - (20 * value) / (student.most_points || 1);
  const text = `points week by week: ${points.map(([, value]) => value).join(', ')}`;
  return shape('svg', { class: 'sparkline', viewBox: '0 0 100 24', role: 'img', 'aria-label': text },
    shape('polyline', { points: points.map(([week, value]) => `${x(week).toFixed(1)},${y(value).toFixed(1)}`).join(' ') }));
}

/** The weeks in which points are known, from 1, with the points; the last one is now. */
function weekPoints(student) {
  const all = [...student.weeks.map((it) => it.points), student.points];
  return all.flatMap((points, week) => (points === null ? [] : [[week + 1, points]]));
}

/** The points of a student over the weeks, or null. */
function weeksCurve(name) {
  const student = studentOf(name);
  const points = student ? weekPoints(student) : [];
  if (points.length < 2) return null;
  const names = [...summary.class.weeks, 'now'];
  const said = points.map(([week, value]) => `${names[week - 1]} ${value}`).join(', ');
  return section('Points week by week',
    linePlot({ label: `points: ${said}`, lines: [{ points }], xLabel: names.map((it, week) => `${week + 1} ${it}`).slice(-6).join(', '), yLabel: `points of ${student.most_points}` }),
    element('p', { class: 'dim' }, said));
}

/** A card for each student who plays, in the order of the standings. */
function studentCards() {
  const students = new Map(summary.class.students.map((it) => [it.name, it]));
  const rows = summary.standings.filter((row) => students.has(row.entrant) && row.status !== 'not-admitted');
  if (rows.length === 0) return null;
  return section('Students', element('ul', { class: 'cards' }, rows.map((row) => {
    const student = students.get(row.entrant);
    return element('li', {},
      named(row.entrant, link({ entrant: row.entrant }, row.entrant)), realName(row.entrant),
      element('span', {}, pointsText(student)),
      element('span', { class: 'dim' }, rankRange(row), row.status ? element('span', { class: 'status' }, ` ${row.status}`) : null),
      student.version === null ? null : element('span', { class: 'dim' }, student.version),
      changeSince(student, row), sparkline(student));
  })));
}

/** Those who are not admitted, or have handed in nothing. */
function notYetPlaying() {
  const playing = new Set(summary.standings.filter((row) => row.status !== 'not-admitted').map((row) => row.entrant));
  const names = new Set([...summary.standings.map((row) => row.entrant), ...(summary.class?.students ?? []).map((it) => it.name)]);
  const others = [...names].filter((name) => !playing.has(name));
  if (others.length === 0) return null;
  const rows = new Map(summary.standings.map((row) => [row.entrant, row]));
  return element('details', { class: 'not-playing' },
    element('summary', {}, `not yet playing (${others.length})`),
    element('ul', {}, others.map((name) => element('li', {},
      rows.has(name) ? named(name, link({ entrant: name }, name)) : named(name), realName(name),
      rows.get(name)?.reason ? element('span', { class: 'dim hostile' }, ` ${harmless(rows.get(name).reason)}`) : null))));
}
