"""Deeds against clocks and pipes: silences, drips, floods, closed ends, ends with every status."""

import os
import signal
import time

from villain import TARGETS, log, say

LONG = 60


def silent(villain):
    time.sleep(LONG)


def silent_and_deaf(villain):
    for kind in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGPIPE):
        signal.signal(kind, signal.SIG_IGN)
    time.sleep(LONG)


def late(villain):
    """A right answer, but after limit and margin, and later than any host is."""
    time.sleep((TARGETS["limit_ms"] + TARGETS["margin_ms"] + 30000) / 1000)


def drip(villain):
    """Always another byte: a reader that restarts its clock at each byte waits for ever."""
    end = time.monotonic() + LONG
    say('{"type":"move","comment":"')
    while time.monotonic() < end:
        say("x")
        time.sleep(0.02)


def hold_own_input(villain):
    """As long as its own input is open for writing, it never sees the end of it."""
    log("tried to hold the own input")
    try:
        open("/proc/self/fd/0", "wb")
    except OSError as error:
        log(f"refused: {error}")
    time.sleep(LONG)


def stopped(villain):
    os.kill(os.getpid(), signal.SIGSTOP)
    time.sleep(LONG)


def stopped_group(villain):
    os.kill(0, signal.SIGSTOP)
    time.sleep(LONG)


def endless_line(villain):
    while True:
        say(b"x" * 65536)


def endless_spaces(villain):
    """JSON allows white space, but a reader need not accept this much of it."""
    while True:
        say(b" " * 65536)


def many_lines(villain):
    answer = villain.honest()
    while True:
        say(answer * 500)


def empty_lines(villain):
    while True:
        say(b"\n" * 65536)


def flood_error(villain):
    for _ in range(64):
        os.write(2, b"flood of standard error\n" * 2000)


def flood_error_for_ever(villain):
    """A child floods on while the bot is honest."""
    if os.fork() == 0:
        end = time.monotonic() + 10
        while time.monotonic() < end:
            os.write(2, b"flood of standard error\n" * 2000)
        os._exit(0)


def written_before(villain):
    """The answer of the next turn, before it is asked."""
    return villain.honest() * 2


def written_before_later(villain):
    """The same, but not in one piece."""
    say(villain.honest())
    time.sleep(0.03)
    say(villain.honest())
    time.sleep(LONG)


def half_line_before(villain):
    return villain.honest() + '{"type":'


def close_output(villain):
    os.close(1)
    time.sleep(LONG)


def close_input(villain):
    say(villain.honest())
    os.close(0)
    time.sleep(LONG)


def close_all(villain):
    os.closerange(0, 256)
    time.sleep(LONG)


def exit_0(villain):
    os._exit(0)


def exit_3(villain):
    os._exit(3)


def exit_after_answer(villain):
    say(villain.honest())
    os._exit(0)


def killed_by_itself(villain):
    os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(LONG)


def kill_own_group(villain):
    """Every process in its process group ends with it."""
    os.kill(0, signal.SIGKILL)
    time.sleep(LONG)


def exit_at_start(villain):
    os._exit(7)


def garbage_first(villain):
    say("hello, world\n")


def ready_twice(villain):
    say('{"type":"ready"}\n{"type":"ready"}\n')


def never_ready(villain):
    time.sleep(LONG)


for deed in (exit_at_start, garbage_first, ready_twice, never_ready):
    deed.at_start = True

DEEDS = {
    deed.__name__: deed
    for deed in (
        silent, silent_and_deaf, late, drip, hold_own_input, stopped, stopped_group, endless_line,
        endless_spaces, many_lines, empty_lines, flood_error, flood_error_for_ever, written_before,
        written_before_later, half_line_before, close_output, close_input, close_all, exit_0,
        exit_3, exit_after_answer, killed_by_itself, kill_own_group, exit_at_start, garbage_first,
        ready_twice, never_ready,
    )
}
