"""Deeds with processes and memory: bombs, all of them bounded in number, bytes and time; children
that want to outlive the game; signals to others."""

import mmap
import os
import resource
import signal
import sys
import time

from villain import MOMENT, attempt, log

#: How many processes a bomb makes at most, and how long each of them lives.
BOMB, LIFE = 300, 2
#: How much memory a bomb touches at most: twice the limit, and the room of the test holds it.
BYTES, STEP = 1 << 30, 4 << 20


def sleep_long():
    time.sleep(8)
    os._exit(0)


def leave_group():
    """Into a session of its own, or at least a group of its own; walls refuse both."""
    for leave in (os.setsid, os.setpgrp):
        try:
            return leave()
        except PermissionError:
            pass


def daemon(close):
    """Twice forked, in a session or group of its own; the bot itself plays on."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    leave_group()
    try:
        grandchild = os.fork()
    except OSError:
        os._exit(1)
    if grandchild == 0:
        for kind in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(kind, signal.SIG_IGN)
        if close:
            os.closerange(0, 256)
        sleep_long()
    os._exit(0)


def daemon_with_pipes(villain):
    log("tried a daemon that holds the pipes open")
    daemon(False)


def daemon_without(villain):
    log("tried a daemon that has closed everything")
    daemon(True)


def daemon_and_exit(villain):
    log("tried a daemon that is left behind by a dead bot")
    daemon(False)
    os._exit(5)


def daemon_and_silence(villain):
    log("tried a daemon beside a silent bot")
    daemon(True)
    time.sleep(60)


def daemon_family(villain):
    """As many as it may have, each in a session or group of its own."""
    log("tried a family of daemons")
    try:
        for _ in range(25):
            daemon(True)
    except OSError as error:
        log(f"refused: {error}")


def reforking(villain):
    """A program that kills by a list of process numbers is always late."""
    log("tried to outrun the killer")
    end = time.monotonic() + 6
    if os.fork() == 0:
        leave_group()
        while time.monotonic() < end:
            try:
                if os.fork():
                    os._exit(0)
            except OSError:
                pass
            time.sleep(0.001)
        os._exit(0)


def fork_bomb(villain):
    log("tried a fork bomb")
    made = 0
    for _ in range(BOMB):
        try:
            if os.fork() == 0:
                time.sleep(LIFE)
                os._exit(0)
            made += 1
        except OSError as error:
            log(f"refused after {made}: {error}")
            break
    if made > 64:
        log(f"GAINED {made} processes")


def memory_by(take):
    """Touches page after page until somebody stops it, or the kernel refuses more."""
    log("tried to take memory")
    taken = 0
    try:
        while taken < BYTES:
            take(STEP)
            taken += STEP
    except OSError as error:
        log(f"refused: {error}")
        return
    log(f"GAINED {taken >> 20} MiB")


def memory_malloc(villain):
    held = []
    memory_by(lambda count: held.append(b"x" * count))


def memory_shared(villain):
    held = []

    def take(count):
        held.append(mmap.mmap(-1, count))
        held[-1].write(b"x" * count)
    memory_by(take)


def memory_file(villain):
    """Files in memory, none of them large."""
    def take(count):
        file, written = os.memfd_create("held"), 0
        while written < count:
            written += os.write(file, b"x" * (count - written))
    memory_by(take)


def memory_in_children(villain):
    """No process has much, all together have too much."""
    log("tried to take memory in children")
    children = []
    for _ in range(16):
        child = os.fork()
        if child == 0:
            held = b"x" * (BYTES // 16)
            time.sleep(LIFE)
            os._exit(len(held) % 2)
        children.append(child)
    if all(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0 for child in children):
        log("GAINED memory in children")


def kill_all(villain):
    """Everybody that may be signalled, and then it plays on."""
    log("tried to kill everybody")
    try:
        os.kill(-1, signal.SIGKILL)
        log("told everybody")
    except OSError as error:
        log(f"refused: {error}")


def signal_parent(kind):
    def act():
        parent = os.getppid()
        os.kill(parent, kind)
        time.sleep(0.05)
        # Process 1 of a box takes no signal from inside it: that is not a gain.
        return "told the parent" if parent != 1 else None
    attempt(f"signal {kind} to the parent", act)


def kill_parent(villain):
    signal_parent(signal.SIGKILL)


def stop_parent(villain):
    signal_parent(signal.SIGSTOP)
    signal_parent(signal.SIGTERM)


def kill_first(villain):
    """Process 1 of whatever namespace this is."""
    def act():
        os.kill(1, signal.SIGKILL)
        return None if os.getppid() == 1 else "told process 1"
    attempt("SIGKILL to process 1", act)


def raise_limits(villain):
    for name in ("RLIMIT_NPROC", "RLIMIT_NOFILE", "RLIMIT_CORE", "RLIMIT_NICE", "RLIMIT_MEMLOCK"):
        def act():
            number = getattr(resource, name)
            _, most = resource.getrlimit(number)
            if most == resource.RLIM_INFINITY:
                return "no limit at all"
            resource.setrlimit(number, (most + 10, most + 10))
            return resource.getrlimit(number)
        attempt(f"more of {name}", act)
    attempt("a better priority", lambda: os.nice(-5) and None or f"nice {os.nice(0)}")


def others_limits(villain):
    """Limits and priorities of process 1 and of the parent, which has the same user."""
    for name, other in (("process 1", 1), ("the parent", os.getppid())):
        def least():
            resource.prlimit(other, resource.RLIMIT_CORE, (0, 0))
            return "done"
        attempt(f"limiting {name}", least)
        attempt(f"slowing {name}", lambda: os.setpriority(os.PRIO_PROCESS, other, 19) or "done")
    group = os.getpgid(os.getppid())
    attempt("slowing a group", lambda: os.setpriority(os.PRIO_PGRP, group, 19) or "done")
    attempt("slowing a user", lambda: os.setpriority(os.PRIO_USER, os.getuid(), 19) or "done")


def all_cores(villain):
    def act():
        os.sched_setaffinity(0, range(os.cpu_count()))
        return sorted(os.sched_getaffinity(0))
    attempt("the cores of others", act)


def own_session(villain):
    """A session of its own has a share of the processor of its own; a group is not stopped."""
    def act(leave):
        child = os.fork()
        if child == 0:
            try:
                leave()
            except PermissionError:
                os._exit(1)
            os._exit(0)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    attempt("a session of its own", lambda: act(os.setsid))
    attempt("a group of its own", lambda: act(os.setpgrp))


def open_many(villain):
    """Descriptors until there are no more."""
    held = []

    def act():
        while len(held) < 2000:
            held.append(os.open("/dev/null", os.O_RDONLY))
        return f"{len(held)} descriptors"
    attempt("many descriptors", act)
    for descriptor in held:
        os.close(descriptor)


def refork_at_turns(villain):
    """The answer comes from another process, once the one before is dead."""
    if villain.moves == MOMENT + 1:
        log("tried to change its process")
        before = os.getpid()
        if os.fork():
            os._exit(0)
        # Stopped between turns it might otherwise not come to its end before the game does.
        while os.getppid() == before:
            time.sleep(0.0001)


DEEDS = {
    deed.__name__: deed
    for deed in (
        daemon_with_pipes, daemon_without, daemon_and_exit, daemon_and_silence, daemon_family,
        reforking, fork_bomb, memory_malloc, memory_shared, memory_file, memory_in_children,
        kill_all, kill_parent, stop_parent, kill_first, raise_limits, others_limits, all_cores, open_many,
        own_session,
        refork_at_turns,
    )
}
assert sys.version_info >= (3, 9)
