"""Practice for your awale bot: it plays against three opponents, and you see every move.

    python3 practice.py main.py                  against random, greedy and search, two games each
    python3 practice.py main.py --against greedy --games 10 --quiet
    python3 practice.py -- java -Xmx256m Bot     any command that starts a bot

It needs Python 3.8 or newer, and nothing else; on Windows write `py` or `python` in place of
`python3`. The opponents are `random` (any legal move), `greedy` (the move that takes most seeds)
and `search` (it looks two moves ahead: its own and your answer). The same command plays the same
games again, if your bot does.

Your bot is sent the messages of a tournament (protocol version 1) and the rules are those of the
preset `awale`. Two things are milder here: a move over the limit is only noted, and nothing keeps
your bot from using memory or processes.
"""

import argparse
import collections
import difflib
import json
import os
import queue
import random
import re
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
from typing import List, NamedTuple, Optional, Tuple

# ---- The rules: those of the preset `awale` -----------------------------------------------------

SOUTH, NORTH = 0, 1
SIDES = ("South", "North")
LETTERS = "ABCDEFabcdef"  # the pits in sowing order: South's six, then North's, then A again
MOST_PLIES = 600
RULES = {
    "preset": "awale",
    "capture": "chain",
    "grand-slam": "no-capture",
    "must-feed": True,
    "majority-ends": True,
    "row-empty-ends": False,
    "dead-position-ends": False,
    "repetition": {"occurrences": 2, "remaining": "nobody"},
    "no-move-gift": 0,
}


def row(side: int) -> range:
    """The places of a side's pits on the board."""
    return range(6 * side, 6 * side + 6)


def sown(pits: Tuple[int, ...], start: int) -> Tuple[List[int], int]:
    """The board after the seeds of pit `start` are sown, and where the last seed fell."""
    board = list(pits)
    seeds, board[start] = board[start], 0
    at = start
    while seeds:
        at = (at + 1) % 12
        if at != start:  # the pit that they come from is left out on every lap
            board[at] += 1
            seeds -= 1
    return board, at


class Game(NamedTuple):
    """A position with what the rules must know of its past. A move makes a new one."""

    pits: Tuple[int, ...] = (4,) * 12
    stores: Tuple[int, int] = (0, 0)
    side: int = SOUTH  # who moves
    earlier: Tuple[Tuple[int, ...], ...] = ()  # the boards since the last capture

    def __str__(self) -> str:
        return "-".join(map(str, self.pits + self.stores)) + "-" + "SN"[self.side]

    def seeds(self, side: int) -> int:
        """The seeds in a row."""
        return sum(self.pits[place] for place in row(side))

    def moves(self) -> List[Tuple[int, "Game", List[int]]]:
        """Each pit (0 to 5) that may be played, the game after it, and the places it captures."""
        found = []
        theirs = row(1 - self.side)
        for pit, start in enumerate(row(self.side)):
            if not self.pits[start]:
                continue
            board, last = sown(self.pits, start)
            taken = []
            while last in theirs and board[last] in (2, 3):
                taken.append(last)
                last -= 1
            captured = sum(board[place] for place in taken)
            if captured == sum(board[place] for place in theirs):
                taken, captured = [], 0  # a grand slam takes nothing
            for place in taken:
                board[place] = 0
            stores = list(self.stores)
            stores[self.side] += captured
            earlier = () if captured else self.earlier + (self.pits,)
            after = Game(tuple(board), (stores[0], stores[1]), 1 - self.side, earlier)
            found.append((pit, after, taken))
        if not self.seeds(1 - self.side):  # a player without seeds must be given some
            found = [move for move in found if move[1].seeds(1 - self.side)]
        return found

    def ending(self) -> Optional[Tuple[str, Tuple[int, int]]]:
        """Why the game is over and the final seeds of both sides; None while it goes on."""
        south, north = self.stores
        own_rows = (south + self.seeds(SOUTH), north + self.seeds(NORTH))
        if max(self.stores) > 24 or self.stores == (24, 24):
            return "majority", self.stores
        if not self.moves():
            return "no-move", own_rows
        if self.pits in self.earlier[-2::-2]:  # every second one had the same side to move
            return "repetition", self.stores
        return None


def random_opening(dice: random.Random, plies: int) -> Tuple[Game, str]:
    """The game after some random moves, and the moves."""
    game, moves = Game(), ""
    for _ in range(plies):
        pit, after, _ = dice.choice(game.moves())
        moves += LETTERS[pit + 6 * game.side]
        game = after
    return game._replace(earlier=()), moves


# ---- The opponents ------------------------------------------------------------------------------


