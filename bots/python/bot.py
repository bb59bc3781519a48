"""A starter bot for awalé. Copy this file, change choose(), and enter it into a tournament.

The referee writes one JSON object per line to our standard input. We answer three kinds of
message, each with one line on standard output. Debug text belongs on standard error:
print("…", file=sys.stderr). A second line on standard output would lose the game.
"""

import json
import random
import sys

dice = random.Random(0)  # new-game gives us the seed: the same games can then be played again


def captured(board, pit):
    """How many seeds a move takes from the opponent's row (pits 6 to 11)."""
    board = list(board)
    seeds, board[pit] = board[pit], 0
    at = pit
    while seeds > 0:
        at = (at + 1) % 12
        if at != pit:  # the pit we sow from is left out on every lap
            board[at] += 1
            seeds -= 1
    taken = 0
    while at >= 6 and board[at] in (2, 3):  # backward while the capture goes on
        taken += board[at]
        at -= 1
    # The whole row would be a grand slam, which takes nothing by most rule sets (see docs/rules.md).
    return 0 if taken == sum(board[6:]) else taken


def choose(message):
    """Returns the pit to play. YOUR IDEA GOES HERE.

    message["board"]   12 numbers seen from our side: 0-5 are our pits in sowing order, 6-11 theirs
    message["legal"]   the pits we may play
    message["stores"]  [our captured seeds, theirs]
    message["clock"]   how much time we have, in ms
    """
    board, legal = message["board"], message["legal"]
    most = max(captured(board, pit) for pit in legal)
    return dice.choice([pit for pit in legal if captured(board, pit) == most])


def answer(message):
    print(json.dumps(message), flush=True)  # without the flush the referee waits in vain


for line in sys.stdin:
    message = json.loads(line)
    kind = message.get("type")
    if kind == "hello":  # once, when the program starts
        answer({"type": "ready", "name": "my-bot", "version": "1.0"})
    elif kind == "new-game":  # forget the last game here
        dice.seed(message.get("seed", 0))
        answer({"type": "ready"})
    elif kind == "turn":
        answer({"type": "move", "pit": choose(message)})
    elif kind == "game-over":  # no answer
        print("{}: {}".format(message.get("result"), message.get("reason")), file=sys.stderr)
    elif kind == "quit":
        break
    # Any other kind may come with a later version of the protocol: no answer.
