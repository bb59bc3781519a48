// `puzzles.html`: positions in which exactly one move wins. The data have the winning moves and the
// answers to them, so that nothing is computed here.

const { rules, puzzles } = JSON.parse(document.getElementById('summary').textContent);

/** Moves of the winner until the game is won. */
function ownMoves(plies) {
  return Math.ceil(plies / 2);
}

/** The puzzle that is being solved. It answers as the program behind a page does. */
class PuzzleGame {
  constructor() {
    this.solved = new Set();
    this.tried = new Set();
    const asked = Math.trunc(Number(currentParameters().puzzle)) - 1;
    this.options = puzzles.map(({ plies }, number) => element('option', { value: number }, `${number + 1}: win in ${counted(ownMoves(plies), 'move')}`));
    this.select = element('select', { onchange: () => person.act({ action: 'choose', value: Number(this.select.value) }) }, this.options);
    this.begin(asked in puzzles ? asked : 0);
  }

  begin(number) {
    this.number = number;
    this.turn = puzzles[number];
    this.positions = [this.turn.position];
    this.moves = '';
    this.select.value = String(number);
    history.replaceState(null, '', address({ puzzle: number + 1 }));
  }

  /** Does what the person wants, and says how the puzzle stands then. */
  async act({ action, value }) {
    let remark = null;
    let hint = null;
    if (action === 'play') remark = this.play(value);
    else if (action === 'hint' && this.turn) {
      this.tried.add(this.number);
      hint = this.turn.moves.find((move) => move.wins).pit;
      remark = `${hint} wins.`;
    } else if (action === 'undo') this.begin(this.number);
    else if (action === 'restart') this.begin((this.number + 1) % puzzles.length);
    else if (action === 'previous') this.begin((this.number + puzzles.length - 1) % puzzles.length);
    else if (action === 'choose') this.begin(value);
    return this.state(remark ?? this.task(), hint);
  }

  /** What is to be done now. */
  task() {
    if (this.turn === null) return 'Solved.';
    const moves = counted(ownMoves(this.turn.plies), 'move');
    return this.moves === ''
      ? `Your turn: one move alone wins. You win in ${moves} if the other side holds out as long as it can.`
      : `Win in ${moves} from here.`;
  }

  play(letter) {
    const move = this.turn.moves.find(({ pit }) => pit === letter);
    if (!move.wins) {
      this.tried.add(this.number);
      return `Wrong: ${letter} ${this.fault(move)} Try again.`;
    }
    this.positions.push(move.position);
    this.moves += letter;
    const { answer } = move;
    this.turn = answer?.next ?? null;
    const answered = answer ? ` The other side plays ${answer.pit}.` : '';
    if (answer) {
      this.positions.push(answer.position);
      this.moves += answer.pit;
    }
    if (this.turn !== null) return `Right: ${letter}.${answered} ${this.task()}`;
    this.solved.add(this.number);
    this.options[this.number].textContent += ' ✓';
    return `Right: ${letter}.${answered} ${this.win()}`;
  }

  /** What is wrong with a move: how it ends with perfect play, where that is known. */
  fault({ value }) {
    const now = Position.parse(this.turn.position);
    const ahead = value === undefined ? undefined : now.stores[0] - now.stores[1] + value;
    if (ahead === undefined) return `does not win in ${counted(ownMoves(this.turn.plies), 'move')}.`;
    if (ahead > 0) return 'wins too, but later.';
    return ahead === 0 ? 'only draws.' : `loses by ${counted(-ahead, 'seed')}.`;
  }

  /** Why the game is won. */
  win() {
    const total = Position.parse(this.positions[0]);
    const all = [...total.pits, ...total.stores].reduce((sum, seeds) => sum + seeds, 0);
    const [own] = Position.parse(this.positions.at(-1)).stores;
    return 2 * own > all
      ? `Solved! You have ${own} of ${all} seeds, more than half.`
      : 'Solved! The game is over, and you have more seeds.';
  }

  state(remark, hint) {
    const right = [...this.solved].filter((number) => !this.tried.has(number)).length;
    const seeds = Position.parse(puzzles[this.number].position).pits.reduce((sum, it) => sum + it, 0);
    return {
      names: ['you', 'the other side'],
      side: 0,
      positions: this.positions,
      moves: this.moves,
      next: Object.fromEntries((this.turn?.moves ?? []).map(({ pit, position }) => [pit, position])),
      info: null,
      hint,
      rules,
      facts: `puzzle ${this.number + 1} of ${puzzles.length} · ${counted(seeds, 'seed')} on the board · rules ${rules} · ${this.solved.size} solved, ${right} at the first try`,
      can_undo: this.moves !== '',
      over: this.turn === null,
      remark,
    };
  }
}

personFrame();
const puzzleGame = new PuzzleGame();
const person = new PersonGame((action) => puzzleGame.act(action), {
  settings: [element('div', { class: 'filters' }, element('label', {}, 'Puzzle', puzzleGame.select))],
  hasHint: true,
  buttons: [['again', 'u', 'undo'], ['previous puzzle', 'p', 'previous'], ['next puzzle', 'n', 'restart']],
  waiting: '…',
});
