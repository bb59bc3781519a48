// A person plays against a bot: the board, whose pits are pressed, and what the server says.

class PersonGame {
  constructor() {
    this.state = null;
    this.board = null;
    this.isWaiting = false;
    this.remark = element('p', { class: 'status-line hostile', role: 'status' });
    this.info = element('pre', { class: 'hostile', hidden: true });
    this.players = ['north', 'south'].map((side) => element('p', { class: `player ${side}` }));
    this.place = element('div', {});
    this.facts = element('p', { class: 'facts' });
    const button = (text, key, action) => element('button', { type: 'button', title: `${text} (${key})`, onclick: () => this.act(action) }, text);
    this.undo = button('undo', 'u', { action: 'undo' });
    document.getElementById('main').replaceChildren(element('section', { class: 'replay' },
      element('h1', {}, document.title.replace(/ – awale$/, '')),
      this.players[0], this.place, this.players[1],
      this.remark,
      element('div', { class: 'controls' }, this.undo, button('hint', 'h', { action: 'hint' }), button('new game', 'n', { action: 'restart' })),
      this.info,
      this.facts,
      element('p', { class: 'copies' },
        copyButton('copy position', () => this.state.positions.at(-1)),
        copyButton('copy moves', () => this.state.moves))));
    document.addEventListener('keydown', (event) => this.press(event));
    this.act({ action: 'look' });
  }

  press(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || this.state === null) return;
    const actions = { u: 'undo', h: 'hint', n: 'restart' };
    const letter = Object.keys(this.state.next).find((it) => it.toLowerCase() === event.key.toLowerCase());
    if (letter) this.play(letter);
    else if (actions[event.key]) this.act({ action: actions[event.key] });
    else return;
    event.preventDefault();
  }

  play(letter) {
    if (!this.isWaiting && letter in this.state.next) this.act({ action: 'play', pit: letter });
  }

  /** Asks the server, and shows the game as it is then. */
  async act(action) {
    if (this.isWaiting) return;
    this.isWaiting = true;
    this.markPits();
    try {
      const own = action.action === 'play' ? this.showOwnMove(action.pit) : 0;
      const [response] = await Promise.all([
        fetch(`act${location.search}`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(action) }),
        new Promise((resolve) => { setTimeout(resolve, own); }),
      ]);
      if (!response.ok) throw new Error(`the server answered ${response.status}`);
      this.show(await response.json());
    } catch (error) {
      this.remark.textContent = `The game cannot go on: ${error.message}. Is awale play still running?`;
    }
    this.isWaiting = false;
    this.markPits();
  }

  /** Sows the person's seeds while the bot thinks. Returns how long that takes, in ms. */
  showOwnMove(letter) {
    if (this.board === null || matchMedia('(prefers-reduced-motion: reduce)').matches) return 0;
    this.remark.textContent = 'the bot thinks …';
    const { pit, captured } = lastMove(this.board.shown, letter, Position.parse(this.state.next[letter]));
    return this.board.play(pit, captured, 1);
  }

  show(state) {
    const before = this.state;
    this.state = state;
    if (this.board === null) this.draw(state);
    state.names.forEach((name, side) => { this.players[1 - side].textContent = `${side ? 'North' : 'South'}: ${harmless(name)}`; });
    this.remark.textContent = harmless(state.remark ?? 'your move');
    this.facts.textContent = `rules ${state.rules} · ${state.over ? 'the game is over' : 'press a pit of your row, or its letter on the keyboard'}`;
    this.info.hidden = state.info === null;
    this.info.textContent = state.info === null ? '' : `it says ${harmless(state.info)}`;
    const positions = state.positions.map((text) => Position.parse(text));
    const isNext = before !== null && state.moves.length > before.moves.length && state.moves.startsWith(before.moves);
    this.showPositions(positions, isNext);
    if (state.over) this.markEnd(state.remark);
  }

  /** Nobody is on turn any more. */
  markEnd(remark) {
    for (const pit of this.board.pits) pit.classList.remove('turn');
    this.board.text.textContent = harmless(remark ?? 'the game is over');
  }

  /** Shows the last position; if the bot has just played, by its way from the one before. */
  showPositions(positions, isNext) {
    const last = positions.length > 1 ? lastMove(positions.at(-2), this.state.moves, positions.at(-1)) : null;
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
    if (isNext && last !== null && !isStill) {
      this.board.show(positions.at(-2));
      this.board.play(last.pit, last.captured, 1);
    } else {
      this.board.show(positions.at(-1), last);
    }
  }

  draw({ names }) {
    this.board = new Board(names.map(harmless));
    this.place.replaceChildren(this.board.node);
    this.board.pits.slice(0, 12).forEach((pit, place) => {
      const letter = LETTERS[place];
      pit.addEventListener('click', () => this.play(letter));
      pit.addEventListener('keydown', (event) => {
        if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); this.play(letter); }
      });
    });
    // An image has no parts that can be pressed.
    this.board.svg.setAttribute('role', 'group');
    // Seeds lie above the pits, and must not catch what is meant for them.
    this.board.layer.setAttribute('pointer-events', 'none');
  }

  /** Shows which pits may be played now. */
  markPits() {
    this.board?.pits.slice(0, 12).forEach((pit, place) => {
      const isLegal = !this.isWaiting && this.state !== null && LETTERS[place] in this.state.next;
      pit.classList.toggle('playable', isLegal);
      if (isLegal) {
        pit.setAttribute('tabindex', '0');
        pit.setAttribute('role', 'button');
        pit.setAttribute('aria-label', `play ${LETTERS[place]}, ${counted(Position.parse(this.state.positions.at(-1)).at(place), 'seed')}`);
      } else {
        for (const name of ['tabindex', 'role', 'aria-label']) pit.removeAttribute(name);
      }
    });
    this.undo.disabled = this.isWaiting || !this.state?.can_undo;
  }
}

document.getElementById('navigation').textContent = 'awale';
document.querySelector('footer').textContent = 'made by awale';
new PersonGame();
