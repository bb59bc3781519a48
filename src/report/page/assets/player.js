// A game on a board that plays: its positions, and what steps through them.

const SPEEDS = [0.5, 1, 2, 4, 16];
/** How long a position stands still while a game plays by itself, in ms at speed 1. */
const PAUSE = 600;

/** The game that the keys step through. */
let currentPlayer = null;

/** Whether nothing may move on this screen. */
function isStill() {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
}

class BoardPlayer {
  /** `details` has the start, the moves and the captures; the row of `bottom` is the lower one. */
  constructor(names, details, bottom = 0) {
    this.names = names;
    this.details = details;
    this.captured = new Map(details.captured.map(([ply, pits]) => [ply, [...pits].map((pit) => LETTERS.indexOf(pit))]));
    this.positions = this.allPositions();
    this.ply = 0;
    this.timer = null;
    this.speed = 1;
    this.board = new Board(names, bottom);
    this.slider = element('input', { type: 'range', min: 0, max: this.last, value: 0, 'aria-label': 'ply', oninput: (event) => this.go(Number(event.target.value)) });
    this.playButton = element('button', { type: 'button', onclick: () => this.toggle() }, '► play');
    this.status = element('p', { class: 'status-line', 'aria-live': 'polite' });
  }

  /** The position before each ply, and after the last one. */
  allPositions() {
    let position = Position.parse(this.details.start);
    const all = [position];
    [...this.details.moves].forEach((letter, ply) => {
      position = position.after(LETTERS.indexOf(letter), this.captured.get(ply) ?? []);
      all.push(position);
    });
    return all;
  }

  get last() { return this.positions.length - 1; }

  move(ply) {
    return { pit: LETTERS.indexOf(this.details.moves[ply]), captured: this.captured.get(ply) ?? [] };
  }

  /** The buttons; `more` stand beside them. */
  controls(...more) {
    const button = (text, label, onclick) => element('button', { type: 'button', 'aria-label': label, title: label, onclick }, text);
    return element('div', { class: 'controls' },
      button('|◄', 'first position (Home)', () => this.go(0)),
      button('◄', 'back (left arrow)', () => this.step(-1)),
      this.playButton,
      button('►', 'forward (right arrow)', () => this.step(1)),
      button('►|', 'last position (End)', () => this.go(this.last)),
      more,
      this.slider,
      element('label', {}, 'speed ', element('select', { 'aria-label': 'speed', onchange: (event) => { this.speed = Number(event.target.value); } },
        SPEEDS.map((speed) => element('option', { value: speed, selected: speed === 1 }, `× ${speed}`)))));
  }

  /** Shows the position after so many plies, at once. */
  go(ply) {
    this.pause();
    this.ply = Math.max(0, Math.min(this.last, ply));
    this.board.show(this.positions[this.ply], this.ply ? this.move(this.ply - 1) : null);
    this.changed();
  }

  /** Goes a ply on or back. Forward, the seeds move. Returns how long that takes, in ms. */
  step(by) {
    if (by < 0) this.pause();
    if (by < 0 || this.ply === this.last || isStill()) {
      // A game that plays by itself goes on from position to position.
      const { timer } = this;
      this.timer = null;
      this.go(this.ply + by);
      this.timer = timer;
      return 0;
    }
    this.board.show(this.positions[this.ply]);
    const { pit, captured } = this.move(this.ply);
    const time = this.board.play(pit, captured, this.speed);
    this.ply += 1;
    this.changed();
    return time;
  }

  toggle() {
    if (this.timer !== null) {
      this.pause();
      return;
    }
    if (this.ply === this.last) this.go(0);
    this.playButton.textContent = '‖ pause';
    this.timer = 0;
    this.playOn();
  }

  /** Plays the next ply, and those after it, until the end. */
  playOn() {
    if (this.ply === this.last) {
      this.pause();
      this.ended();
      return;
    }
    const keep = this.timer;
    const time = this.step(1);
    if (this.timer === keep) this.timer = setTimeout(() => this.playOn(), time + PAUSE / this.speed);
  }

  pause() {
    if (this.timer === null) return;
    clearTimeout(this.timer);
    this.timer = null;
    this.playButton.textContent = '► play';
  }

  /** Another position is shown. */
  changed() {
    this.slider.value = String(this.ply);
    this.status.textContent = this.statusText();
  }

  /** The game has played by itself to its end. */
  ended() {}

  statusText() {
    const position = this.positions[this.ply];
    const score = `stores ${position.stores.join('–')}`;
    if (this.ply < this.last) return `ply ${this.ply} of ${this.last} · ${score} · ${this.names[position.toMove]} to move`;
    return `the end after ${counted(this.last, 'ply', 'plies')}: ${score}`;
  }
}

document.addEventListener('keydown', (event) => {
  const isTyping = ['INPUT', 'SELECT', 'TEXTAREA'].includes(event.target.tagName) && event.target.type !== 'range';
  const isButton = event.target.tagName === 'BUTTON' && event.key === ' ';
  if (!currentPlayer || isTyping || isButton || event.altKey || event.ctrlKey || event.metaKey) return;
  const actions = {
    ArrowLeft: () => { currentPlayer.pause(); currentPlayer.step(-1); },
    ArrowRight: () => { currentPlayer.pause(); currentPlayer.step(1); },
    Home: () => currentPlayer.go(0),
    End: () => currentPlayer.go(currentPlayer.last),
    ' ': () => currentPlayer.toggle(),
    n: () => currentPlayer.next?.(),
    m: () => currentPlayer.nextMistake?.(),
  };
  const action = actions[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});
