// What a bot says of its move, in words.

const SAID = {
  score: (it) => (Number.isFinite(it) ? expects(it) : null),
  depth: (it) => (Number.isFinite(it) ? `looked ${counted(it, 'ply', 'plies')} ahead` : null),
  nodes: (it) => (Number.isFinite(it) ? `at ${counted(it, 'position')}` : null),
  pv: (it) => (typeof it === 'string' ? `thinks of ${harmless(it)}` : Array.isArray(it) ? `thinks of ${harmless(it.join(' '))}` : null),
  comment: (it) => (typeof it === 'string' ? `says “${harmless(it)}”` : null),
};

function expects(score) {
  const seeds = Math.abs(score).toFixed(1).replace(/\.0$/, '');
  if (seeds === '0') return 'expects to end level';
  return `expects to end ${seeds} ${seeds === '1' ? 'seed' : 'seeds'} ${score > 0 ? 'ahead' : 'behind'}`;
}

/** The known parts of an `info` as a sentence, and the rest as JSON; null for what is missing. */
function inWords(info) {
  let given;
  try {
    given = JSON.parse(info);
  } catch {
    return { words: null, rest: info };
  }
  const known = Object.entries(SAID).flatMap(([key, say]) => {
    const said = Object.hasOwn(given, key) ? say(given[key]) : null;
    if (said !== null) delete given[key];
    return said === null ? [] : [said];
  });
  return {
    words: known.length ? `It ${known.length > 1 ? `${known.slice(0, -1).join(', ')} and ${known.at(-1)}` : known[0]}.` : null,
    rest: Object.keys(given).length ? JSON.stringify(given) : null,
  };
}
