// Show mode: the games worth showing one after the other, each on the whole screen.

/** How long the end of a game stays, in ms. */
const REST = 5000;
/** A game is shown in about so many ms, if a speed does that; a ply takes so many at speed 1. */
const GAME_TIME = 60_000;
const PLY_TIME = 1_300;

async function showView(games) {
  const list = worthShowing(games);
  if (list.length === 0) return [wholeView('Nothing to show', element('p', {}, 'No game was played to its end yet. ', link({}, 'Overview')))];
  const show = new Show(games, list);
  await show.begin(0);
  return [show.node];
}

/** A game of the show. At its end the next one comes. */
class ShownGame extends BoardPlayer {
  constructor(names, details, show) {
    super(names, details);
    this.show = show;
    this.speed = SPEEDS.find((speed) => (this.last * PLY_TIME) / speed <= GAME_TIME) ?? SPEEDS.at(-1);
    this.speed = Math.max(1, this.speed);
    this.players = [0, 1].map((side) => {
      const seeds = element('strong', {});
      return { seeds, line: element('p', { class: 'player' }, named(names[side]), ' ', seeds) };
    });
  }

  changed() {
    super.changed();
    const { stores, toMove } = this.positions[this.ply];
    this.players.forEach(({ seeds, line }, side) => {
      seeds.textContent = String(stores[side]);
      line.classList.toggle('on-turn', side === toMove && this.ply < this.last);
    });
  }

  ended() {
    this.status.textContent = this.show.result();
    this.timer = setTimeout(() => this.show.go(1), REST);
  }

  next() { this.show.go(1); }
}

class Show {
  constructor(games, list) {
    this.games = games;
    this.list = list;
    this.number = 0;
    this.node = element('section', { class: 'show-mode', 'aria-label': 'show' });
  }

  /** Shows another game, after the last one the first. */
  async go(by) {
    const player = currentPlayer;
    player?.pause();
    await this.begin((this.number + by + this.list.length) % this.list.length);
  }

  async begin(number) {
    const { games } = this;
    const { game, sentence } = this.list[number];
    this.number = number;
    const details = await games.details(game);
    const player = new ShownGame([games.south(game), games.north(game)], details, this);
    const button = (text, label, action) => element('button', { type: 'button', 'aria-label': label, onclick: action }, text);
    this.node.replaceChildren(
      element('h1', {}, sentence),
      player.players[1].line, player.board.node, player.players[0].line,
      element('div', { class: 'controls' },
        button('◄', 'previous game', () => this.go(-1)),
        player.playButton,
        button('►', 'next game (n)', () => this.go(1)),
        player.slider,
        document.fullscreenEnabled ? button('whole screen', 'whole screen', () => toggleFullScreen()) : null,
        link({}, 'leave')),
      element('div', { class: 'status-line' }, `game ${number + 1} of ${this.list.length} · `, player.status));
    currentPlayer = player;
    player.go(0);
    player.toggle();
  }

  /** How the game that is shown ended. */
  result() {
    const { game } = this.list[this.number];
    const { games } = this;
    return `${games.stores(game).join(' to ')}, ${games.ending(game)}`;
  }
}

function toggleFullScreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen().catch(() => null);
}
