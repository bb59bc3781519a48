"""Tests of bots/python: the rules module against worked examples, the search against known moves.

Run from anywhere: python3 tests/support_python/test_awale_rules.py
The numbers come from the rule texts, the literature and counts by hand, none from our programs.
"""

import json
import pathlib
import random
import re
import sys
import unittest

BOTS = pathlib.Path(__file__).resolve().parents[2] / "bots" / "python"
sys.path.insert(0, str(BOTS))

import search_bot  # noqa: E402
from awale_rules import GRAND_SLAMS, NORTH, PRESETS, SOUTH, START  # noqa: E402
from awale_rules import Position, Rules, sow  # noqa: E402

MILD = ("no-capture", "forbidden-unless-only")  # the slam rules under which a slam leaves its seeds


def position(text, stores=(0, 0), side=SOUTH):
    """A position from `A,B,C,D,E,F|a,b,c,d,e,f`."""
    pits = tuple(int(number) for number in text.replace("|", ",").split(","))
    return Position(pits, stores, side)


def with_slam(slam, preset="awale", **fields):
    return Rules({"preset": preset, "grand-slam": slam, **fields})


def board_text(pits):
    return ",".join(map(str, pits[:6])) + "|" + ",".join(map(str, pits[6:]))


def perft(rules, at, depth):
    """Lines of exactly `depth` plies; repetition is ignored, as earlier boards are forgotten."""
    moves = rules.expand(at._replace(earlier=()))[1]
    return len(moves) if depth == 1 else sum(perft(rules, after, depth - 1) for _, after in moves)


