// The rules of the preset `awale`, for pages that play without a program behind them. The tests
// compare every move and every ending with those of awale itself.

/** More seeds than this are more than half of all. */
const HALF = 24;
/** A game of so many moves ends. */
const MOST_PLIES = 600;

/** The places of a side's pits. */
function rowOf(side) {
  return [0, 1, 2, 3, 4, 5].map((pit) => pit + 6 * side);
}

function seedsIn(position, places) {
  return places.reduce((sum, place) => sum + position.pits[place], 0);
}

/**
 * A move: the position after it, the places that it captures, and whether it was a grand slam: one
 * that would take all seeds of the other row, and therefore takes none.
 */
function moveOf(position, pit) {
  const theirs = rowOf(1 - position.toMove);
  const sown = position.after(pit, []);
  const captured = [];
  let last = position.targets(pit).at(-1);
  while (theirs.includes(last) && (sown.pits[last] === 2 || sown.pits[last] === 3)) {
    captured.push(last);
    last -= 1;
  }
  const isSlam = captured.length > 0 && seedsIn(sown, captured) === seedsIn(sown, theirs);
  if (isSlam) captured.length = 0;
  return { pit, captured, isSlam, after: position.after(pit, captured) };
}

/** All moves of a position. A player without seeds must be given some. */
function movesOf(position) {
  const theirs = rowOf(1 - position.toMove);
  const own = rowOf(position.toMove).filter((pit) => position.pits[pit] > 0);
  const all = own.map((pit) => moveOf(position, pit));
  if (seedsIn(position, theirs) > 0) return all;
  return all.filter(({ after }) => seedsIn(after, theirs) > 0);
}

/**
 * Why a game is over, with the seeds that both have at its end; null while it goes on. `earlier` are
 * the positions before this one, in the order of the game.
 */
function endingOf(position, earlier = []) {
  const { stores } = position;
  const ownRows = [0, 1].map((side) => stores[side] + seedsIn(position, rowOf(side)));
  if (Math.max(...stores) > HALF || stores.every((seeds) => seeds === HALF)) return { reason: 'majority', stores };
  if (movesOf(position).length === 0) return { reason: 'no-move', stores: ownRows };
  // A board comes again only with the same stores: captured seeds never return to it.
  const now = position.toString();
  if (earlier.some((it) => it.toString() === now)) return { reason: 'repetition', stores };
  if (earlier.length >= MOST_PLIES) return { reason: 'adjudicated', stores: ownRows };
  return null;
}