def play_random(game: Game, dice: random.Random) -> int:
    """Any legal move."""
    return dice.choice(game.moves())[0]


def lead(game: Game, side: int) -> int:
    """How many seeds a side is ahead; at the end of a game a win counts more than any seeds."""
    ending = game.ending()
    stores = ending[1] if ending else game.stores
    ahead = stores[side] - stores[1 - side]
    return ahead + 100 * ((ahead > 0) - (ahead < 0)) if ending else ahead


def best(game: Game, dice: random.Random, value) -> int:
    """One of the moves with the highest value."""
    values = [(value(after), pit) for pit, after, _ in game.moves()]
    highest = max(values)[0]
    return dice.choice([pit for found, pit in values if found == highest])


def play_greedy(game: Game, dice: random.Random) -> int:
    """The move that takes most seeds."""
    return best(game, dice, lambda after: after.stores[game.side])


def play_search(game: Game, dice: random.Random) -> int:
    """The move after which the best answer hurts least: two plies."""

    def value(after: Game) -> int:
        if after.ending():
            return lead(after, game.side)
        return min(lead(answered, game.side) for _, answered, _ in after.moves())

    return best(game, dice, value)


OPPONENTS = {"random": play_random, "greedy": play_greedy, "search": play_search}

# ---- The bot: a program that is asked in lines and answers in lines -----------------------------

START_UP = 10.0  # seconds for the first answer, as in a tournament
PATIENCE = 5.0  # seconds for any other answer, before a bot that hangs is ended
SETTLED = 0.05  # seconds in which an answer too many would have come
MOST_LINE = 65536  # bytes of a line
MOST_SHOWN = 300  # characters of a line that are shown
MOST_FAULTS = 3  # of one kind, before the rest is left out

FLUSH = (
    "Its output is kept back, or it reads all of its input before it answers. Send each line at "
    "once: print(..., flush=True) in Python, fflush(stdout) in C, System.out.flush() in Java. And "
    "read one line at a time: `for line in sys.stdin`, not read() or readlines()."
)
DEBUG = (
    "Every line on standard output is taken for an answer. Print what is meant for you to standard "
    "error: print(..., file=sys.stderr) in Python, console.error(...) in JavaScript, "
    "fprintf(stderr, ...) in C, System.err.println(...) in Java."
)
TOO_MANY = (
    "hello, new-game and turn have one answer each, in one line; game-over and quit have none."
)


class Fault(Exception):
    """What a bot does wrong: the word of a tournament's tables, what happened, what to do."""

    def __init__(self, kind: str, happened: str, advice: str = "") -> None:
        super().__init__(happened)
        self.kind, self.happened, self.advice = kind, happened, advice

    def at_start(self) -> "Fault":
        """The same for the first message, whose faults have one name."""
        return Fault("start-failure", self.happened, self.advice)


class Answer(NamedTuple):
    message: dict
    ms: float  # from the question to the end of the answer


def harmless(text: str) -> str:
    """A text that a terminal shows as it is, without signs that would move its cursor."""
    return "".join(it if it.isprintable() or it == "\t" else ascii(it)[1:-1] for it in text)


def shown(line: bytes) -> str:
    """The beginning of a line, between backquotes."""
    text = harmless(line.decode("utf-8", "backslashreplace"))
    return "`" + (text if len(text) <= MOST_SHOWN else text[:MOST_SHOWN] + "...") + "`"