class Moves(unittest.TestCase):
    # board, move, seeds captured, board after it (None: not looked at); South moves, slams harmless
    PLAYED = [
        ("4,4,4,4,4,4|4,4,4,4,4,4", "C", 0, "4,4,0,5,5,5|5,4,4,4,4,4"),
        ("0,10,0,5,0,1|2,1,1,2,2,1", "F", 3, "0,10,0,5,0,0|0,1,1,2,2,1"),
        ("0,10,0,5,0,1|2,1,1,2,2,1", "D", 7, "0,10,0,0,1,2|0,0,0,2,2,1"),
        ("0,10,0,5,0,1|2,1,1,2,2,1", "B", 0, "0,0,1,6,1,2|3,2,2,3,3,2"),
        ("0,0,0,3,1,1|1,0,0,0,0,4", "D", 2, "0,0,0,0,2,2|0,0,0,0,0,4"),
        ("0,0,0,5,0,0|2,1,1,4,0,0", "D", 7, "0,0,0,0,1,1|0,0,0,4,0,0"),
        ("12,0,0,0,0,0|0,0,0,0,0,1", "A", 0, "0,2,1,1,1,1|1,1,1,1,1,2"),
        # 11 and 22 seeds end just before their origin, 23 one pit beyond it.
        ("0,0,11,0,0,0|0,0,0,0,0,1", "C", 0, "1,1,0,1,1,1|1,1,1,1,1,2"),
        ("0,0,22,0,0,0|0,0,0,0,0,1", "C", 0, "2,2,0,2,2,2|2,2,2,2,2,3"),
        ("0,0,23,0,0,0|0,0,0,0,0,1", "C", 0, "2,2,0,3,2,2|2,2,2,2,2,3"),
        # A chain stops at the first pit that holds neither 2 nor 3, and at the mover's own row.
        ("0,0,0,0,0,4|1,3,1,2,0,1", "F", 5, "0,0,0,0,0,0|2,4,0,0,0,1"),
        ("0,0,0,0,1,2|1,1,0,0,0,5", "F", 4, "0,0,0,0,1,0|0,0,0,0,0,5"),
    ]

    def test_played(self):
        rules = Rules("awale")
        for text, move, captured, after in self.PLAYED:
            with self.subTest(text=text, move=move):
                played = rules.play(position(text), "ABCDEF".index(move))
                self.assertEqual(board_text(played.pits), after)
                self.assertEqual(played.stores, (captured, 0))
                self.assertEqual(played.side, NORTH)

    def test_both_sides_play_alike(self):
        for text, move, captured, after in self.PLAYED:
            with self.subTest(text=text, move=move):
                south, north = text.split("|")
                mirrored = position(north + "|" + south, side=NORTH)
                played = Rules("awale").play(mirrored, "ABCDEF".index(move))
                own, other = after.split("|")
                self.assertEqual(board_text(played.pits), other + "|" + own)
                self.assertEqual(played.stores, (0, captured))

    def test_granaries(self):
        """From pit k, h seeds end in the other row just when ((h-1) mod 11)+1 is in 6-k…11-k."""
        for pit in range(6):
            for seeds in range(1, 49):
                board = tuple(seeds if index == pit else 0 for index in range(12))
                after, last = sow(board, pit)
                self.assertEqual(last >= 6, 6 - pit <= (seeds - 1) % 11 + 1 <= 11 - pit)
                self.assertEqual(sum(after[6:]) == 0, seeds <= 5 - pit)
                self.assertEqual((sum(after), after[pit]), (seeds, 0))

    def test_last_pit(self):
        """The children's game takes the last pit whole, whatever it holds, and no other."""
        rules = Rules("junior")
        for text, pit, captured in [
            ("0,0,0,0,0,2|1,4,1,0,0,0", 5, 5),
            ("0,0,0,0,0,1|0,4,1,0,0,0", 5, 1),
            ("0,0,0,0,0,1|1,4,1,0,0,0", 5, 2),
            ("0,0,0,1,0,1|1,4,1,0,0,0", 3, 0),
        ]:
            with self.subTest(text=text):
                self.assertEqual(rules.play(position(text), pit).stores, (captured, 0))

    def test_only_a_slam(self):
        for slam, legal, captured in [
            ("no-capture", [5], 0),
            ("capture", [5], 2),
            ("forbidden", [], None),
            ("forbidden-unless-only", [5], 0),
            ("forbidden-unless-only-capture", [5], 2),
        ]:
            with self.subTest(slam=slam):
                rules, at = with_slam(slam), position("0,0,0,0,0,1|1,0,0,0,0,0")
                self.assertEqual(rules.legal(at), legal)
                if legal:
                    self.assertEqual(rules.play(at, 5).stores, (captured, 0))

    def test_a_slam_among_others(self):
        """F would be a slam and A is not: only the two rules that allow slams offer F."""
        for slam in GRAND_SLAMS:
            with self.subTest(slam=slam):
                at = position("1,0,0,0,0,1|1,0,0,0,0,0")
                allowed = slam in ("no-capture", "capture")
                self.assertEqual(with_slam(slam).legal(at), [0, 5] if allowed else [0])

    def test_feeding_by_a_slam(self):
        for slam in GRAND_SLAMS:
            with self.subTest(slam=slam):
                rules, at = with_slam(slam), position("22,0,0,0,0,0|0,0,0,0,0,0")
                self.assertEqual(rules.legal(at), [0] if slam in MILD else [])
                if slam in MILD:
                    self.assertEqual(board_text(rules.play(at, 0).pits), "0,2,2,2,2,2|2,2,2,2,2,2")

    def test_feeding(self):
        """Against an empty row only moves that reach it are legal, unless the rules do not require feeding."""
        at = position("5,4,1,3,0,1|0,0,0,0,0,0")
        self.assertEqual(Rules("awale").legal(at), [3, 5])
        self.assertEqual(Rules({"must-feed": False}).legal(at), [0, 1, 2, 3, 5])


