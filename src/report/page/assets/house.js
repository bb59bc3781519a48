// The bots of the page that plays by itself, and a game against one of them.

/** One of the moves with the highest value. */
function bestMove(moves, value) {
  const values = moves.map(value);
  const highest = Math.max(...values);
  return randomOf(moves.filter((_, number) => values[number] === highest));
}

function randomOf(moves) {
  return moves[Math.floor(Math.random() * moves.length)];
}

/** How many seeds a side is ahead; at the end of a game a win counts more than any seeds. */
function lead(position, earlier, side) {
  const ending = endingOf(position, earlier);
  const stores = ending?.stores ?? position.stores;
  const ahead = stores[side] - stores[1 - side];
  return ending ? ahead + 100 * Math.sign(ahead) : ahead;
}

/** The levels: their names, what they do, and the move that they choose. */
const LEVELS = {
  random: { about: 'plays any move', choose: (position) => randomOf(movesOf(position)) },
  greedy: {
    about: 'takes all that it can',
    choose: (position) => bestMove(movesOf(position), ({ after }) => after.stores[position.toMove]),
  },
  search: {
    about: 'looks at your answer, too',
    choose: (position, earlier) => {
      const played = [...earlier, position];
      const worst = ({ after }) => {
        if (endingOf(after, played)) return lead(after, played, position.toMove);
        const answers = movesOf(after).map((answer) => lead(answer.after, [...played, after], position.toMove));
        return Math.min(...answers);
      };
      return bestMove(movesOf(position), worst);
    },
  },
};

/** A game against a level. It answers as the program behind a page does. */
class HouseGame {
  constructor() {
    this.level = 'random';
    this.side = 0;
    this.restart();
  }

  restart() {
    this.positions = [Position.parse('4-4-4-4-4-4-4-4-4-4-4-4-0-0-S')];
    this.played = [];
    this.answer();
  }

  get now() { return this.positions.at(-1); }

  get earlier() { return this.positions.slice(0, -1); }

  get ending() { return endingOf(this.now, this.earlier); }

  /** Whether the person is asked. */
  get isAsking() { return this.ending === null && this.now.toMove === this.side; }

  push(move) {
    this.played.push(move);
    this.positions.push(move.after);
  }

  /** The bot plays if it is on turn. */
  answer() {
    if (this.ending === null && !this.isAsking) this.push(LEVELS[this.level].choose(this.now, this.earlier));
  }

  /** Takes back the person's last move, with the answer to it. */
  undo() {
    do {
      this.played.pop();
      this.positions.pop();
    } while (this.now.toMove !== this.side);
  }

  get canUndo() { return this.played.length > this.side; }

  /** Does what the person wants, and says how the game stands then. */
  async act({ action, value, level, side }) {
    let remark = null;
    if (action === 'play') {
      this.push(movesOf(this.now).find((move) => LETTERS[move.pit] === value));
      this.answer();
    } else if (action === 'undo' && this.canUndo) {
      this.undo();
      remark = 'Your last move is taken back.';
    } else if (action === 'restart') {
      this.level = level ?? this.level;
      this.side = side ?? this.side;
      this.restart();
    }
    const ending = this.ending;
    return {
      names: this.names,
      side: this.side,
      positions: this.positions.map(String),
      moves: this.played.map((move) => LETTERS[move.pit]).join(''),
      next: Object.fromEntries(this.isAsking ? movesOf(this.now).map((move) => [LETTERS[move.pit], move.after.toString()]) : []),
      info: null,
      hint: null,
      rules: 'awale',
      can_undo: this.canUndo,
      over: ending !== null,
      remark: remark ?? this.remark(ending),
    };
  }

  get names() {
    const names = ['you', 'you'];
    names[1 - this.side] = this.level;
    return names;
  }

  /** What has happened since the person was asked last, and what comes now. */
  remark(ending) {
    const since = this.positions.at(-2)?.toMove === this.side ? 1 : 2;
    const first = Math.max(0, this.played.length - since);
    const sentences = this.played.slice(first).map((move, number) => this.sentence(move, this.positions[first + number].toMove));
    if (ending) sentences.push(this.endSentence(ending));
    else sentences.push(this.question());
    return sentences.join(' ');
  }

  /** A move and what it takes. */
  sentence({ pit, captured, isSlam, after }, side) {
    const isPerson = side === this.side;
    const played = `${isPerson ? 'You play' : `${capital(this.level)} plays`} ${LETTERS[pit]}`;
    if (isSlam) {
      return `${played}. That would take all the seeds of ${isPerson ? this.level : 'your row'}: such a grand slam takes nothing.`;
    }
    if (captured.length === 0) return `${played}.`;
    const before = this.positions[this.positions.indexOf(after) - 1];
    const pits = [...captured].sort((one, other) => one - other).map((place) => LETTERS[place]);
    const taken = counted(after.stores[side] - before.stores[side], 'seed');
    return `${played} and ${isPerson ? 'take' : 'takes'} ${taken} from ${listed(pits)}.`;
  }

  /** Asks for the next move. */
  question() {
    const theirs = seedsIn(this.now, rowOf(1 - this.side));
    if (theirs === 0) return `${capital(this.level)} has no seeds left: you must play a pit that gives it some.`;
    return 'Your turn.';
  }

  /** Why the game is over, and who has won. */
  endSentence({ reason, stores }) {
    const { now, side } = this;
    const left = counted(seedsIn(now, [...rowOf(0), ...rowOf(1)]), 'seed');
    const most = now.stores[0] === now.stores[1] ? null : Number(now.stores[1] > now.stores[0]);
    const who = now.toMove === side ? 'You have' : `${capital(this.level)} has`;
    const isStarved = seedsIn(now, rowOf(now.toMove)) === 0;
    const why = {
      majority: most === null
        ? 'Each of you has 24 seeds, half of all.'
        : `${most === side ? 'You have' : `${capital(this.level)} has`} ${now.stores[most]} seeds, more than half of the 48.`,
      'no-move': `${who} no move${isStarved ? ', for that row is empty' : ' that gives seeds to the empty row'}: each takes the seeds of the own row.`,
      repetition: `The same board has come a second time, which ends the game: the ${left} on it are nobody's.`,
      adjudicated: 'The game was very long, and ends: each takes the seeds of the own row.',
    }[reason];
    const [own, other] = [stores[side], stores[1 - side]];
    if (own === other) return `${why} A draw, ${own} to ${other}.`;
    return own > other ? `${why} You win, ${own} to ${other}!` : `${why} ${capital(this.level)} wins, ${other} to ${own}.`;
  }
}

function capital(name) {
  return name[0].toUpperCase() + name.slice(1);
}

function listed(words) {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
