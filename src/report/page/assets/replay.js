// The replay of one game: the board, its moves, what the bots said, and the fault that ended it.

async function gameView(games, parameters) {
  const game = games.find(parameters.game);
  if (game === undefined) {
    return [wholeView('No such game', element('p', {}, `${games.missing(parameters.game)} `, link({ view: 'games' }, 'All games')))];
  }
  currentPlayer = new Replay(games, game, await games.details(game));
  currentPlayer.go(Math.trunc(Number(parameters.ply)) || 0);
  return currentPlayer.nodes;
}

class Replay extends BoardPlayer {
  constructor(games, game, details) {
    super([games.south(game), games.north(game)], details);
    this.games = games;
    this.game = game;
    this.info = new Map(details.info);
    this.plot = null;
    this.exact = details.exact ? new ExactPart(details.exact, this.positions) : null;
    this.nodes = this.draw();
  }

  draw() {
    const { games, game } = this;
    const [south, north] = this.names;
    this.playButton.id = 'play';
    this.said = element('div', { class: 'said' });
    this.graph = element('div', { class: 'graph' });
    this.showGraph();
    this.list = element('ol', { class: 'moves', start: 1 }, [...this.details.moves].map((letter, ply) => this.moveItem(letter, ply)));
    return [element('section', { class: 'replay', 'aria-labelledby': 'game-heading' },
      element('h1', { id: 'game-heading', 'data-game': games.id(game) }, games.title(game)),
      element('p', {}, link({ entrant: south }, south), ' (South) against ', link({ entrant: north }, north), ' (North): ',
        element('strong', {}, games.result(game)), `, ${this.outcome()} after ${counted(this.last, 'ply', 'plies')}`),
      element('p', { class: 'facts' }, games.id(game), ' · opening ', link({ view: 'games', opening: games.columns.opening[game] }, String(games.columns.opening[game])),
        this.details.opening ? ` (${this.details.opening})` : '', ' · ', this.neighbour(-1, 'previous game'), ' · ', this.neighbour(1, 'next game')),
      element('p', { class: 'player north' }, named(north, `North: ${north}`)),
      this.board.node,
      element('p', { class: 'player south' }, named(south, `South: ${south}`)),
      this.controls(this.mistakeButton()),
      this.status,
      Board.legend({ played: 'played last', captured: 'seeds were taken', turn: 'on turn', ...(this.hasMistakes ? { hinted: 'the better move', mistaken: 'the mistake that follows' } : {}) }),
      element('div', { class: 'columns' },
        element('div', {}, element('h2', {}, 'Moves'), this.list),
        element('div', {}, element('h2', {}, this.exact ? 'Value' : 'Score that the bots gave'), this.graph, this.said)),
      this.faultSection(),
      this.copies())];
  }

  get hasMistakes() { return this.exact !== null && this.exact.mistakes.length > 0; }

  mistakeButton() {
    return this.hasMistakes ? element('button', { type: 'button', id: 'next-mistake', title: 'next mistake (m)', onclick: () => this.nextMistake() }, 'next mistake') : null;
  }

  /** Shows the position before the next mistake. */
  nextMistake() {
    if (this.hasMistakes) this.go(this.exact.after(this.ply).ply);
  }

  neighbour(by, text) {
    const other = this.game + by;
    return other >= 0 && other < this.games.count ? link({ game: this.games.id(other) }, text) : element('span', { class: 'dim' }, text);
  }

  moveItem(letter, ply) {
    const captured = this.captured.get(ply);
    const seeds = captured ? captured.reduce((sum, pit) => sum + this.sownAt(ply, pit), 0) : 0;
    const parts = [element('span', { class: 'letter' }, letter)];
    if (seeds) parts.push(element('span', { class: 'capture' }, ` ×${seeds}`));
    const mistake = this.exact?.mistake(ply);
    if (mistake) parts.push(element('span', { class: 'lost' }, ` ${mistake.mark} −${mistake.seeds}`, element('span', { class: 'hidden-text' }, ` lost ${counted(mistake.seeds, 'seed')}`)));
    parts.push(element('span', { class: 'time' }, ` ${readableTime(this.details.times[ply])}`));
    return element('li', {}, element('button', { type: 'button', class: 'move', onclick: () => this.go(ply + 1) }, parts));
  }

  /** The seeds in a pit after the sowing of a ply, before the capture. */
  sownAt(ply, pit) {
    const before = this.positions[ply];
    return before.after(this.move(ply).pit, []).pits[pit];
  }