class Perft(unittest.TestCase):
    START = [6, 36, 190, 1014, 5219, 27332, 139157]
    LATE = {  # from 0,0,1,0,0,0|0,0,0,19,0,2, stores 13-13, North to move
        "no-capture": [2, 9, 30, 143, 515],
        "capture": [2, 3, 3, 5, 24],
        "forbidden": [1, 3, 2, 5, 24],
        "forbidden-unless-only": [1, 3, 3, 11, 50],
        "forbidden-unless-only-capture": [1, 3, 3, 5, 24],
    }

    def test_start(self):
        for slam in GRAND_SLAMS:
            deepest = len(self.START) if slam == "no-capture" else 5
            for depth, leaves in enumerate(self.START[:deepest], 1):
                self.assertEqual(perft(with_slam(slam), START, depth), leaves, (slam, depth))

    def test_late(self):
        at = position("0,0,1,0,0,0|0,0,0,19,0,2", (13, 13), NORTH)
        for slam, counts in self.LATE.items():
            for majority in (True, False):
                rules = with_slam(slam, **{"majority-ends": majority})
                for depth, leaves in enumerate(counts, 1):
                    self.assertEqual(perft(rules, at, depth), leaves, (slam, majority, depth))


class Endings(unittest.TestCase):
    # rules, board, stores, side: the ending's reason, stores and result (None: the game goes on)
    TABLE = [
        ("awale", "4,4,4,4,3,4|0,0,0,0,0,0", (25, 0), NORTH, ("majority", (25, 0), "south")),
        ("awale", "0,0,0,0,0,0|0,0,0,0,0,0", (24, 24), SOUTH, ("majority", (24, 24), "draw")),
        ("awale", "1,1,0,0,0,0|0,0,0,1,0,0", (24, 21), SOUTH, None),
        ("simple", "1,0,0,0,0,0|1,0,0,0,0,0", (44, 2), SOUTH, None),
        ("simple", "0,0,0,0,0,0|0,0,0,0,0,0", (24, 24), SOUTH, ("no-move", (24, 24), "draw")),
        # The mover's row is empty: the rest is the opponent's.
        ("awale", "0,0,0,0,0,0|0,5,0,3,0,0", (20, 20), SOUTH, ("no-move", (20, 28), "north")),
        # Nothing feeds: the rest is the mover's.
        ("awale", "2,1,0,0,0,0|0,0,0,0,0,0", (22, 23), SOUTH, ("no-move", (25, 23), "south")),
        # Only forbidden slams are left: each side takes its own row.
        ("commun", "0,0,0,0,0,1|1,0,0,0,0,0", (20, 26), SOUTH, ("no-move", (21, 27), "north")),
        # The gift turns 25-23 into 24-24. It comes from the store after the row was taken, and
        # never from a player whose own row is empty.
        ("abidjan", "2,1,0,0,0,0|0,0,0,0,0,0", (22, 23), SOUTH, ("no-move", (24, 24), "draw")),
        ("abidjan", "0,0,0,0,0,0|2,1,0,0,0,0", (23, 22), NORTH, ("no-move", (24, 24), "draw")),
        ("abidjan", "1,0,0,0,0,0|0,0,0,0,0,0", (0, 40), SOUTH, ("no-move", (0, 41), "north")),
        ("abidjan", "0,0,0,0,0,0|0,5,0,3,0,0", (20, 20), SOUTH, ("no-move", (20, 28), "north")),
        ("abidjan", "0,0,0,0,0,0|0,0,0,0,0,0", (25, 23), SOUTH, ("no-move", (25, 23), "south")),
        # The children's game: what is left belongs to neither side, whichever is to move.
        ("junior", "2,1,0,0,0,0|0,0,0,0,0,0", (10, 20), SOUTH, ("row-empty", (10, 20), "north")),
        ("junior", "0,0,0,0,0,0|2,1,0,0,0,0", (21, 20), NORTH, ("row-empty", (21, 20), "south")),
        # A dead position is looked for before a player without a move.
        ("classique", "0,1,0,1,0,0|0,0,0,0,0,1", (20, 20), SOUTH,
         ("dead-position", (22, 21), "south")),
        ("classique", "0,1,0,1,0,0|0,0,0,0,0,1", (20, 20), NORTH,
         ("dead-position", (22, 21), "south")),
        ("classique", "0,0,1,0,0,0|2,0,0,0,0,0", (20, 20), SOUTH,
         ("dead-position", (21, 22), "north")),
        ("classique", "0,0,1,0,0,0|2,0,0,0,0,0", (20, 20), NORTH, None),
        ("classique", "2,1,0,0,0,0|0,0,0,0,0,0", (22, 23), SOUTH,
         ("dead-position", (25, 23), "south")),
        # One seed is not two or three.
        ("classique", "0,0,0,0,0,0|1,0,0,0,0,0", (22, 25), SOUTH, ("no-move", (22, 26), "north")),
        ("simple", "0,1,0,1,0,0|0,0,0,0,0,1", (20, 20), SOUTH, None),
    ]

    def test_table(self):
        for preset, text, stores, side, expected in self.TABLE:
            with self.subTest(preset=preset, text=text, side=side):
                rules, at = Rules(preset), position(text, stores, side)
                ending = rules.ending(at)
                found = ending and (ending.reason, ending.stores, ending.result)
                self.assertEqual(found, expected)
                self.assertEqual(rules.legal(at) == [], expected is not None)

    def test_dead_positions_are_counted_right(self):
        for slam, of_two, of_three in [("forbidden-unless-only", 78, 124), ("capture", 77, 122)]:
            rules = with_slam(slam, "classique")
            for seeds, dead in ((2, of_two), (3, of_three)):
                for side in (SOUTH, NORTH):
                    boards = {tuple(sorted(places)) for places in _places(seeds)}
                    self.assertEqual(len(boards), {2: 78, 3: 364}[seeds])
                    found = 0
                    for places in boards:
                        pits = tuple(places.count(index) for index in range(12))
                        ending = rules.ending(Position(pits, (0, 0), side))
                        found += ending is not None and ending.reason == "dead-position"
                    self.assertEqual(found, dead, (slam, seeds, side))

    def test_a_capture_far_away(self):
        """From this board the first capture comes at ply 32; at ply 21 where a slam captures.

        The shorter line can be followed by hand: F takes the only seed left in North's row.
        """
        start = position("0,1,0,0,0,0|2,0,0,0,0,0")
        line = "BaCcDdEeFfAbBcCdDeEfF"
        for slam in GRAND_SLAMS:
            first = 21 if slam == "capture" else 32
            with self.subTest(slam=slam):
                self.assertEqual(self.first_capture(with_slam(slam, "simple"), start), first)
                self.assertIsNone(with_slam(slam, "classique").ending(start))
                at = start
                for letter in line[:-1] if slam != "capture" else line:
                    at = with_slam(slam, "simple").play(at, "abcdef".index(letter.lower()))
                self.assertEqual(at.stores, (2, 0) if slam == "capture" else (0, 0))

    @staticmethod
    def first_capture(rules, start):
        """The least number of plies to a capture, found by playing everything."""
        boards, plies = {start}, 0
        while all(board.stores == start.stores for board in boards):
            after = [b for a in boards for _, b in rules.expand(a)[1]]
            boards = {board._replace(earlier=()) for board in after}
            plies += 1
        return plies