class Bot:
    """The program. Threads read what it writes, so that nothing it does can stop us."""

    def __init__(self, command: List[str], quiet: bool) -> None:
        self.quiet = quiet
        self.asked = "hello"
        self.busy = 0.0  # seconds in which it has thought about its answers
        self.spent = sum(os.times()[2:4])  # processor time of all bots that have ended
        self.lines: queue.Queue = queue.Queue(maxsize=1000)
        self.partial = b""
        self.errors: collections.deque = collections.deque(maxlen=400)
        self.unseen: collections.deque = collections.deque(maxlen=20)
        # A variable that flushes all that Python prints would hide that a bot does not.
        env = {name: it for name, it in os.environ.items() if name != "PYTHONUNBUFFERED"}
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, env=env
        )
        threading.Thread(target=self.read_answers, daemon=True).start()
        self.error_reader = threading.Thread(target=self.read_errors, daemon=True)
        self.error_reader.start()

    def read_answers(self) -> None:
        chunk = b"?"
        while chunk and len(self.partial) <= MOST_LINE:
            try:
                chunk = self.process.stdout.read(MOST_LINE)
            except (OSError, ValueError):
                chunk = b""
            *whole, self.partial = (self.partial + chunk).split(b"\n")
            for line in whole:
                self.lines.put((time.perf_counter(), line))
        if len(self.partial) > MOST_LINE:
            self.lines.put((time.perf_counter(), self.partial))
        self.lines.put((time.perf_counter(), None))

    def read_errors(self) -> None:
        partial, chunk = b"", b"?"
        while chunk:
            try:
                chunk = self.process.stderr.read(MOST_LINE)
            except (OSError, ValueError):
                chunk = b""
            *whole, partial = (partial + chunk).split(b"\n")
            for line in whole + ([partial] if not chunk and partial else []):
                text = harmless(line.rstrip(b"\r").decode("utf-8", "backslashreplace"))
                self.errors.append(text)
                self.unseen.append(text)
            partial = partial[-MOST_LINE:]

    def said(self) -> List[str]:
        """What it has written to standard error since we asked last; 20 lines at most."""
        lines = []
        while self.unseen:
            lines.append(self.unseen.popleft())
        return lines

    def tell(self, message: dict) -> None:
        """Sends a message."""
        self.asked = message["type"]
        self.question = json.dumps(message, separators=(",", ":"))
        try:
            self.process.stdin.write(self.question.encode("ascii") + b"\n")
        except (OSError, ValueError):
            pass  # it has ended: the end of its output says so

    def ask(self, message: dict, seconds: float) -> Answer:
        """Sends a question and waits for the answer."""
        self.expect_silence(0.002)
        begin = time.perf_counter()
        self.tell(message)
        arrived, line = self.wait(begin, seconds)
        self.busy += arrived - begin
        if line is None:
            raise self.ended()
        return Answer(self.read(line), 1000 * (arrived - begin))

    def wait(self, begin: float, seconds: float) -> Tuple[float, Optional[bytes]]:
        for limit in (2.0, seconds):
            try:
                return self.lines.get(timeout=max(0.001, begin + limit - time.perf_counter()))
            except queue.Empty:
                if limit < seconds and not self.quiet:
                    print("  (no answer to {} yet; waiting)".format(self.asked), flush=True)
        raise self.silent(seconds)

    def expect_silence(self, seconds: float) -> None:
        """Fails if it writes anything, or ends, although it was not asked."""
        try:
            _, line = self.lines.get(timeout=seconds)
        except queue.Empty:
            return
        if line is None:
            raise self.ended()
        happened = "Your bot wrote {} without being asked (after {}).".format(
            shown(line), self.asked
        )
        if not line.strip():
            happened = "Your bot wrote an empty line after its answer."
            raise Fault("bad-output", happened, "print adds the end of the line itself: no \\n.")
        raise Fault("bad-output", happened, TOO_MANY if line.startswith(b"{") else DEBUG)

    def read(self, line: bytes) -> dict:
        """The object of a line."""
        happened = "Your bot answered {} with {}.".format(self.asked, shown(line))
        if len(line) > MOST_LINE:
            raise Fault("output-limit", happened, "A line may have 64 KiB.")
        try:
            message = json.loads(line.decode("utf-8"), object_pairs_hook=once)
        except UnicodeDecodeError:
            raise Fault("bad-output", happened, "Lines must be UTF-8 text.") from None
        except ValueError as error:
            raise Fault("bad-output", happened, advice_on_text(line, str(error))) from None
        if not isinstance(message, dict):
            advice = "An answer is a whole object, as in {}.".format(example(self.asked))
            raise Fault("bad-output", happened, advice)
        wanted = ("move", "resign") if self.asked == "turn" else ("ready",)
        kind = message.get("type")
        if kind not in wanted:
            advice = "The answer to {} is {}: its \"type\" is {}.".format(
                self.asked, example(self.asked), '"' + '" or "'.join(wanted) + '"'
            )
            raise Fault("bad-output", happened, advice)
        return message

    def ended(self) -> Fault:
        """It has closed its output, most often because it has ended."""
        place = "the message {}".format(self.asked)
        try:
            code = self.process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            return Fault("crash", "Your bot closed its standard output after {}.".format(place))
        self.error_reader.join(timeout=1)
        how = "Your bot ended after {}, {}.".format(place, exit_words(code))
        if code == 0:
            advice = "It must wait for the next line until `quit` comes, or its input ends."
            if self.asked == "game-over":
                advice += " The same program plays many games."
            elif self.asked == "hello":
                advice += " Does it read its input in a loop?"
            return Fault("crash", how, advice)
        advice = "" if self.errors else "It said nothing on standard error."
        if any(line.startswith("Traceback") for line in self.errors):
            advice = "Read the message from its end: what went wrong, then the line of your file."
        return Fault("crash", how, advice)

    def silent(self, seconds: float) -> Fault:
        """It has not answered. What it does when its input ends tells why."""
        happened = "Your bot has not answered {} within {:g} seconds.".format(self.asked, seconds)
        half = self.partial
        if half:
            happened += " It wrote {} without the end of a line.".format(shown(half))
            return Fault("timeout", happened, "Each answer ends with a newline, and is flushed.")
        try:
            self.process.stdin.close()
            _, line = self.lines.get(timeout=1)
        except (OSError, queue.Empty):
            line = None
        if line is not None or self.partial:
            happened += " The answer came when its input was closed."
            return Fault("timeout", happened, FLUSH)
        self.kill()
        if sum(os.times()[2:4]) - self.spent - self.busy > seconds / 2:
            return Fault("timeout", happened, "It computed all the time: is there an endless loop?")
        advice = (
            "It waits. Does it wait for another line, or never come to its answer? The messages "
            "hello, new-game and turn must all be answered, by their type."
        )
        return Fault("timeout", happened, advice)

    def leave(self) -> bool:
        """Sends it away; false if it does not go."""
        self.tell({"type": "quit"})
        try:
            self.process.wait(timeout=2)
            return True
        except subprocess.TimeoutExpired:
            return False
        finally:
            self.kill()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self.error_reader.join(timeout=1)


