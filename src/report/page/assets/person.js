// A person plays against a bot: the board, whose pits are pressed, and how the game stands.

const GAME_BUTTONS = [['undo', 'u', 'undo'], ['new game', 'n', 'restart']];

class PersonGame {
  /**
   * `ask` does what the person wants, and promises how the game stands then. `settings` are what can
   * be chosen for a new game, `below` stands under the board; `hasHint` says whether `ask` gives hints.
   * `buttons` are the others: the text, the key and the action of each. `waiting` is said meanwhile.
   */
  constructor(ask, { settings = [], below = [], hasHint = false, buttons = GAME_BUTTONS, waiting = 'the bot thinks …' } = {}) {
    this.ask = ask;
    this.waiting = waiting;
    this.state = null;
    this.board = null;
    this.isWaiting = false;
    this.remark = element('p', { class: 'status-line remark hostile', role: 'status' });
    this.words = element('p', { class: 'status-line hostile' });
    this.info = element('pre', { class: 'hostile', hidden: true });
    this.heading = element('h1', {}, document.title.replace(/ – awale$/, ''));
    this.players = ['above', 'below'].map(() => element('p', { class: 'player' }));
    this.place = element('div', {});
    this.facts = element('p', { class: 'facts' });
    this.showsCaptures = element('input', { type: 'checkbox', checked: true, onchange: () => this.markPits() });
    const button = ([text, key, action]) => element('button', { type: 'button', title: `${text} (${key})`, onclick: () => this.act({ action }) }, text);
    // The hint stands after the first button, which takes back.
    const all = [...buttons.slice(0, 1), ...(hasHint ? [['hint', 'h', 'hint']] : []), ...buttons.slice(1)];
    const controls = all.map(button);
    [this.undo] = controls;
    this.actions = Object.fromEntries(all.map(([, key, action]) => [key, action]));
    document.getElementById('main').replaceChildren(element('section', { class: 'replay person' },
      this.heading,
      settings,
      this.players[0], this.place, this.players[1],
      this.remark,
      element('div', { class: 'controls' }, controls,
        element('label', { class: 'choice' }, this.showsCaptures, 'show what each pit takes')),
      this.words, this.info,
      Board.legend({ playable: 'you may play it', ...(hasHint ? { hinted: 'the hint' } : {}), played: 'played last', captured: 'seeds were taken', turn: 'on turn' }),
      this.facts,
      below,
      element('p', { class: 'copies' },
        copyButton('copy position', () => this.state.positions.at(-1)),
        copyButton('copy moves', () => this.state.moves))));
    document.addEventListener('keydown', (event) => this.press(event));
    this.act({ action: 'look' });
  }

  press(event) {
    const isTyping = ['INPUT', 'SELECT', 'TEXTAREA'].includes(event.target.tagName);
    if (isTyping || event.altKey || event.ctrlKey || event.metaKey || this.state === null) return;
    const letter = Object.keys(this.state.next).find((it) => it.toLowerCase() === event.key.toLowerCase());
    if (letter) this.play(letter);
    else if (this.actions[event.key]) this.act({ action: this.actions[event.key] });
    else return;
    event.preventDefault();
  }

  play(letter) {
    if (!this.isWaiting && letter in this.state.next) this.act({ action: 'play', value: letter });
  }

  /** Asks for something, and shows the game as it is then. */
  async act(action) {
    if (this.isWaiting) return;
    this.isWaiting = true;
    this.markPits();
    try {
      const own = action.action === 'play' ? this.showOwnMove(action.value) : 0;
      const asked = this.ask(action);
      if (own > 0) await new Promise((resolve) => { setTimeout(resolve, own); });
      this.show(await asked);
    } catch (error) {
      this.remark.textContent = `The game cannot go on: ${error.message}`;
    }
    this.isWaiting = false;
    this.markPits();
  }

  /** Sows the person's seeds while the bot thinks. Returns how long that takes, in ms. */
  showOwnMove(letter) {
    if (this.board === null || matchMedia('(prefers-reduced-motion: reduce)').matches) return 0;
    this.remark.textContent = this.waiting;
    const { pit, captured } = lastMove(this.board.shown, letter, Position.parse(this.state.next[letter]));
    return this.board.play(pit, captured, 1);
  }

  show(state) {
    const before = this.state;
    this.state = state;
    const isSame = before !== null && before.side === state.side && before.names.join() === state.names.join();
    if (!isSame) this.draw(state);
    state.names.forEach((name, side) => { this.players[side === state.side ? 1 : 0].replaceChildren(named(name, `${side ? 'North' : 'South'}: ${harmless(name)}`)); });
    this.remark.textContent = harmless(state.remark ?? 'your move');
    this.facts.textContent = state.facts ?? `rules ${state.rules} · ${state.over ? 'the game is over' : 'press a pit of your row, or its letter on the keyboard'}`;
    const { words, rest } = state.info === null ? { words: null, rest: null } : inWords(state.info);
    this.words.textContent = words ?? '';
    this.info.hidden = rest === null;
    this.info.textContent = rest === null ? '' : harmless(rest);
    const positions = state.positions.map((text) => Position.parse(text));
    // The person's own last move has been shown.
    const isAnswer = positions.at(-2)?.toMove !== state.side;
    const isNext = isSame && isAnswer && state.moves.length > before.moves.length && state.moves.startsWith(before.moves);
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

  /** A board with the person's row below. */
  draw({ names, side }) {
    this.board?.stop();
    this.board = new Board(names.map(harmless), side);
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

  /** Shows which pits may be played now, and what they take. */
  markPits() {
    const next = this.isWaiting ? {} : this.state?.next ?? {};
    const badges = new Map();
    this.board?.pits.slice(0, 12).forEach((pit, place) => {
      const letter = LETTERS[place];
      const isLegal = letter in next;
      pit.classList.toggle('playable', isLegal);
      pit.classList.toggle('hinted', isLegal && letter === this.state.hint);
      if (!isLegal) {
        for (const name of ['tabindex', 'role', 'aria-label']) pit.removeAttribute(name);
        return;
      }
      const { side } = this.state;
      const now = Position.parse(this.state.positions.at(-1));
      const taken = Position.parse(next[letter]).stores[side] - now.stores[side];
      if (taken > 0 && this.showsCaptures.checked) badges.set(place, `+${taken}`);
      const takes = (badges.has(place) ? `, takes ${taken}` : '') + (letter === this.state.hint ? ', the hint' : '');
      pit.setAttribute('tabindex', '0');
      pit.setAttribute('role', 'button');
      pit.setAttribute('aria-label', `play ${letter}, ${counted(now.at(place), 'seed')}${takes}`);
    });
    this.board?.showBadges(badges);
    this.undo.disabled = this.isWaiting || !this.state?.can_undo;
  }
}

/** A choice for the next game; a new choice begins one. */
function choice(label, options, onchange) {
  return element('label', {}, label, element('select', { onchange: (event) => onchange(event.target.value) },
    options.map(([value, text]) => element('option', { value }, text))));
}

/** The frame of a page on which a person plays. */
function personFrame() {
  document.getElementById('navigation').textContent = 'awale';
  document.querySelector('footer').textContent = 'made by awale';
}
