// What is being played, above the views: how far the run is, the boards, and what has just happened.

/** More boards are shown when they are asked for. */
const FEW_BOARDS = 4;
const LATEST = 8;

class LiveSection {
  constructor() {
    this.boards = new Map();
    this.latest = [];
    this.showsAll = false;
    this.state = element('p', { id: 'live-state', role: 'status' }, 'waiting for the run');
    this.progress = element('progress', { 'aria-label': 'games played' });
    this.grid = element('div', { class: 'live-boards' });
    this.rings = Board.legend({ played: 'played last', captured: 'seeds were taken', turn: 'on turn' });
    this.more = element('button', { type: 'button', hidden: true, onclick: () => { this.showsAll = !this.showsAll; } });
    this.list = element('ul', { class: 'latest', 'aria-label': 'latest results' });
    this.node = element('section', { class: 'live', 'aria-label': 'live' },
      element('div', { class: 'live-line' }, this.state, this.progress), this.grid, this.rings, this.more, this.list);
    document.getElementById('main').before(this.node);
  }

  /** A moment of the run: the games in play, and how many were played. */
  show({ done, total, boards }) {
    this.state.textContent = `live: ${done.toLocaleString('en')} of ${counted(total, 'game')}`;
    this.progress.max = Math.max(total, 1);
    this.progress.value = done;
    const shown = this.showsAll ? boards : boards.slice(0, FEW_BOARDS);
    const slots = new Set(shown.map((board) => board.slot));
    for (const [slot, board] of this.boards) {
      if (!slots.has(slot)) {
        board.node.remove();
        this.boards.delete(slot);
      }
    }
    for (const game of shown) this.boardOf(game.slot).show(game);
    this.more.hidden = boards.length <= FEW_BOARDS;
    this.more.textContent = this.showsAll ? 'show fewer boards' : `show all ${boards.length} boards`;
  }

  boardOf(slot) {
    if (!this.boards.has(slot)) {
      const board = new LiveBoard();
      this.boards.set(slot, board);
      this.grid.append(board.node);
    }
    return this.boards.get(slot);
  }

  /** An event of the run, which goes to the top of the list if it is news. */
  hear(event) {
    const line = eventLine(event);
    if (line === null) return;
    this.latest.unshift(line);
    this.latest.length = Math.min(this.latest.length, LATEST);
    this.list.replaceChildren(...this.latest);
  }

  /** Nothing more is played. */
  end(text) {
    this.state.textContent = text;
    this.grid.replaceChildren();
    this.rings.remove();
    this.more.hidden = true;
    this.boards.clear();
  }
}

/** An event of the run in a line, or null for one that is not news. */
function eventLine(event) {
  const item = (...content) => element('li', { class: 'hostile' }, ...content);
  switch (event.event) {
    case 'game': {
      const result = { south: '1-0', north: '0-1', draw: '1/2-1/2' }[event.result] ?? 'void';
      const fault = event.fault_side ? element('span', { class: 'fault' }, ` ${event.ending}`) : '';
      const name = event.result === null ? event.game : link({ game: event.game }, event.game);
      return item(name, ` ${harmless(event.south)} – ${harmless(event.north)} ${result}`, fault);
    }
    case 'admission':
      return item(`${harmless(event.entrant)} is ${event.admitted ? 'admitted' : `not admitted: ${harmless(event.detail ?? '')}`}`);
    case 'withdrawn': return item(element('span', { class: 'fault' }, `${harmless(event.entrant)} is withdrawn: ${counted(event.faults, 'fault')} in ${counted(event.games, 'game')}`));
    case 'open': return item(`${event.pair} stays open, and is played again later: ${harmless(event.cause)}`);
    case 'warning': return item(`warning: ${harmless(event.text)}`);
    case 'stopping': return item('the run is being stopped');
    default: return null;
  }
}

/** The board of a slot, with the names and clocks of who plays on it. */
class LiveBoard {
  constructor() {
    this.game = null;
    this.moves = '';
    this.node = element('div', { class: 'live-board' });
  }

  show(now) {
    if (now.game !== this.game) {
      this.game = now.game;
      this.moves = null;
      this.board = new Board([harmless(now.south), harmless(now.north)]);
      // A screen reader would have to read every board aloud, several times a second.
      this.board.text.setAttribute('aria-live', 'off');
      this.players = ['south', 'north'].map((side) => element('p', { class: `player ${side}` }));
      this.node.replaceChildren(element('h3', { title: now.game }, now.game), this.players[1], this.board.node, this.players[0]);
    }
    const position = Position.parse(now.position);
    this.showPosition(now, position);
    this.players.forEach((line, side) => {
      line.textContent = `${harmless(side ? now.north : now.south)} · ${clockText(now, side, position.toMove === side)}`;
      line.classList.toggle('on-turn', position.toMove === side);
    });
  }

  showPosition(now, position) {
    const [before, after] = [this.moves, now.moves];
    if (before === after) return;
    this.moves = after;
    const isNext = before !== null && after.length === before.length + 1 && after.startsWith(before);
    const last = isNext ? lastMove(this.board.shown, after, position) : null;
    if (last) this.board.play(last.pit, last.captured, 2);
    else this.board.show(position);
  }
}

/** What is left of a bank, and how long the side on turn has thought. */
function clockText(now, side, isOnTurn) {
  if (now.thinking_ms === null) return 'gets ready';
  const thought = isOnTurn ? now.thinking_ms : 0;
  const used = isOnTurn ? `thinks ${readableTime(1000 * thought)}` : 'waits';
  const [bank, limit] = [now.banks_ms[side], now.move_limits_ms[side]];
  if (bank !== null) return `${used} · ${readableTime(1000 * Math.max(0, bank - thought))} left`;
  return limit === null || !isOnTurn ? used : `${used} of ${readableTime(1000 * limit)}`;
}
