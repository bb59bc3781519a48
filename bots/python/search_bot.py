"""A starter bot that looks ahead as far as its clock allows. Needs awale_rules.py beside it.

Alpha-beta search: it looks one ply ahead, then two, then three … until the time for the move is
used up, and plays the best move of the last look that it finished. The places to put your own ideas:

* evaluate(): what a position is worth. Seeds in the store and freedom to move, so far.
* order(): the moves to try first. The better the guess, the more of the rest is cut away.
* budget_ms(): how much of a game clock to spend on one move.
* A table of positions seen before would spare much work: key (position.pits, position.side).
"""

import json
import sys
import time

from awale_rules import SOUTH, Position, Rules

WIN = 1000  # more than any evaluate(): a sure win counts more than any hope
DEEPEST = 60  # plies; only reached when nearly nothing is left to play


class OutOfTime(Exception):
    """Raised in the middle of a look that must be given up."""


def budget_ms(clock):
    """How many ms to think, from the clock of a `turn` message."""
    limits = [0.6 * clock["move_ms"]] if "move_ms" in clock else []
    if "own_ms" in clock:  # what is left has to last for perhaps thirty more moves
        steady = clock["own_ms"] / 30 + 0.8 * clock.get("increment_ms", 0)
        limits.append(min(steady, 0.5 * clock["own_ms"]))
    return min(limits, default=100)


def lead(stores, side):
    """How many more seeds a side has than the other."""
    south_lead = stores[0] - stores[1]
    return south_lead if side == SOUTH else -south_lead


def evaluate(position, moves):
    """What a position is worth to the side that moves, in seeds. YOUR IDEA GOES HERE."""
    return lead(position.stores, position.side) + 0.1 * len(moves)


def order(moves):
    """The most promising moves first: those that capture, then those near the other row."""
    return sorted(moves, key=lambda move: (sum(move[1].stores), move[0]), reverse=True)


class Search:
    """One search: the rules, when to stop, and how many positions were looked at."""

    def __init__(self, rules, milliseconds, deepest=DEEPEST):
        self.rules = rules
        self.stop_at = time.perf_counter() + milliseconds / 1000
        self.deepest = deepest
        self.nodes = 0
        self.may_stop = False  # the first look is always finished: some move must be played

    def best(self, position):
        """The best pit, its score in seeds for the side to move, and the plies looked ahead."""
        _, moves = self.rules.expand(position)
        moves = order(moves)
        score, depth = 0, 0
        for depth in range(1, self.deepest + 1):
            try:
                scores = self.look(moves, depth)
            except OutOfTime:
                return moves[0][0], score, depth - 1
            self.may_stop = True
            moves = [move for _, move in scores]  # the best first: next time it cuts the most
            score = scores[0][0]
            if len(moves) == 1 or abs(score) > WIN - 100:
                break  # no choice, or the end of the game is already seen
        return moves[0][0], score, depth

    def look(self, moves, depth):
        """Every move with its score, best first. Moves that cannot be best get only a bound."""
        scores, alpha = [], -2 * WIN
        for move in moves:
            score = -self.value(move[1], depth - 1, -2 * WIN, -alpha)
            # Equal scores keep their order: a later move may only *seem* equal behind a bound.
            scores.append((score, move))
            alpha = max(alpha, score)
        return sorted(scores, key=lambda scored: -scored[0])

    def value(self, position, depth, alpha, beta):
        """What a position is worth to the side that moves, `depth` plies ahead.

        Negamax: what is good for them is bad for us, hence every minus sign. `alpha` is what we
        have for certain elsewhere, `beta` what they will not let us exceed.
        """
        self.nodes += 1
        if self.may_stop and time.perf_counter() > self.stop_at:
            raise OutOfTime
        ending, moves = self.rules.expand(position)
        if ending:
            seeds = lead(ending.stores, position.side)
            if seeds == 0:
                return 0
            won = WIN + depth  # the more plies are left, the sooner the end: wins soon, losses late
            return won if seeds > 0 else -won
        if depth == 0:
            return evaluate(position, moves)
        for _, after in order(moves):
            alpha = max(alpha, -self.value(after, depth - 1, -beta, -alpha))
            if alpha >= beta:
                break  # they have something better earlier: the rest need not be looked at
        return alpha


class Player:
    """Follows one game, so that the search knows which positions would be repetitions."""

    def __init__(self, message):
        self.rules = Rules(message.get("rules", {}))
        # The position after our last move; before it, the one that the game starts from.
        self.position = Position.parse(message["start"]) if "start" in message else None

    def choose(self, message):
        """The answer to a `turn` message."""
        position = self.follow(message)
        pit, score, depth = Search(self.rules, budget_ms(message.get("clock", {}))).best(position)
        self.position = self.rules.play(position, pit)
        return pit, {"depth": depth, "score": max(-48, min(48, round(score, 1)))}

    def follow(self, message):
        """The position of a `turn` message, with the game so far behind it if we know it."""
        if self.position and "last" in message:
            for pit, after in self.rules.expand(self.position)[1]:
                if pit == message["last"]["pit"] and str(after) == message["position"]:
                    return after
        return Position.parse(message["position"])


def answer(message):
    print(json.dumps(message), flush=True)


def main():
    player = Player({})
    for line in sys.stdin:
        message = json.loads(line)
        kind = message.get("type")
        if kind == "hello":
            answer({"type": "ready", "name": "search-bot", "version": "1.0"})
        elif kind == "new-game":
            player = Player(message)
            answer({"type": "ready"})
        elif kind == "turn":
            pit, thoughts = player.choose(message)
            answer({"type": "move", "pit": pit, "info": thoughts})
        elif kind == "quit":
            break


if __name__ == "__main__":
    main()