  changed() {
    const { ply } = this;
    super.changed();
    history.replaceState(null, '', address({ game: this.games.id(this.game), ply: ply || undefined }));
    this.list.querySelector('[aria-current]')?.removeAttribute('aria-current');
    const item = ply ? this.list.children[ply - 1] : null;
    if (item) {
      item.firstChild.setAttribute('aria-current', 'true');
      this.list.scrollTop = item.offsetTop - this.list.clientHeight / 2;
    }
    this.plot?.moveMark(ply);
    const mistake = this.exact?.mistake(ply);
    this.board.showMistake(mistake ? LETTERS.indexOf(mistake.better ?? '?') : -1, mistake ? this.move(ply).pit : -1);
    this.showInfo();
  }

  /** The ending with its stores; those after a fault are not on the board. */
  outcome() {
    const { games, game } = this;
    return games.atFault(game) === null ? `${games.stores(game).join('–')} seeds, ${games.ending(game)}` : `lost by a fault, ${games.ending(game)},`;
  }

  statusText() {
    if (this.ply < this.last) return super.statusText() + this.valueText();
    return `the end after ${counted(this.last, 'ply', 'plies')}: ${this.outcome()} ${this.games.result(this.game)}`;
  }

  /** The exact value of the position, the mistake that led to it, and the one that follows. */
  valueText() {
    const { exact, ply } = this;
    if (exact === null || ply < exact.first) return '';
    const made = exact.mistake(ply - 1);
    const next = exact.mistake(ply);
    const told = ({ ply: at, seeds, better }, is) => {
      const than = better ? `; ${better} ${is} better` : '';
      return ` · ${this.details.moves[at]} ${is === 'was' ? 'lost' : 'loses'} ${counted(seeds, 'seed')}${than}`;
    };
    return ` · exact: South ${signed(exact.at(ply))}${made ? told(made, 'was') : ''}${next ? told(next, 'is') : ''}`;
  }

  /** The scores of both bots, each seen from South. */
  scores() {
    const lines = [{ points: [] }, { points: [] }];
    for (const [ply, text] of this.info) {
      const score = scoreOf(text);
      const side = this.positions[ply].toMove;
      if (score !== null) lines[side].points.push([ply + 1, side ? -score : score]);
    }
    return lines;
  }

  showGraph() {
    const lines = this.scores();
    if (this.exact !== null) {
      this.showValue(lines);
      return;
    }
    if (lines.every((line) => line.points.length === 0)) {
      this.graph.replaceChildren(element('p', { class: 'dim' }, summary.info_dropped
        ? 'What the bots said is left out: this page would be too large.'
        : 'The bots gave no score.'));
      return;
    }
    this.plot = linePlot({ label: 'scores over the game; above 0 South is better', lines, xLabel: 'ply', yLabel: 'seeds for South' });
    this.graph.replaceChildren(
      this.plot,
      element('p', { class: 'legend' },
        lines[0].points.length ? element('span', {}, element('span', { class: 'legend-0', 'aria-hidden': 'true' }, '● '), `${this.names[0]} `) : '',
        lines[1].points.length ? element('span', {}, element('span', { class: 'legend-1', 'aria-hidden': 'true' }, '■ '), this.names[1]) : ''),
      summary.info_dropped ? element('p', { class: 'dim' }, 'What the bots said may be cut to its score: this page would be too large.') : '');
  }