def _places(seeds):
    return [()] if seeds == 0 else [(i,) + rest for i in range(12) for rest in _places(seeds - 1)]


class Repetition(unittest.TestCase):
    # One seed each, half a board apart. Both walk round in 12 plies and meet no capture.
    LOOP = position("1,0,0,0,0,0|1,0,0,0,0,0", (21, 25))

    def walk(self, rules, plies):
        at = self.LOOP
        for ply in range(plies):
            self.assertIsNone(rules.ending(at), ply)
            at = rules.play(at, ply // 2 % 6)
        return at

    def test_occurrences_and_remaining(self):
        for occurrences in (2, 3, 4):
            for remaining, stores in (("nobody", (21, 25)), ("own-row", (22, 26))):
                again = {"occurrences": occurrences, "remaining": remaining}
                rules = Rules({"preset": "simple", "repetition": again})
                ending = rules.ending(self.walk(rules, 12 * (occurrences - 1)))
                self.assertEqual(ending, ("repetition", stores))

    def test_a_text_knows_no_earlier_board(self):
        rules = Rules("simple")
        again = self.walk(rules, 12)
        self.assertEqual((again.pits, again.side), (self.LOOP.pits, self.LOOP.side))
        self.assertIsNone(rules.ending(Position.parse(str(again))))

    def test_a_capture_forgets(self):
        rules = Rules("simple")
        at = rules.play(position("4,4,0,5,0,1|2,1,1,2,2,1"), 0)
        self.assertEqual(len(at.earlier), 1)
        at = rules.play(rules.play(at, 5), 3)
        self.assertGreater(sum(at.stores), 0)
        self.assertEqual(at.earlier, ())


class Names(unittest.TestCase):
    def test_position_text(self):
        self.assertEqual(str(START), "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S")
        dice = random.Random(1)
        for _ in range(200):
            pits = tuple(dice.randrange(4) for _ in range(12))
            at = Position(pits, (dice.randrange(6), dice.randrange(6)), dice.randrange(2))
            self.assertEqual(Position.parse(str(at)), at)

    def test_bad_texts(self):
        good = "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S"
        for bad in ("", good[:-2], good[:-1] + "E", "5" + good[1:], "x" + good[1:], "-" + good):
            self.assertRaises(ValueError, Position.parse, bad)

    def test_rules_from_a_message(self):
        message = dict(PRESETS["abapa"], preset="abapa", future={"unknown": [1]})
        self.assertEqual(vars(Rules(message)), vars(Rules("abapa")))
        changed = Rules({"preset": "abapa", "repetition": {"occurrences": 3}})
        self.assertEqual(changed.repetition, (3, "own-row"))

    def test_unknown_rules(self):
        for bad in (
            {"preset": "nosuch"},
            {"grand-slam": "nosuch"},
            {"capture": "nosuch"},
            {"repetition": {"remaining": "nosuch"}},
        ):
            self.assertRaises(ValueError, Rules, bad)

    def test_illegal_moves(self):
        for pit in (-1, 2, 6):
            at = position("4,4,0,5,0,1|2,1,1,2,2,1")
            self.assertRaises(ValueError, Rules("awale").play, at, pit)


class SearchBot(unittest.TestCase):
    def test_takes_the_win_even_without_time(self):
        at = position("0,0,4,0,0,1|1,4,4,4,4,3", (23, 0))
        self.assertEqual(search_bot.Search(Rules("awale"), 0).best(at)[0], 5)

    def test_saves_its_seeds(self):
        """F is attacked (f would make it 2): only by moving it does South lose nothing."""
        at = position("5,0,0,0,0,1|5,5,0,0,0,6", (13, 13))
        pit = search_bot.Search(Rules("awale"), 1000, deepest=2).best(at)[0]
        self.assertEqual(pit, 5)

    def test_pruning_changes_no_score(self):
        """Alpha-beta finds the score that a search of everything finds."""
        rules, dice = Rules("awale"), random.Random(3)

        def everything(at, depth):
            ending, moves = rules.expand(at)
            if ending or depth == 0:
                return search_bot.Search(rules, 1e6).value(at, depth, -5000, 5000)
            return max(-everything(after, depth - 1) for _, after in moves)

        for _ in range(25):
            at = START
            for _ in range(dice.randrange(60)):
                moves = rules.expand(at)[1]
                at = dice.choice(moves)[1] if moves else START
            if not rules.ending(at):
                score = search_bot.Search(rules, 1e6, deepest=3).best(at)[1]
                if abs(score) < search_bot.WIN - 100:  # else it stops as soon as the end is seen
                    self.assertAlmostEqual(score, everything(at, 3))

    def test_beats_random(self):
        wins = 0
        for seed in range(10):
            dice, rules, at, side = random.Random(seed), Rules("awale"), START, seed % 2
            while not rules.ending(at):
                if at.side == side:
                    pit = search_bot.Search(rules, 1e6, deepest=2).best(at)[0]
                else:
                    pit = dice.choice(rules.legal(at))
                at = rules.play(at, pit)
            wins += rules.ending(at).result == ("south", "north")[side]
        self.assertEqual(wins, 10)

    def test_budget(self):
        for clock, least, most in [
            ({"move_ms": 100}, 50, 90),
            ({"own_ms": 60000, "opponent_ms": 0, "increment_ms": 0}, 1000, 4000),
            ({"own_ms": 60000, "opponent_ms": 0, "increment_ms": 0, "move_ms": 100}, 50, 90),
            ({"own_ms": 10, "opponent_ms": 0, "increment_ms": 500}, 0, 9),
            ({"own_ms": 0, "opponent_ms": 0, "increment_ms": 500}, 0, 0),
        ]:
            self.assertTrue(least <= search_bot.budget_ms(clock) <= most, clock)

    def test_follows_a_game_into_a_repetition(self):
        """North knows the start position and its own moves, so it sees a repetition coming."""
        message = {"rules": dict(PRESETS["simple"]), "start": str(Repetition.LOOP)}
        player = search_bot.Player(message)
        at, rules = Repetition.LOOP, Rules("simple")
        for ply in range(11):
            pit = ply // 2 % 6
            at = rules.play(at, pit)
            if ply % 2 == 0:
                message = {"position": str(at), "last": {"pit": pit, "captured": 0}}
                followed = player.follow(message)
                self.assertEqual(followed, at)
                player.position = rules.play(followed, pit)
        self.assertEqual(rules.ending(player.position), ("repetition", (21, 25)))


class Documents(unittest.TestCase):
    """The messages shown in docs/protocol.md are one game, and a legal one."""

    def setUp(self):
        page = (BOTS.parents[1] / "docs" / "protocol.md").read_text(encoding="utf-8")
        blocks = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
        decoder, self.shown = json.JSONDecoder(), {}
        for block in blocks:
            while block.strip():
                message, end = decoder.raw_decode(block.strip())
                self.shown.setdefault(message["type"], []).append(message)
                block = block.strip()[end:]

    def test_the_game_shown(self):
        (new_game,), (turn,) = self.shown["new-game"], self.shown["turn"]
        rules = Rules(new_game["rules"])
        self.assertEqual(set(new_game["rules"]) - {"preset"}, set(PRESETS["awale"]))
        start = Position.parse(new_game["start"])
        self.assertEqual(start.side, SOUTH)
        at = rules.play(start, turn["last"]["pit"])
        self.assertEqual(turn["turn"], len(at.earlier))
        self.assertEqual(turn["position"], str(at))
        self.assertEqual(turn["board"], list(at.pits[6:] + at.pits[:6]))
        self.assertEqual(turn["legal"], rules.legal(at))
        for move in self.shown["move"]:
            after = rules.play(at, move["pit"])
            self.assertEqual(move.get("turn", turn["turn"]), turn["turn"])
            for letter in move.get("info", {}).get("pv", "")[1:]:
                after = rules.play(after, "abcdef".index(letter.lower()))

    def test_every_kind_is_shown(self):
        kinds = {"hello", "new-game", "turn", "game-over", "quit", "move", "resign"}
        self.assertEqual(set(self.shown), kinds)


if __name__ == "__main__":
    unittest.main()
