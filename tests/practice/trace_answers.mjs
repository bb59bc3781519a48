// Answers queries of `awale trace` by the rules of the page that plays by itself.
//
//   node trace_answers.mjs < QUERIES > ANSWERS

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const assets = join(dirname(fileURLToPath(import.meta.url)), '../../src/report/page/assets');
const program = ['board.js', 'rules.js'].map((name) => readFileSync(join(assets, name), 'utf8')).join('');
const { Position, LETTERS, movesOf, endingOf } = new Function(`${program}; return { Position, LETTERS, movesOf, endingOf };`)();

function answer({ position, moves }) {
  const positions = [Position.parse(position)];
  const ending = () => endingOf(positions.at(-1), positions.slice(0, -1));
  const legal = () => (ending() ? '' : movesOf(positions.at(-1)).map(({ pit }) => LETTERS[pit]).join(''));
  const plies = [...moves].map((move) => {
    const now = positions.at(-1);
    const ply = { position: now.toString(), legal: legal(), move };
    const { after } = movesOf(now).find(({ pit }) => LETTERS[pit] === move);
    positions.push(after);
    const seeds = ({ stores }) => stores[0] + stores[1];
    return { ...ply, captured: seeds(after) - seeds(now) };
  });
  const end = ending();
  if (end) end.result = ['north', 'draw', 'south'][1 + Math.sign(end.stores[0] - end.stores[1])];
  return { plies, position: positions.at(-1).toString(), legal: legal(), ending: end };
}

const lines = readFileSync(0, 'utf8').trimEnd().split('\n');
console.log(lines.map((line) => JSON.stringify(answer(JSON.parse(line)))).join('\n'));
