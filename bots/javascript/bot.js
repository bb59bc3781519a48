// A starter bot for awalé (Node, no packages). Copy this file, change choose(), and enter it into
// a tournament.
//
// The referee writes one JSON object per line to our standard input. We answer three kinds of
// message, each with one line on standard output. Debug text belongs on standard error:
// console.error("…"). A second line on standard output, as console.log() writes, loses the game.
"use strict";

const readline = require("readline");

let state = 0; // of our dice; new-game gives us a seed, so that the same games can be played again

/** A random whole number from 0 to sides - 1. Math.random() could not be seeded. */
function roll(sides) {
  state = (state + 0x9e3779b9) | 0;
  let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 16)) >>> 0) % sides;
}

/** How many seeds a move takes from the opponent's row (pits 6 to 11). */
function captured(before, pit) {
  const board = [...before];
  let seeds = board[pit];
  board[pit] = 0;
  let at = pit;
  while (seeds > 0) {
    at = (at + 1) % 12;
    if (at !== pit) { // the pit we sow from is left out on every lap
      board[at] += 1;
      seeds -= 1;
    }
  }
  let taken = 0;
  while (at >= 6 && (board[at] === 2 || board[at] === 3)) { // backward while the capture goes on
    taken += board[at];
    at -= 1;
  }
  // The whole row would be a grand slam, which takes nothing by most rule sets: see docs/rules.md.
  const row = board.slice(6).reduce((sum, seeds) => sum + seeds, 0);
  return taken === row ? 0 : taken;
}

/**
 * Returns the pit to play. YOUR IDEA GOES HERE.
 *
 * message.board   12 numbers seen from our side: 0-5 are our pits in sowing order, 6-11 theirs
 * message.legal   the pits we may play
 * message.stores  [our captured seeds, theirs]
 * message.clock   how much time we have, in ms
 */
function choose({ board, legal }) {
  const most = Math.max(...legal.map((pit) => captured(board, pit)));
  const best = legal.filter((pit) => captured(board, pit) === most);
  return best[roll(best.length)];
}

function answer(message) {
  process.stdout.write(JSON.stringify(message) + "\n"); // Node writes to a pipe at once: no flush
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  switch (message.type) {
    case "hello": // once, when the program starts
      return answer({ type: "ready", name: "my-bot", version: "1.0" });
    case "new-game": // forget the last game here
      state = (message.seed ?? 0) | 0;
      return answer({ type: "ready" });
    case "turn":
      return answer({ type: "move", pit: choose(message) });
    case "game-over": // no answer
      return console.error(`${message.result}: ${message.reason}`);
    case "quit": // at the end of input Node leaves by itself
      return process.exit(0);
    default: // may come with a later version of the protocol: no answer
  }
});