def once(pairs: List[tuple]) -> dict:
    """An object whose fields have different names."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a field stands there twice")
    return fields


def example(question: str) -> str:
    return '{"type":"move","pit":3}' if question == "turn" else '{"type":"ready"}'


def advice_on_text(line: bytes, error: str) -> str:
    """What to do about a line that is not JSON."""
    text = line.strip()
    if not text:
        return "That is an empty line. print adds the end of the line itself: no \\n."
    if text.startswith(b"{'") or text.startswith(b"{") and b"'" in text:
        return "That is a dictionary as Python prints it. json.dumps(...) makes JSON of it."
    if text.startswith((b"{", b"[")):
        return "That is no JSON: {}.".format(error)
    return DEBUG


def exit_words(code: int) -> str:
    """How a process ended."""
    if code >= 0:
        wrong = " (a Windows error, as at a wrong memory access)" if code > 0x80000000 else ""
        return "with exit code {}{}".format(code, wrong)
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = "signal {}".format(-code)
    wrong = {"SIGSEGV": ", a wrong memory access", "SIGABRT": ", it gave up"}.get(name, "")
    return "killed by {}{}".format(name, wrong)


# ---- One game -----------------------------------------------------------------------------------


def pit_of(message: dict, game: Game, turn: int) -> Optional[int]:
    """The pit of an answer to a turn; None if the bot resigns."""
    said = "Your bot answered {}.".format(json.dumps(message)[:MOST_SHOWN])
    if message["type"] == "resign":
        return None
    if "pit" not in message:
        raise Fault("bad-output", said, 'The answer has no "pit".')
    pit = message["pit"]
    if type(pit) is not int:
        advice = "\"pit\" is a whole number from 0 to 5: 3, not 3.0, not \"3\" and not a letter."
        raise Fault("bad-output", said, advice)
    if message.get("turn", turn) != turn:
        advice = '"turn" must be the number of the question, {}, or be left out.'.format(turn)
        raise Fault("bad-output", said, advice)
    legal = [move[0] for move in game.moves()]
    if pit in legal:
        return pit
    names = ["{} ({})".format(it, LETTERS[it + 6 * game.side]) for it in legal]
    happened = "Your bot plays pit {}. It may play {}.".format(pit, listed(names, "or"))
    raise Fault("illegal-move", happened, advice_on_pit(pit, game))


def advice_on_pit(pit: int, game: Game) -> str:
    """Why a pit may not be played."""
    if pit == 6 and game.side == SOUTH:
        return "Pits are counted from 0 to 5, not from 1 to 6."
    if 6 <= pit <= 11:
        return (
            "Your own pits are 0 to 5 on both sides, also as North: 6 to 11 of `board` are the "
            "opponent's."
        )
    if not 0 <= pit <= 5:
        return "Pits have the numbers 0 to 5."
    if game.pits[pit + 6 * game.side]:
        return (
            "That pit has seeds, but the opponent has none and must be given some. `legal` in the "
            "message has the pits that you may play."
        )
    advice = "That pit is empty: choose one of the pits in `legal`; they are counted from 0."
    if game.side == NORTH and game.pits[pit]:
        advice += " Do you look at South's pits? `board` is turned for you, `position` is not."
    return advice


def listed(words: List[str], joint: str = "and") -> str:
    return (" " + joint + " ").join([", ".join(words[:-1]), words[-1]] if words[1:] else words)


def counted(number: int, word: str) -> str:
    return "{} {}{}".format(number, word, "" if number == 1 else "s")


def milliseconds(ms: float) -> str:
    return "{:.1f} ms".format(ms) if ms < 10 else "{:.0f} ms".format(ms)


class Result(NamedTuple):
    """How a game ended for the bot."""

    word: str  # won, drawn or lost
    stores: Optional[Tuple[int, int]]  # the bot's and the opponent's; None after a fault
    fault: Optional[Fault] = None


class Table:
    """A game of the bot against an opponent, with all that is printed of it."""

    def __init__(self, bot: Bot, side: int, name: str, limit: int, number: int) -> None:
        self.bot, self.side, self.name, self.limit = bot, side, name, limit
        self.number = number
        self.names = ["your bot", name] if side == SOUTH else [name, "your bot"]
        self.times: List[float] = []
        self.late: List[str] = []
        self.moves = ""

    def play(self, start: Game, opening: str, dice: random.Random) -> Result:
        """Plays to the end, or to a fault."""
        self.game, self.turn, self.last = start, 0, None
        clock = {"move_ms": self.limit}
        new_game = {
            "type": "new-game",
            "game": "practice-{}".format(self.number),
            "you": SIDES[self.side].lower(),
            "opponent": self.name,
            "rules": RULES,
            "clock": clock,
            "seed": dice.getrandbits(53),
            "start": str(start),
            "opening": opening,
        }
        try:
            self.bot.ask(new_game, PATIENCE)
            self.bot.expect_silence(SETTLED)
            self.show()
            ending = start.ending()
            while not ending:
                if not self.ply(dice):
                    return self.over("resignation", self.all_to_opponent())
                ending = self.game.ending()
                if not ending and self.turn >= MOST_PLIES:
                    stores = [self.game.stores[it] + self.game.seeds(it) for it in (0, 1)]
                    ending = "adjudicated", (stores[0], stores[1])
            return self.over(*ending)
        except Fault as fault:
            return Result("lost", None, fault)

    def seen(self, stores: Tuple[int, int]) -> Tuple[int, int]:
        """The bot's store, then the opponent's."""
        return stores[self.side], stores[1 - self.side]

    def all_to_opponent(self) -> Tuple[int, int]:
        """The stores after a resignation or a fault: the opponent gets the seeds of the board."""
        stores = list(self.game.stores)
        stores[1 - self.side] += sum(self.game.pits)
        return stores[0], stores[1]

    def ply(self, dice: random.Random) -> bool:
        """One move; false if the bot resigns."""
        game, took = self.game, ""
        if game.side == self.side:
            answer = self.bot.ask(self.question(), max(PATIENCE, self.limit / 200))
            pit = pit_of(answer.message, game, self.turn)
            self.times.append(answer.ms)
            took = "; " + milliseconds(answer.ms)
            if answer.ms > self.limit:
                took += ", OVER the limit of {} ms".format(self.limit)
                self.late.append("game {}, move {}".format(self.number, self.turn + 1))
            if pit is None:
                return False
        else:
            pit = OPPONENTS[self.name](game, dice)
        _, after, taken = next(move for move in game.moves() if move[0] == pit)
        captured = after.stores[game.side] - game.stores[game.side]
        letter = LETTERS[pit + 6 * game.side]
        self.moves += letter
        self.turn += 1
        self.game = after
        self.last = {"pit": pit, "captured": captured}
        own = " (its pit {})".format(pit) if game.side == self.side else ""
        takes = ""
        if taken:
            pits = listed([LETTERS[place] for place in sorted(taken)])
            takes = " and takes {} from {}".format(counted(captured, "seed"), pits)
        words = "{} plays {}{}{}{}".format(self.names[game.side], letter, own, takes, took)
        self.show("{}. {}".format(self.turn, words), pit + 6 * game.side)
        return True

    def question(self) -> dict:
        """The `turn` message, seen from the bot's side."""
        game = self.game
        turned = game.pits[6 * self.side:] + game.pits[:6 * self.side]
        message = {
            "type": "turn",
            "turn": self.turn,
            "board": list(turned),
            "stores": list(self.seen(game.stores)),
            "legal": [move[0] for move in game.moves()],
        }
        if self.last:
            message["last"] = self.last
        message["position"] = str(game)
        message["clock"] = {"move_ms": self.limit}
        return message

    def over(self, reason: str, stores: Tuple[int, int]) -> Result:
        """Tells the bot how the game ended."""
        own, other = self.seen(stores)
        word = "won" if own > other else "drawn" if own == other else "lost"
        if reason == "resignation":
            word = "lost"
        result = Result(word, (own, other))
        told = {"won": "win", "lost": "loss", "drawn": "draw"}[word]
        message = {"type": "game-over", "result": told, "reason": reason}
        self.bot.tell(dict(message, stores=[own, other], moves=self.moves))
        try:
            self.bot.expect_silence(SETTLED)
        except Fault as fault:
            # This game has its result: what follows it costs the next one.
            result = result._replace(fault=fault)
        self.print_said()
        if not self.bot.quiet:
            print("  " + self.reason_in_words(reason))
        return result

    def reason_in_words(self, reason: str) -> str:
        """A sentence that says why the game is over."""
        game = self.game
        mover = self.names[game.side]
        if reason == "majority":
            most = max(game.stores)
            if most == 24:
                return "The end: both have 24 seeds."
            winner = self.names[game.stores.index(most)]
            return "The end: {} has {} seeds, more than half of 48.".format(winner, most)
        if reason == "no-move":
            why = "its row is empty"
            if game.seeds(game.side):
                why = "none of its moves gives a seed to {}, who has none".format(
                    self.names[1 - game.side]
                )
            return "The end: {} has no move, {}. Each takes its own row.".format(mover, why)
        if reason == "repetition":
            left = counted(sum(game.pits), "seed")
            return "The end: this board was there before. The {} on it are nobody's.".format(left)
        if reason == "resignation":
            return "The end: your bot gives up."
        return "The end: {} moves were played. Each takes its own row.".format(MOST_PLIES)

    def print_said(self) -> None:
        for line in [] if self.bot.quiet else self.bot.said():
            print("  your bot's standard error: " + line)

    def show(self, headline: str = "", played: Optional[int] = None) -> None:
        """Prints the board, with the pit that was played in brackets."""
        self.print_said()
        if self.bot.quiet:
            return
        if headline:
            print(headline)
        width = max(map(len, self.names))

        def line(name: str, cells: List[str], end: str = "") -> str:
            return "  {:>{}} {}{}".format(name, width, "".join(cells), end).rstrip()

        def pits(places: range) -> List[str]:
            form = {True: " [{}]", False: "  {} "}
            return [
                form[place == played].format(str(self.game.pits[place]).rjust(2))
                for place in places
            ]

        def letters(places: range) -> List[str]:
            return ["   {} ".format(LETTERS[place]) for place in places]

        north, south = range(11, 5, -1), range(6)
        store = "   store {}"
        print(line("", letters(north)))
        print(line(self.names[NORTH], pits(north), store.format(self.game.stores[NORTH])))
        print(line(self.names[SOUTH], pits(south), store.format(self.game.stores[SOUTH])))
        print(line("", letters(south)) + "\n")


