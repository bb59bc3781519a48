#!/usr/bin/env python3
"""An engine for the stories of adapters: `engine.py uci|codingame MODE`. It plays its last legal
pit. From its second move on it does what the mode says: `good` goes on, `crash` is killed by its own
signal, `raise` ends by an exception, `leave` exits, `silent` answers no more, `illegal` plays an
empty pit, and `garbage` writes something else."""

import os
import signal
import sys
import time

from awale_rules import SOUTH, Position, Rules

MODE = sys.argv[2]
RULES = Rules("abapa")
ROWS = ("ABCDEF", "abcdef")
moved = 0


def choose(position):
    """The letter of a pit, or None if there is nothing to say."""
    global moved
    moved += 1
    row = ROWS[position.side]
    legal = RULES.legal(position)
    if moved == 1 or MODE == "good":
        return row[legal[-1]]
    if MODE == "crash":
        print("about to fail", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGSEGV)
    if MODE == "raise":
        raise KeyError("no such pit")
    if MODE == "leave":
        sys.exit(7)
    if MODE == "silent":
        time.sleep(600)
    if MODE == "illegal":
        return row[next(pit for pit in range(6) if pit not in legal)]
    return None


def uci():
    position = None
    for line in sys.stdin:
        words = line.split()
        if words == ["uci"]:
            print("id name Scripted 1.0\nid author nobody\noption name Hash\nuciok", flush=True)
        elif words == ["isready"]:
            print("readyok", flush=True)
        elif words[0] == "position":
            start = words[2] if words[1] == "fen" else "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S"
            position = Position.parse(start)
            for letter in words[-1] if "moves" in words else "":
                position = RULES.play(position, ROWS[position.side].index(letter))
        elif words[0] == "go":
            letter = choose(position)
            if MODE == "good":
                print("info depth 1 score cp -25 nodes 6 pv " + letter)
            print("bestmove " + (letter or "0000"), flush=True)
        elif words == ["quit"]:
            return


def codingame():
    for line in sys.stdin:
        # The stores are not told.
        position = Position(tuple(map(int, line.split())), (0, 0), SOUTH)
        letter = choose(position)
        print(ROWS[SOUTH].index(letter) if letter else "no idea", flush=True)


uci() if sys.argv[1] == "uci" else codingame()
