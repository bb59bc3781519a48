"""Plays random games by bots/python/awale_rules.py and compares every ply with `awale trace`.

Usage: compare_with_trace.py AWALE [--games N] [--seed S]

Every preset and many rule sets with random fields are played, from the start and from random
positions: with fewer than 48 seeds, with granaries of several laps, with a few seeds left. Both
programs must agree on the position, the legal moves and the captured seeds of every ply, on the
ending, the final stores and the result; and `trace` must refuse the moves that are illegal here.
The last lines count what the games contained; a kind of ending that never came up is a failure.
"""

import argparse
import collections
import json
import pathlib
import random
import subprocess
import sys

BOTS = pathlib.Path(__file__).resolve().parents[2] / "bots" / "python"
sys.path.insert(0, str(BOTS))

from awale_rules import CAPTURES, GRAND_SLAMS, PRESETS, REMAINING  # noqa: E402
from awale_rules import SOUTH, START, Position, Rules, sow  # noqa: E402

MOST_PLIES = 500  # a game longer than this is compared up to here
CHUNK = 500  # games per run of `awale trace`
# What must have been met at least this often among all games, or the comparison proves little.
WANTED = {
    "majority": 20,
    "row-empty": 20,
    "dead-position": 20,
    "no-move": 20,
    "repetition": 20,
    "gift": 5,
    "draw": 5,
    "unfinished": 5,
    "slam": 20,
    "lap": 20,
    "double lap": 5,
    "fed": 20,
    "illegal move": 20,
    "move after the end": 20,
}


def letter(side, pit):
    return ("ABCDEF" if side == SOUTH else "abcdef")[pit]


def letters(side, pits):
    return "".join(letter(side, pit) for pit in pits)


def random_fields(dice):
    """A preset's name and the fields to change in it; none for every second rule set."""
    preset = dice.choice(sorted(PRESETS))
    if dice.random() < 0.5:
        return preset, {}
    everything = {
        "capture": dice.choice(CAPTURES),
        "grand-slam": dice.choice(GRAND_SLAMS),
        "must-feed": dice.random() < 0.5,
        "majority-ends": dice.random() < 0.5,
        "row-empty-ends": dice.random() < 0.3,
        "dead-position-ends": dice.random() < 0.5,
        "repetition": {
            "occurrences": dice.randint(2, 4),
            "remaining": dice.choice(REMAINING),
        },
        "no-move-gift": dice.choice((0, 1, 1, 2, 30)),
    }
    names = dice.sample(sorted(everything), dice.randint(1, len(everything)))
    return preset, {name: everything[name] for name in names}


