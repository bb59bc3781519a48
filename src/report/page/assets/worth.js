// What the moves of a game were worth: exact where few seeds are left, estimated before that.

/** A move that loses so many seeds is a mistake, one that loses fewer an inaccuracy. */
const MISTAKE = 3;
/** Estimates are drawn up to so many seeds, or as far as the exact values go. */
const MOST_ESTIMATE = 12;

/** The exact part of a game, as it is seen from South. */
class ExactPart {
  /** `lost` are the moves that lost seeds: their ply, how many, and a better move. */
  constructor({ ply, ahead, lost }, positions) {
    this.first = ply;
    this.values = [];
    this.mistakes = [];
    const losses = new Map(lost.map(([at, seeds, better]) => [at, { seeds, better }]));
    let value = ahead;
    for (let at = ply; at < positions.length; at += 1) {
      this.values.push(value);
      const loss = losses.get(at);
      if (!loss) continue;
      const before = value;
      const { toMove } = positions[at];
      value += toMove ? loss.seeds : -loss.seeds;
      const isThrown = Math.sign(before) !== Math.sign(value);
      const mark = isThrown ? '??' : loss.seeds >= MISTAKE ? '?' : '?!';
      this.mistakes.push({ ...loss, ply: at, mark, isThrown, after: value });
    }
  }

  /** By how many seeds South is ahead in the end, if both play perfectly after so many plies. */
  at(ply) { return this.values[ply - this.first]; }

  /** The mistake with this ply, counted from 0. */
  mistake(ply) { return this.mistakes.find((it) => it.ply === ply); }

  /** The next mistake after so many plies; after the last one comes the first. */
  after(ply) { return this.mistakes.find((it) => it.ply > ply) ?? this.mistakes[0]; }

  /** Those that cost most: first those that threw a result away. */
  worst(number) {
    const byCost = (one, other) => Number(other.isThrown) - Number(one.isThrown) || other.seeds - one.seeds;
    return [...this.mistakes].sort(byCost).slice(0, number);
  }
}

/** A value as seen from South, with a sign. */
function signed(value) {
  const text = Math.abs(value).toFixed(Number.isInteger(value) ? 0 : 1);
  return `${value > 0 ? '+' : value < 0 ? '−' : ''}${text}`;
}
