"""Answers queries of `awale trace` by the rules of bots/practice.py.

Usage: trace_answers.py < QUERIES > ANSWERS, one JSON object on each line.
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bots"))

from practice import LETTERS, Game  # noqa: E402


def parsed(text):
    *numbers, side = text.split("-")
    numbers = [int(number) for number in numbers]
    return Game(tuple(numbers[:12]), (numbers[12], numbers[13]), "SN".index(side))


def legal(game):
    moves = [] if game.ending() else game.moves()
    return "".join(LETTERS[pit + 6 * game.side] for pit, _, _ in moves)


def answer(query):
    game, plies = parsed(query["position"]), []
    for letter in query["moves"]:
        pit = LETTERS.index(letter) - 6 * game.side
        after = next(after for found, after, _ in game.moves() if found == pit)
        captured = sum(after.stores) - sum(game.stores)
        ply = {"position": str(game), "legal": legal(game), "move": letter, "captured": captured}
        plies.append(ply)
        game = after
    ending = game.ending()
    if ending:
        reason, (south, north) = ending
        result = "south" if south > north else "north" if north > south else "draw"
        ending = {"reason": reason, "stores": [south, north], "result": result}
    return {"plies": plies, "position": str(game), "legal": legal(game), "ending": ending}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))))
