#!/usr/bin/env python3
"""Lets a program play in awale that speaks another protocol.

    python3 adapter.py uci ./aalina             the UCI dialect of oware engines
    python3 adapter.py codingame ./mybot        the lines of CodinGame's Oware

The referee talks to this script, and the script talks to the program:

    referee  -- JSON lines -->  adapter.py  -- its own lines -->  program

The script judges nothing. A line of the program that it cannot translate goes to the referee as it
is, so that the referee names the fault and quotes the program. When the program ends, the script
ends in the same way: with the same exit code, or by the same signal. The standard library is all
that it needs (Python 3.8). `awale adapter` does the same without Python.
"""

import json
import os
import select
import signal
import subprocess
import sys

START = "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S"


class Program:
    """The process behind the adapter. Its standard error is the adapter's own."""

    def __init__(self, command):
        try:
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
            )
        except OSError as error:
            sys.exit(f"cannot start the program behind the adapter, {command[0]}: {error}")
        self.waiting = b""  # what was received and not read as lines yet

    def write(self, line):
        try:
            self.process.stdin.write(line.encode() + b"\n")
        except BrokenPipeError:
            self.end_alike()

    def read(self):
        """The next line of the program, without its end."""
        while b"\n" not in self.waiting:
            received = self.process.stdout.read(65536)
            if not received:
                self.end_alike()
            self.waiting += received
        line, self.waiting = self.waiting.split(b"\n", 1)
        return line.decode(errors="replace").rstrip("\r")

    def has_output(self):
        """Whether the program has written something before it was asked."""
        return bool(self.waiting) or bool(select.select([self.process.stdout], [], [], 0)[0])

    def end_alike(self):
        """Waits for the program's end, says it, and ends in the same way."""
        code = self.process.wait()
        if code >= 0:
            print(f"the program behind the adapter exited with code {code}", file=sys.stderr)
            os._exit(code)
        name = signal.Signals(-code).name
        print(
            f"the program behind the adapter was killed by signal {-code} ({name})",
            file=sys.stderr,
            flush=True,
        )
        if -code != signal.SIGKILL:  # which nobody may set
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
        signal.pause()  # until the signal arrives

    def kill(self):
        self.process.kill()
        self.process.wait()


def movement(pit, turn, info=None):
    """The referee's line for a move."""
    message = {"type": "move", "pit": pit, "turn": turn}
    if info:
        message["info"] = info
    return json.dumps(message)


class CodinGame:
    """At each turn: twelve numbers in, own pits first, and the number of a pit out.

    Such a program plays one game and knows no end, so each game has a process of its own.
    """

    def __init__(self, command):
        self.command = command
        self.program = None

    def hello(self):
        return '{"type":"ready"}'

    def new_game(self, message):
        self.game_over()
        self.program = Program(self.command)
        return '{"type":"ready"}'

    def turn(self, message):
        if self.program is None:
            self.program = Program(self.command)
        if self.program.has_output():  # not asked for
            return self.program.read()
        self.program.write(" ".join(str(seeds) for seeds in message["board"]))
        line = self.program.read()
        try:
            return movement(int(line), message["turn"])
        except ValueError:
            return line

    def game_over(self):
        if self.program is not None:
            self.program.kill()
            self.program = None

    def quit(self):
        self.game_over()


class Uci:
    """The dialect of oware engines.

    White is South. A move is the letter of its pit, A-F for South and a-f for North, and the moves
    of a game are one word. The boards have the form of this referee's `position`.
    """

    def __init__(self, command):
        self.program = Program(command)
        self.start, self.moves = START, ""

    def read_to(self, end):
        """All lines before this one."""
        return iter(lambda: self.program.read().strip(), end)

    def hello(self):
        self.program.write("uci")
        ready = {"type": "ready"}
        for line in self.read_to("uciok"):
            words = line.split(None, 2)
            if len(words) == 3 and words[0] == "id" and words[1] in ("name", "author"):
                ready[words[1]] = words[2]
        return json.dumps(ready)

    def new_game(self, message):
        self.start, self.moves = message["start"], ""
        self.program.write("ucinewgame")
        self.program.write("isready")
        for _ in self.read_to("readyok"):
            pass
        return '{"type":"ready"}'

    def turn(self, message):
        is_south = message["position"].endswith("S")
        own, other = ("ABCDEF", "abcdef") if is_south else ("abcdef", "ABCDEF")
        if "last" in message:
            self.moves += other[message["last"]["pit"]]
        while self.program.has_output():  # not asked for
            line = self.program.read()
            if line.split()[:1] == ["bestmove"]:
                return line
        start = "startpos" if self.start == START else "fen " + self.start
        moves = " moves " + self.moves if self.moves else ""
        self.program.write(f"position {start}{moves}")
        self.program.write(go(message["clock"], is_south))
        info = {}
        line = self.program.read()
        while line.split()[:1] != ["bestmove"]:
            note(line, info)
            line = self.program.read()
        words = line.split()
        if len(words) < 2 or len(words[1]) != 1 or words[1] not in own:
            return line
        self.moves += words[1]
        return movement(own.index(words[1]), message["turn"], info)

    def game_over(self):
        pass

    def quit(self):
        self.program.write("quit")
        self.program.process.stdin.close()
        self.program.process.wait()


def go(clock, is_south):
    """The line that lets an engine think."""
    own, move = clock.get("own_ms"), clock.get("move_ms")
    nodes = f" nodes {clock['nodes']}" if "nodes" in clock else ""
    if own is not None and move is None:  # the engine divides its time itself
        other, more = clock.get("opponent_ms", own), clock.get("increment_ms", 0)
        white, black = (own, other) if is_south else (other, own)
        return f"go wtime {white} btime {black} winc {more} binc {more}{nodes}"
    if move is None:
        return f"go movetime 1000{nodes}"
    if own is not None:  # both: the bank must last for the game
        share = own / 25 + clock.get("increment_ms", 0) * 3 / 4
        move = min(move, share, own / 2)
    # An engine may use up what it is given, and its answer takes a moment to arrive.
    return f"go movetime {max(1, int(move - max(2, move / 10)))}{nodes}"


def note(line, info):
    """Takes what an `info` line says under the names that awale shows."""
    words = line.split()
    if words[:1] != ["info"]:
        return
    for at, word in enumerate(words):
        following = words[at + 1 :]
        if word == "string":  # a text
            return
        try:
            if word in ("depth", "nodes"):
                info[word] = int(following[0])
            elif word == "cp":  # hundredths of a seed
                info["score"] = int(following[0]) / 100
            elif word == "pv":
                info["pv"] = "".join(following)
                return
        except (IndexError, ValueError):
            pass


PROTOCOLS = {"uci": Uci, "codingame": CodinGame}


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in PROTOCOLS:
        sys.exit("usage: adapter.py uci|codingame PROGRAM [ARGUMENT…]")
    player = PROTOCOLS[sys.argv[1]](sys.argv[2:])
    for line in sys.stdin:
        message = json.loads(line)
        kind = message.get("type")
        if kind == "quit":
            break
        if kind == "hello":
            print(player.hello(), flush=True)
        elif kind == "new-game":
            print(player.new_game(message), flush=True)
        elif kind == "turn":
            print(player.turn(message), flush=True)
        elif kind == "game-over":
            player.game_over()
    player.quit()


if __name__ == "__main__":
    main()