def random_position(dice):
    """A start: the usual one, a scattered board, one with granaries, or one with a few seeds."""
    kind = dice.randrange(6)
    if kind == 0:
        return START
    pits = [0] * 12
    seeds = dice.randint(0, 48) if kind < 4 else dice.randint(1, 8)
    open_pits = dice.sample(range(12), dice.randint(1, 12 if kind != 1 else 3))
    for _ in range(seeds):
        pits[dice.choice(open_pits)] += 1
    in_stores = 48 - seeds if dice.random() < 0.5 else dice.randint(0, 48 - seeds)
    # Near an even split: else most games would be over before their first ply.
    south = min(in_stores, max(0, in_stores // 2 + dice.randint(-6, 6)))
    return Position(tuple(pits), (south, in_stores - south), dice.randrange(2))


def note_ply(rules, at, pit, after, met):
    """Counts what is special about a ply."""
    start = pit + 6 * at.side
    theirs = slice(6, 12) if at.side == SOUTH else slice(0, 6)
    board, last = sow(at.pits, start)
    taken = [board[index] for index in rules._taken(board, last, range(12)[theirs])]
    met["slam"] += bool(taken) and sum(taken) == sum(board[theirs])
    met["lap"] += at.pits[start] >= 12
    met["double lap"] += at.pits[start] >= 23
    met["fed"] += not any(at.pits[theirs]) and any(after.pits[theirs])


def play_game(rules, start, dice, met):
    """A random game: the moves as text and the answer that `awale trace` must give to them."""
    at, plies, moves = start, [], ""
    length = dice.randint(0, 60) if dice.random() < 0.1 else MOST_PLIES
    ending, legal = rules.expand(at)
    while legal and len(plies) < length:
        pit, after = dice.choice(legal)
        move = letter(at.side, pit)
        plies.append(
            {
                "position": str(at),
                "legal": letters(at.side, [pit for pit, _ in legal]),
                "move": move,
                "captured": sum(after.stores) - sum(at.stores),
            }
        )
        note_ply(rules, at, pit, after, met)
        moves += move
        at = after
        ending, legal = rules.expand(at)
    met[ending.reason if ending else "unfinished"] += 1
    if ending:
        met["draw"] += ending.result == "draw"
        own_rows = (at.stores[0] + sum(at.pits[:6]), at.stores[1] + sum(at.pits[6:]))
        met["gift"] += ending.reason == "no-move" and ending.stores != own_rows
        told = {"reason": ending.reason, "stores": list(ending.stores), "result": ending.result}
    else:
        told = None
    answer = {
        "plies": plies,
        "position": str(at),
        "legal": letters(at.side, [pit for pit, _ in legal]),
        "ending": told,
    }
    return moves, answer


def spoil(moves, answer, dice, met):
    """The game up to a move that must be refused, and the ply of the refusal."""
    plies = answer["plies"]
    ply = len(plies) if dice.random() < 0.5 else dice.randint(0, len(plies))
    legal = plies[ply]["legal"] if ply < len(plies) else answer["legal"]
    wrong = sorted(set("ABCDEFabcdef") - set(legal))
    met["illegal move" if legal else "move after the end"] += 1
    return moves[:ply] + dice.choice(wrong), ply


def make_cases(games, seed):
    """(query for `awale trace`, expected answer or the ply of a refusal), and what was met."""
    dice, met, cases = random.Random(seed), collections.Counter(), []
    names = sorted(PRESETS)
    for number in range(games):
        # Two games by one rule set: looking for dead positions has a price per rule set.
        if number % 2 == 0:
            preset, changes = random_fields(dice)
            if number // 2 < 2 * len(names):  # each preset alone and for certain
                preset, changes = names[number // 2 % len(names)], {}
            rules = Rules(dict(changes, preset=preset))
        start = random_position(dice)
        moves, answer = play_game(rules, start, dice, met)
        refused = None
        if dice.random() < 0.2:
            moves, refused = spoil(moves, answer, dice, met)
        query = {"moves": moves}
        # What is left out means the default, which must be the same as when it is said.
        if preset != "awale" or dice.random() < 0.5:
            query["rules"] = preset
        if changes or dice.random() < 0.5:
            query["set"] = changes if dice.random() < 0.5 else dotted(changes)
        if start != START or dice.random() < 0.5:
            query["position"] = str(start)
        cases.append((query, answer if refused is None else refused))
    return cases, met


def dotted(changes):
    """The same fields without nesting: `repetition.remaining` is a name of its own."""
    flat = {}
    for name, value in changes.items():
        parts = value.items() if isinstance(value, dict) else [("", value)]
        flat.update({name + "." * bool(part) + part: inner for part, inner in parts})
    return flat


def trace(awale, queries):
    """The answers of `awale trace`, one per query."""
    lines = "".join(json.dumps(query) + "\n" for query in queries)
    run = subprocess.run(
        [awale, "trace"], input=lines, stdout=subprocess.PIPE, encoding="utf-8", check=True
    )
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    if len(answers) != len(queries):
        sys.exit("{} queries got {} answers".format(len(queries), len(answers)))
    return answers


def difference(expected, found):
    """In words: where an answer is not the expected one; empty when it is."""
    if isinstance(expected, int):
        refused = isinstance(found.get("error"), str) and found.get("ply") == expected
        return "" if refused else "expected a refusal at ply {}, found {}".format(expected, found)
    if found == expected:
        return ""
    ours, theirs = expected["plies"], found.get("plies", [])
    for ply, (our, their) in enumerate(zip(ours, theirs)):
        if our != their:
            return "ply {}: Python {}, awale {}".format(ply, our, their)
    if len(ours) != len(theirs):
        return "{} plies in Python, awale: {}".format(len(ours), found)
    end = ("position", "legal", "ending")
    last = [{name: answer.get(name) for name in end} for answer in (expected, found)]
    return "at the end: Python {}, awale {}".format(*last)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("awale")
    options.add_argument("--games", type=int, default=4000)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    cases, met = make_cases(given.games, given.seed)
    for first in range(0, len(cases), CHUNK):
        chunk = cases[first : first + CHUNK]
        for (query, expected), found in zip(chunk, trace(given.awale, [q for q, _ in chunk])):
            different = difference(expected, found)
            if different:
                sys.exit(
                    "seed {}: {}\nreplay: echo '{}' | awale trace".format(
                        given.seed, different, json.dumps(query)
                    )
                )
    plies = sum(len(expected["plies"]) for _, expected in cases if isinstance(expected, dict))
    print("{} games, {} plies compared".format(len(cases), plies))
    print(", ".join("{} {}".format(met[name], name) for name in WANTED))
    missing = [name for name, least in WANTED.items() if met[name] < least]
    if missing:
        sys.exit("too rare to prove anything: " + ", ".join(missing))


if __name__ == "__main__":
    main()
