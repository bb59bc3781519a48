// The data of the page: a summary as JSON, and the games as compressed JSON, read when they are
// needed.

let summary = JSON.parse(document.getElementById('summary').textContent);

async function inflated(id) {
  const text = document.getElementById(id).textContent.trim();
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return JSON.parse(await new Response(stream).text());
}

/** What is known of every game at once, in the order of the schedule: a list for each column. */
class Games {
  constructor(columns) {
    this.columns = columns;
    this.count = columns.round.length;
    this.blocks = new Map();
    this.numbers = null;
  }

  id(game) {
    const { labels, label, round, number } = this.columns;
    return `${labels[label[game]]}${round[game]}.${number[game]}`;
  }

  /** The game in words: the entrant listed first is South in the first game of a pair. */
  title(game) {
    const { round, number } = this.columns;
    const sides = [this.south(game), this.north(game)];
    const names = number[game] === 1 ? sides : sides.reverse();
    return `${names.join(' – ')}, pair ${round[game]}, game ${number[game]}`;
  }

  /** The number of the game with this id, or undefined. */
  find(id) {
    if (!this.numbers) {
      this.numbers = new Map();
      for (let game = 0; game < this.count; game += 1) this.numbers.set(this.id(game), game);
    }
    return this.numbers.get(id);
  }

  /** What is said instead of a game that this page does not have. */
  missing(id) { return `This page has no game ${id}.`; }

  south(game) { return summary.names[this.columns.south[game]]; }

  north(game) { return summary.names[this.columns.north[game]]; }

  ending(game) { return this.columns.endings[this.columns.ending[game]]; }

  stores(game) { return [this.columns.store_south[game], this.columns.store_north[game]]; }

  /** The result as in the tables: South first. */
  result(game) { return ['1/2-1/2', '1-0', '0-1'][this.columns.winner[game]]; }

  /** The result for an entrant: `won`, `drawn` or `lost`. */
  resultFor(entrant, game) {
    const winner = this.columns.winner[game];
    if (winner === 0) return 'drawn';
    return (winner === 1) === (this.columns.south[game] === entrant) ? 'won' : 'lost';
  }

  /** The name of the entrant whose fault ended the game, or null. */
  atFault(game) {
    const side = this.columns.fault[game];
    return side === 0 ? null : side === 1 ? this.south(game) : this.north(game);
  }

  /** The moves of a game, and all else that is only shown when it is replayed. */
  async details(game) {
    const number = Math.floor(game / summary.block_games);
    if (!this.blocks.has(number)) {
      if (this.blocks.size >= 16) this.blocks.delete(this.blocks.keys().next().value);
      this.blocks.set(number, inflated(`games-${number}`));
    }
    return (await this.blocks.get(number))[game % summary.block_games];
  }
}
