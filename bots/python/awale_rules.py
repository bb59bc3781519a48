"""The rules of awalé for bots that look ahead: every rule set, plain Python 3.8, no packages.

    rules = Rules(message["rules"])                  # from a `new-game` message, or Rules("abapa")
    position = Position.parse(message["position"])   # from a `turn` message
    rules.legal(position)                            # [0, 1, 3]: pits of the side to move
    after = rules.play(position, 3)                  # a new position; the old one is unchanged
    rules.ending(after)                              # None, or Ending("majority", (25, 20))
    ending, moves = rules.expand(position)           # all of it at once: what a search wants

Pits stand in sowing order, South's six and then North's six:

    index   0  1  2  3  4  5  6  7  8  9 10 11
    pit     A  B  C  D  E  F  a  b  c  d  e  f      and after f comes A again

A *pit number* in a move is 0 to 5 and counts within the mover's own row. docs/rules.md says in
words what this file says in code.
"""

from itertools import combinations_with_replacement
from typing import Dict, List, NamedTuple, Optional, Tuple

SOUTH, NORTH = 0, 1
ROWS = (range(0, 6), range(6, 12))  # the indices that each side owns
Board = Tuple[int, ...]


class Position(NamedTuple):
    """A board, the captured seeds and who moves: a value that never changes."""

    pits: Board
    stores: Tuple[int, int]  # South's, North's
    side: int  # who moves: SOUTH or NORTH
    # The boards since the last capture, oldest first, which the repetition rule needs. A position
    # that comes from a text knows none; one that comes from play() knows all since that text.
    earlier: Tuple[Board, ...] = ()

    @classmethod
    def parse(cls, text: str) -> "Position":
        """Reads `4-4-4-4-4-4-4-4-4-4-4-4-0-0-S`: pits A…F a…f, both stores, the side to move."""
        *numbers, side = text.split("-")
        if len(numbers) != 14 or side not in ("S", "N") or not all(map(str.isdigit, numbers)):
            raise ValueError("not a position: " + text)
        values = [int(number) for number in numbers]
        if sum(values) > 48:
            raise ValueError("more than 48 seeds: " + text)
        return cls(tuple(values[:12]), (values[12], values[13]), "SN".index(side))

    def __str__(self) -> str:
        return "-".join(map(str, self.pits + self.stores)) + "-" + "SN"[self.side]


class Ending(NamedTuple):
    """How a game ended, and the stores after the remaining seeds were shared out."""

    reason: str
    stores: Tuple[int, int]

    @property
    def result(self) -> str:
        """`south`, `north` or `draw`."""
        south, north = self.stores
        return "south" if south > north else "north" if north > south else "draw"


START = Position((4,) * 12, (0, 0), SOUTH)


def _fields(slam: str, occurrences: int = 2, remaining: str = "nobody", **changes) -> dict:
    """The fields of a preset: those of `awale` with what is given put in their place."""
    fields = {
        "capture": "chain",
        "grand-slam": slam,
        "must-feed": True,
        "majority-ends": False,
        "row-empty-ends": False,
        "dead-position-ends": False,
        "repetition": {"occurrences": occurrences, "remaining": remaining},
        "no-move-gift": 0,
    }
    fields.update({name.replace("_", "-"): value for name, value in changes.items()})
    return fields


PRESETS: Dict[str, dict] = {
    "awale": _fields("no-capture", majority_ends=True),
    "abapa": _fields("no-capture", 2, "own-row", majority_ends=True),
    "classique": _fields("forbidden-unless-only", 2, "own-row", dead_position_ends=True),
    "commun": _fields("forbidden"),
    "simple": _fields("no-capture"),
    "abidjan": _fields("no-capture", no_move_gift=1),
    "junior": _fields("capture", capture="last-pit", must_feed=False, row_empty_ends=True),
    "awari": _fields("forbidden-unless-only-capture", 3, "nobody", majority_ends=True),
    "codingame": _fields("no-capture", 255, "own-row", majority_ends=True),
}

CAPTURES = ("chain", "last-pit")
GRAND_SLAMS = (
    "no-capture",
    "forbidden",
    "forbidden-unless-only",
    "forbidden-unless-only-capture",
    "capture",
)
REMAINING = ("nobody", "own-row")


def sow(pits: Board, start: int) -> Tuple[List[int], int]:
    """Sows the seeds of pit `start`; returns the new board and where the last seed fell."""
    board = list(pits)
    seeds, board[start] = board[start], 0
    at = start
    while seeds:
        at = (at + 1) % 12
        if at != start:  # every lap leaves the pit of origin out
            board[at] += 1
            seeds -= 1
    return board, at


