"""A hostile bot: `villain.py DEED`. Honest until its moment comes, then it does its deed, and tells
the test through standard error what that gave.

    tried NAME            before every attempt: the test wants to see that there was one
    refused NAME: …       what the host said to it
    GAINED NAME: …        it got what no bot may have

Deeds are functions of the other files here. Their moment is the villain's own second move, or, for
those in `AT_START`, before it has read a byte.
"""

import json
import os
import sys

TARGETS = json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "targets.json")))
MOMENT = 1


def log(text):
    os.write(2, (text + "\n").encode("utf-8", "backslashreplace"))


def say(text):
    data = text if isinstance(text, bytes) else text.encode()
    while data:
        data = data[os.write(1, data):]


def attempt(name, act):
    """Whatever `act` returns that is true was gained."""
    log(f"tried {name}")
    try:
        gained = act()
    except Exception as error:
        log(f"refused {name}: {error!r}"[:300])
        return None
    if gained:
        log(f"GAINED {name}: {gained!r}"[:300])
    else:
        log(f"nothing from {name}")
    return gained


class Villain:
    """The game as the deeds see it."""

    def __init__(self, deed):
        self.deed = deed
        self.turn = None
        self.moves = 0
        self.you = "south"
        self.game = ""

    def honest(self):
        return json.dumps({"type": "move", "pit": self.turn["legal"][0]}) + "\n"

    def hear(self, message):
        kind = message["type"]
        if kind == "hello":
            say(json.dumps({"type": "ready", "name": getattr(self.deed, "own_name", "villain")}) + "\n")
        elif kind == "new-game":
            self.moves = 0
            self.you, self.game = message["you"], message["game"]
            say('{"type":"ready"}\n')
        elif kind == "turn":
            self.turn = message
            moment = getattr(self.deed, "every_move", False) or self.moves == MOMENT
            self.moves += 1
            answer = self.deed(self) if moment else None
            say(self.honest() if answer is None else answer)
        elif kind == "quit":
            sys.exit(0)


def main():
    import fields
    import files
    import network
    import processes
    import output
    import twins

    deeds = {}
    for module in (output, fields, files, network, processes, twins):
        deeds.update(module.DEEDS)
    deed = deeds[sys.argv[1]]
    if getattr(deed, "at_start", False):
        deed(None)
        deed = lambda villain: None
    villain = Villain(deed)
    # Not `for line in sys.stdin`, which reads ahead and holds a buffer of its own.
    for line in iter(sys.stdin.readline, ""):
        villain.hear(json.loads(line))


if __name__ == "__main__":
    # The other files import this one by its name.
    sys.modules["villain"] = sys.modules["__main__"]
    main()