# ---- All games ----------------------------------------------------------------------------------


class Session:
    """All games, with what is printed of them."""

    def __init__(self, command: List[str], options: argparse.Namespace) -> None:
        self.command, self.options = resolved(command), options
        self.typed = harmless(" ".join(command))
        self.bot: Optional[Bot] = None
        self.results: dict = {}
        self.times: List[float] = []
        self.late: List[str] = []
        self.faults: dict = {}  # where each fault came: its kind, the advice and the last error
        self.notes: List[str] = []

    def start(self) -> Bot:
        """The bot's process, which has answered hello."""
        if self.bot is None:
            self.bot = Bot(self.command, self.options.quiet)
            self.bot.ask({"type": "hello", "protocol": 1, "game": "awale"}, START_UP)
            self.bot.expect_silence(SETTLED)
        return self.bot

    def end(self, politely: bool) -> None:
        bot, self.bot = self.bot, None
        if bot is None:
            return
        if not politely:
            bot.kill()
        elif not bot.leave():
            note = "Your bot went on running after `quit`. It must end then; a tournament kills it."
            if note not in self.notes:
                self.notes.append(note)

    def play(self) -> None:
        """All games against all opponents."""
        names = [self.options.against] if self.options.against else list(OPPONENTS)
        number, total = 0, len(names) * self.options.games
        for name in names:
            self.results[name] = []
            for game in range(self.options.games):
                number += 1
                side = self.options.side if self.options.side is not None else game % 2
                if not self.play_one(number, total, name, game, side):
                    return
            self.end(politely=True)

    def play_one(self, number: int, total: int, name: str, game: int, side: int) -> bool:
        """Plays a game; false if the bot cannot play at all."""
        players = ["your bot", name] if side == SOUTH else [name, "your bot"]
        title = "Game {} of {}: {} (South) against {} (North)".format(number, total, *players)
        if not self.options.quiet:
            print("=" * len(title))
        print(title, flush=True)
        # Two games share an opening and change sides; the first two begin at the beginning.
        opening_dice = random.Random("opening {}".format(game // 2))
        start, opening = random_opening(opening_dice, 4 if game > 1 else 0)
        if opening and not self.options.quiet:
            print("  It begins after the random moves {}.".format(opening))
        try:
            table = Table(self.start(), side, name, self.options.move_limit, number)
        except Fault as fault:
            self.report(fault.at_start(), "before game {}".format(number))
            self.end(politely=False)
            return False
        result = table.play(start, opening, random.Random("{} {}".format(name, game)))
        self.times += table.times
        self.late += table.late
        self.results[name].append(result)
        if result.stores:
            form = "  {}, {} to {}" if self.options.quiet else "  Your bot has {} it, {} to {}.\n"
            print(form.format(result.word, *result.stores))
        if not result.fault:
            return True
        times = self.report(result.fault, "game {}, move {}".format(number, table.turn + 1))
        self.end(politely=False)
        if times == MOST_FAULTS and number < total:
            print("That came {} times: the other games are left out.".format(times))
            return False
        return True

    def report(self, fault: Fault, where: str) -> int:
        """Explains a fault; one that came before is only counted. Returns how often it came."""
        bot = self.bot
        bot.kill()  # then its standard error is complete
        errors = list(bot.errors)[-20:]
        key = (fault.kind, fault.advice, "".join(errors[-1:]) if fault.kind == "crash" else "")
        places = self.faults.setdefault(key, [])
        places.append(where)
        line = "  FAULT: {} ({})".format(fault.kind, where)
        if len(places) > 1:
            print("{}: the same as in {}".format(line, places[0]))
            return len(places)
        print(line)
        for text in filter(None, (fault.happened, fault.advice)):
            print(textwrap.fill(text, 98, initial_indent="    ", subsequent_indent="    "))
        if bot.asked == "turn":
            print("    The question was {}".format(bot.question))
        if errors:
            print("    The end of its standard error:")
            print("\n".join("      " + it for it in errors))
        costs = {
            "hello": "Before this is repaired, no game can be played.",
            "game-over": "In a tournament this loses the next game.",
        }
        print("    {}\n".format(costs.get(bot.asked, "In a tournament this loses the game.")))
        return 1

    def summary(self) -> None:
        """What all games come to."""
        print("\nSummary of {}".format(self.typed))
        for name, results in self.results.items():
            words = [result.word for result in results]
            counts = ["{} {}".format(words.count(it), it) for it in ("won", "drawn", "lost")]
            if results:
                games = counted(len(results), "game")
                print("  {:<7} {:>9}: {}".format(name, games, ", ".join(counts)))
        if self.times:
            mean, most = sum(self.times) / len(self.times), max(self.times)
            print("  time    {} a move, {} at most".format(milliseconds(mean), milliseconds(most)))
        if self.late:
            count, limit = counted(len(self.late), "move"), self.options.move_limit
            print("  late    {} over the limit of {} ms, the first in".format(count, limit))
            print("          {}: in a tournament each loses its game.".format(self.late[0]))
            print("          Leave a tenth of the time unused.")
        for (kind, *_), places in self.faults.items():
            count = len(places) - 1
            more = ", and {} more".format(counted(count, "time")) if count else ""
            print("  fault   {} ({}{})".format(kind, places[0], more))
        for note in self.notes:
            print("  note    " + note)
        if not self.faults:
            print("  faults  none")


# ---- The command line ---------------------------------------------------------------------------

VALUED = ("--against", "--games", "--move-limit")
FLAGS = ("--south", "--north", "--quiet", "--help", "-h")
SOURCES = {
    ".c": "cc -O2 -o bot {0}",
    ".cpp": "c++ -O2 -o bot {0}",
    ".rs": "rustc -O -o bot {0}",
}
STARTED_BY = {".py": ["python3"], ".js": ["node"], ".java": ["java"], ".go": ["go", "run"]}
USUAL = ("main.py", "bot.py", "main.js", "bot.js", "Bot.java", "main.go", "bot", "bot.exe")
INSTALL = {
    "node": "Install Node.js (https://nodejs.org).",
    "java": "Install a JDK, version 11 or newer (https://adoptium.net).",
    "go": "Install Go (https://go.dev).",
}


class Usage(Exception):
    """The command cannot be understood: a sentence that says what to write."""


def split(words: List[str]) -> Tuple[List[str], List[str]]:
    """Our own options, wherever they stand before a `--`, and the command of the bot."""
    ours, command = [], []
    rest = iter(words)
    for word in rest:
        if word == "--":
            command += rest
        elif word.split("=")[0] in VALUED:
            ours.append(word)
            ours += [] if "=" in word else [next(rest, "")]
        elif word in FLAGS:
            ours.append(word)
        elif word.startswith("-") and not command:
            near = difflib.get_close_matches(word, VALUED + FLAGS, 1)
            hint = "; did you mean {}?".format(near[0]) if near else "; --help lists all."
            raise Usage("There is no option {}{}".format(word, hint))
        else:
            command.append(word)
    return ours, command


def resolved(command: List[str]) -> List[str]:
    """The command with the program that is really started."""
    if not command:
        here = [name for name in USUAL if os.path.isfile(name)]
        name = here[0] if here else "main.py"
        name = "./" + name if "." not in name else name
        raise Usage(
            "Which bot shall play? Write the command that starts it, for example\n"
            "  {} practice.py {}".format(os.path.basename(sys.executable), name)
        )
    first = command[0]
    ending = os.path.splitext(first)[1].lower()
    if ending in SOURCES:
        build = SOURCES[ending].format(first)
        raise Usage(
            "{} must be built first: {}\nThen play with what was built: practice.py ./bot".format(
                first, build
            )
        )
    if ending in STARTED_BY:
        must_exist(first)
        command = STARTED_BY[ending] + command
        first = command[0]
    else:
        for word in command[1:]:
            if os.path.splitext(word)[1].lower() in STARTED_BY:
                must_exist(word)
                break
    if first in ("python", "python3", "py"):
        return [sys.executable] + command[1:]  # this very Python: there is one for certain
    # Windows adds the ending to what compilers build, and does not add it to a path that is started.
    program = shutil.which(first) or (os.name == "nt" and shutil.which(first + ".exe"))
    if not program:
        raise Usage(why_not_found(first))
    return [program] + command[1:]


def must_exist(path: str) -> None:
    if os.path.isfile(path):
        return
    folder = os.path.dirname(path) or "."
    there = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    near = difflib.get_close_matches(os.path.basename(path), there, 1)
    meant = " Did you mean {}?".format(os.path.join(os.path.dirname(path), near[0])) if near else ""
    where = os.path.abspath(folder)
    raise Usage("There is no file {} in {}.{}".format(os.path.basename(path), where, meant))


def why_not_found(first: str) -> str:
    if os.path.isfile(first):
        if os.sep not in first and "/" not in first:
            return "To start the file {} in this folder write ./{}".format(first, first)
        return "{} is a file, but no program that can be started (chmod +x {})".format(first, first)
    if os.path.basename(first) != first:
        return "There is no file {}. Is it built already?".format(first)
    return "There is no program {} on this computer. {}".format(
        first, INSTALL.get(first, "Is its name right, and is it installed?")
    ).rstrip()


def positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError("{!r} is not a number above 0".format(text))
    return int(text)


def parsed(words: List[str]) -> argparse.Namespace:
    form = argparse.RawDescriptionHelpFormatter
    usage = "%(prog)s [options] [--] COMMAND..."
    options = argparse.ArgumentParser(usage=usage, description=__doc__, formatter_class=form)
    options.add_argument("--against", choices=list(OPPONENTS), help="one opponent, not all three")
    options.add_argument(
        "--games", type=positive, default=2, metavar="N", help="with each opponent (2)"
    )
    sides = options.add_mutually_exclusive_group()
    for side, name in enumerate(SIDES):
        text = "your bot is always {}".format(name)
        sides.add_argument(
            "--" + name.lower(), dest="side", action="store_const", const=side, help=text
        )
    options.add_argument(
        "--move-limit", type=positive, default=100, metavar="MS",
        help="what a move may take, in milliseconds (100)",
    )
    options.add_argument("--quiet", action="store_true", help="only results and faults, no boards")
    return options.parse_args(words)


INTRODUCTION = """\
South owns the pits A to F, North the pits a to f. Seeds are sown counter-clockwise: A B C D E F a b
c d e f, and A again. For your bot its own pits are 0 to 5 on both sides: pit 0 is A when it is
South, and a when it is North. [n] is the pit that was played. A move may take {} ms.
"""


def main() -> int:
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # any console can show all that we print
    try:
        ours, command = split(sys.argv[1:])
        options = parsed(ours)
        session = Session(command, options)
    except Usage as problem:
        print(problem, file=sys.stderr)
        return 2
    if not options.quiet:
        print(INTRODUCTION.format(options.move_limit))
    try:
        session.play()
    except OSError as error:
        print("{} cannot be started: {}".format(command[0], error.strerror), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nStopped.")
        return 130
    finally:
        session.end(politely=False)
    session.summary()
    return 1 if session.faults or session.late else 0


if __name__ == "__main__":
    sys.exit(main())