class Rules:
    """One rule set, from the `rules` object of a `new-game` message or a preset's name."""

    def __init__(self, fields) -> None:
        if isinstance(fields, str):
            fields = {"preset": fields}
        preset = PRESETS.get(fields.get("preset", "awale"), {})
        try:
            known = {name: fields.get(name, preset.get(name)) for name in PRESETS["awale"]}
            repetition = dict(preset.get("repetition", {}), **fields.get("repetition", {}))
            self.repetition = (int(repetition["occurrences"]), repetition["remaining"])
        except KeyError as missing:
            raise ValueError("the rules do not say {}".format(missing)) from None
        if None in known.values():
            raise ValueError("the rules are not complete: {}".format(fields))
        # Better no bot at all than one that plays by rules it does not know.
        slam = known["grand-slam"]
        for value, allowed in (
            (known["capture"], CAPTURES),
            (slam, GRAND_SLAMS),
            (self.repetition[1], REMAINING),
        ):
            if value not in allowed:
                raise ValueError("unknown rule: {!r} is none of {}".format(value, allowed))
        self.last_pit = known["capture"] == "last-pit"
        self.slam_captures = slam in ("capture", "forbidden-unless-only-capture")
        self.slam_forbidden = slam.startswith("forbidden")
        self.slam_if_only = slam.startswith("forbidden-unless-only")
        self.must_feed = bool(known["must-feed"])
        self.majority_ends = bool(known["majority-ends"])
        self.row_empty_ends = bool(known["row-empty-ends"])
        self.dead_position_ends = bool(known["dead-position-ends"])
        self.no_move_gift = int(known["no-move-gift"])
        self._live = self._find_live() if self.dead_position_ends else frozenset()

    # ---- What a bot asks ------------------------------------------------------------------

    def legal(self, position: Position) -> List[int]:
        """The pits (0 to 5) that the side to move may play; none after an ending."""
        return [pit for pit, _ in self.expand(position)[1]]

    def play(self, position: Position, pit: int) -> Position:
        """The position after a move; ValueError if it is not legal."""
        for candidate, after in self.expand(position)[1]:
            if candidate == pit:
                return after
        raise ValueError("pit {} is not legal in {}".format(pit, position))

    def ending(self, position: Position) -> Optional[Ending]:
        """How the game has ended here, or None while it goes on."""
        return self.expand(position)[0]

    def expand(self, position: Position) -> Tuple[Optional[Ending], List[Tuple[int, Position]]]:
        """The ending and no moves, or None and every legal pit with the position after it."""
        pits, stores, side, earlier = position
        rows = (sum(pits[:6]), sum(pits[6:]))
        own_rows = (stores[SOUTH] + rows[SOUTH], stores[NORTH] + rows[NORTH])
        # The order of these questions is a rule of its own.
        if self.majority_ends and (max(stores) > 24 or stores == (24, 24)):
            return Ending("majority", stores), []
        if self.row_empty_ends and 0 in rows:
            return Ending("row-empty", stores), []
        if self.dead_position_ends and sum(rows) in (2, 3) and (pits, side) not in self._live:
            return Ending("dead-position", own_rows), []
        moves = self._moves(pits, side)
        if not moves:
            return Ending("no-move", self._after_gift(own_rows, rows, side)), []
        occurrences, remaining = self.repetition
        # Sides alternate, so every second earlier board had the same side to move.
        if earlier[-2::-2].count(pits) + 1 >= occurrences:
            return Ending("repetition", own_rows if remaining == "own-row" else stores), []
        longer = earlier + (pits,)
        result = []
        for pit, board, captured in moves:
            if captured and side == SOUTH:
                after = Position(board, (stores[0] + captured, stores[1]), NORTH)
            elif captured:
                after = Position(board, (stores[0], stores[1] + captured), SOUTH)
            else:
                after = Position(board, stores, 1 - side, longer)
            result.append((pit, after))
        return None, result

    # ---- How it is found out --------------------------------------------------------------

    def _moves(self, pits: Board, side: int) -> List[Tuple[int, Board, int]]:
        """(pit, board after it, seeds captured) of every legal move, endings not looked at."""
        theirs = ROWS[1 - side]
        found = []
        for pit, start in enumerate(ROWS[side]):
            if not pits[start]:
                continue
            board, last = sow(pits, start)
            taken = self._taken(board, last, theirs)
            captured = sum(board[index] for index in taken)
            slam = captured > 0 and captured == sum(board[index] for index in theirs)
            if slam and not self.slam_captures:
                taken, captured = [], 0
            for index in taken:
                board[index] = 0
            found.append((pit, tuple(board), captured, slam))
        # First the moves that feed a starving opponent, then the grand slams among them.
        if self.must_feed and not any(pits[index] for index in theirs):
            found = [move for move in found if any(move[1][index] for index in theirs)]
        if self.slam_forbidden:
            others = [move for move in found if not move[3]]
            if others or not self.slam_if_only:
                found = others
        return [(pit, board, captured) for pit, board, captured, _ in found]

    def _taken(self, board: List[int], last: int, theirs: range) -> List[int]:
        """The pits that a sowing captures when its last seed fell in pit `last`."""
        if self.last_pit:
            return [last] if last in theirs else []
        taken = []
        while last in theirs and board[last] in (2, 3):
            taken.append(last)
            last -= 1
        return taken

    def _after_gift(self, stores: Tuple[int, int], rows: Tuple[int, int], side: int):
        """The stores after a player who could not feed has given seeds to the starved one."""
        if rows[1 - side] > 0 or rows[side] == 0:
            return stores
        given = min(self.no_move_gift, stores[side])
        shift = -given if side == SOUTH else given
        return (stores[SOUTH] + shift, stores[NORTH] - shift)

    def _find_live(self) -> frozenset:
        """All (board, side) of 2 or 3 seeds from which some line of play contains a capture.

        The others are dead. There are only 442 such boards, so all of them are looked at once:
        first those with a capture at hand, then, again and again, those that can reach one.
        """
        live, quiet = set(), {}
        for seeds in (2, 3):
            for places in combinations_with_replacement(range(12), seeds):
                pits = tuple(places.count(index) for index in range(12))
                if self.row_empty_ends and (not any(pits[:6]) or not any(pits[6:])):
                    continue  # the game is over there: nothing more is played or captured
                for side in (SOUTH, NORTH):
                    moves = self._moves(pits, side)
                    if any(captured for _, _, captured in moves):
                        live.add((pits, side))
                    else:
                        quiet[pits, side] = [(board, 1 - side) for _, board, _ in moves]
        grew = True
        while grew:
            found = [key for key, after in quiet.items() if not live.isdisjoint(after)]
            live.update(found)
            for key in found:
                del quiet[key]
            grew = bool(found)
        return frozenset(live)