  /** The value over the game: what is known, and before that what the bots or the stores say. */
  showValue(scores) {
    const { exact } = this;
    const bound = Math.max(MOST_ESTIMATE, ...exact.values.map(Math.abs));
    const within = (value) => Math.max(-bound, Math.min(bound, value));
    const bots = scores.map(({ points }) => ({ points: points.map(([ply, score]) => [ply, within(score)]) }));
    const solved = exact.values.map((value, place) => [exact.first + place, value]);
    const lines = [...bots, { kind: 'estimate', points: [...this.estimates(bots), solved[0]] }, { kind: 'exact', points: solved }];
    const spots = exact.mistakes.filter(({ mark }) => mark !== '?!')
      .map(({ ply, after, mark, seeds }) => ({ x: ply + 1, y: after, text: `${this.details.moves[ply]}${mark} lost ${counted(seeds, 'seed')}` }));
    this.plot = linePlot({ label: 'the value over the game: by how many seeds South is ahead in the end', lines, spots, xLabel: 'ply', yLabel: 'seeds for South' });
    this.plot.classList.add('valued');
    const sample = (kind) => shape('svg', { class: 'sample', viewBox: '0 0 30 10', 'aria-hidden': 'true' }, shape('path', { class: `line line-${kind}`, d: 'M0 5 H30' }));
    const given = bots.map(({ points }) => points.length > 0);
    this.graph.replaceChildren(
      this.plot,
      element('p', { class: 'legend' },
        element('span', {}, sample('exact'), ` exact from ply ${exact.first} on, with perfect play · `),
        element('span', {}, sample('estimate'), ` ≈ before that: ${given.some((it) => it) ? 'the mean of what the bots said' : 'the seeds taken so far'}`),
        given[0] ? element('span', {}, ' · ', element('span', { class: 'legend-0', 'aria-hidden': 'true' }, '● '), this.names[0]) : '',
        given[1] ? element('span', {}, ' · ', element('span', { class: 'legend-1', 'aria-hidden': 'true' }, '■ '), this.names[1]) : ''),
      this.worstMoves());
  }

  /** Before the exact part: the mean of what both bots said last, or the difference of the stores. */
  estimates(bots) {
    const said = bots.map(({ points }) => new Map(points));
    const last = [undefined, undefined];
    return this.positions.slice(0, this.exact.first).map(({ stores }, ply) => {
      said.forEach((points, side) => { last[side] = points.get(ply) ?? last[side]; });
      const known = last.filter((it) => it !== undefined);
      const mean = known.reduce((sum, it) => sum + it, 0) / known.length;
      return [ply, known.length ? mean : stores[0] - stores[1]];
    });
  }

  worstMoves() {
    const worst = this.exact.worst(5);
    if (worst.length === 0) return element('p', {}, 'No move of the exact part lost a seed.');
    return element('p', { class: 'worst' }, `Most expensive of ${counted(this.exact.mistakes.length, 'mistake')} (next: m): `,
      worst.map(({ ply, seeds, mark, better }) => element('button', { type: 'button', onclick: () => this.go(ply) },
        `${ply + 1}. ${this.details.moves[ply]}${mark} −${seeds}${better ? `, better ${better}` : ''}`)));
  }

  showInfo() {
    const text = this.ply ? this.info.get(this.ply - 1) : undefined;
    this.said.replaceChildren(...(text === undefined ? [] : [
      element('h3', {}, `${this.names[this.positions[this.ply - 1].toMove]} said`),
      element('pre', { class: 'hostile' }, harmless(text))]));
  }

  faultSection() {
    const { fault } = this.details;
    const guilty = this.games.atFault(this.game);
    if (!fault || guilty === null) return null;
    return element('section', { class: 'fault-box', 'aria-labelledby': 'fault-heading' },
      element('h2', { id: 'fault-heading' }, `${guilty} lost by a fault: ${this.games.ending(this.game)}`),
      element('p', { class: 'hostile' }, harmless(fault.detail)),
      fault.advice ? element('p', {}, `What to do: ${fault.advice}`) : null,
      fault.standard_error ? [element('h3', {}, 'The end of its standard error'), element('pre', { class: 'hostile' }, harmless(fault.standard_error))] : null,
      fault.folder ? element('p', {}, 'Evidence: ', element('code', {}, fault.folder)) : null,
      fault.replay ? element('p', {}, element('code', {}, fault.replay), ' ', copyButton('copy the command that replays it to the bot', () => fault.replay)) : null);
  }

  copies() {
    return element('p', { class: 'copies' },
      copyButton('copy position', () => this.positions[this.ply].toString()),
      copyButton('copy moves so far', () => this.details.moves.slice(0, this.ply)),
      copyButton('copy the command that shows this game again', () => this.command()));
  }

  command() {
    const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
    if (summary.folder) return `awale replay ${quoted(summary.folder)} ${quoted(this.games.id(this.game))}`;
    const line = JSON.stringify({ ...summary.trace, position: this.details.start, moves: this.details.moves });
    return `printf '%s\\n' ${quoted(line)} | awale trace`;
  }
}

/** More seeds than there are: a bot that is sure to win may give any number. */
const MOST_SCORE = 50;

/** The number that a bot gave as its score, or null. */
function scoreOf(text) {
  try {
    const { score } = JSON.parse(text);
    return Number.isFinite(score) ? Math.max(-MOST_SCORE, Math.min(MOST_SCORE, score)) : null;
  } catch {
    return null;
  }
}
