"""Deeds of two bots with one author: South says a word on every channel, North listens."""

import ctypes
import fcntl
import mmap
import os
import platform
import socket
import struct

from villain import TARGETS, attempt, log

WORD = b"twins-know"
#: A file that every bot of this machine may read, and no bot may write.
COMMON = "/usr/bin/env"
#: One for each game: a bot must not read what it wrote itself in the game before.
NUMBER, PORT, NAME = 0, 0, ""
KEYS = {"x86_64": (248, 250), "aarch64": (217, 219), "riscv64": (217, 219)}
KEYCTL_SEARCH, KEYCTL_READ, KEYCTL_SET_TIMEOUT = 10, 11, 15
#: The session's and the user's keyring.
RINGS = {"session keyring": -3, "user keyring": -4}

libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
libc.syscall.restype = ctypes.c_long
held = []


def checked(result):
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def ring_say(ring):
    add_key, keyctl = KEYS[platform.machine()]
    word = ctypes.c_char_p(WORD)
    key = checked(libc.syscall(add_key, b"user", NAME.encode(), word, len(WORD), ring))
    # Where nothing holds it back, nothing of it stays: it expires.
    checked(libc.syscall(keyctl, KEYCTL_SET_TIMEOUT, key, 60))


def ring_hear(ring):
    _, keyctl = KEYS[platform.machine()]
    key = checked(libc.syscall(keyctl, KEYCTL_SEARCH, ring, b"user", NAME.encode(), 0))
    room = ctypes.create_string_buffer(64)
    checked(libc.syscall(keyctl, KEYCTL_READ, key, room, 64))
    return room.value


def flock_say():
    held.append(open(COMMON, "rb"))
    fcntl.flock(held[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)


def flock_hear():
    with open(COMMON, "rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return "locked"


def posix_lock_say():
    held.append(open(COMMON, "rb"))
    fcntl.lockf(held[-1], fcntl.LOCK_SH | fcntl.LOCK_NB)


def posix_lock_hear():
    with open(COMMON, "rb") as file:
        asked = struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0)
        told = struct.unpack("hhqqi4x", fcntl.fcntl(file, fcntl.F_GETLK, asked))
        return told[0] != fcntl.F_UNLCK and told


def open_file_lock(command, kind):
    return lambda file: fcntl.fcntl(file, command, struct.pack("hhqqi4x", kind, 0, 0, 0, 0))


def description_lock_say():
    held.append(open(COMMON, "rb"))
    open_file_lock(37, fcntl.F_RDLCK)(held[-1])


def description_lock_hear():
    with open(COMMON, "rb") as file:
        told = struct.unpack("hhqqi4x", open_file_lock(36, fcntl.F_WRLCK)(file))
        return told[0] != fcntl.F_UNLCK and told


def shared_number_say():
    place = checked(libc.shmat(checked(libc.shmget(NUMBER, 4096, 0o1666)), None, 0) or -1)
    ctypes.memmove(place, WORD, len(WORD))


def shared_number_hear():
    place = checked(libc.shmat(checked(libc.shmget(NUMBER, 4096, 0o666)), None, 0) or -1)
    return ctypes.string_at(place, len(WORD)) == WORD


def semaphore_say():
    checked(libc.semget(NUMBER, 1, 0o1666))


def semaphore_hear():
    return checked(libc.semget(NUMBER, 1, 0o666)) >= 0


def queue_say():
    checked(libc.msgget(NUMBER, 0o1666))


def queue_hear():
    return checked(libc.msgget(NUMBER, 0o666)) >= 0


def named_queue_say():
    held.append(checked(libc.mq_open(f"/{NAME}".encode(), os.O_CREAT | os.O_RDWR, 0o666, None)))


def named_queue_hear():
    return checked(libc.mq_open(f"/{NAME}".encode(), os.O_RDWR)) >= 0


def memory_file_say():
    with open(f"/dev/shm/{NAME}", "wb") as file:
        file.write(WORD)


def memory_file_hear():
    with open(f"/dev/shm/{NAME}", "rb") as file:
        return file.read() == WORD


def temporary_say():
    for folder in ("/tmp", "/var/tmp"):
        with open(f"{folder}/{NAME}", "wb") as file:
            file.write(WORD)


def temporary_hear():
    with open(f"/tmp/{NAME}", "rb") as file:
        return file.read() == WORD


def abstract_say():
    held.append(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
    held[-1].bind("\0" + NAME)
    held[-1].listen()


def abstract_hear():
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.connect("\0" + NAME)
        return "connected"


def port_say():
    held.append(socket.socket(socket.AF_INET, socket.SOCK_STREAM))
    held[-1].bind(("127.0.0.1", PORT))
    held[-1].listen()


def port_hear():
    with socket.create_connection(("127.0.0.1", PORT), timeout=2):
        return "connected"


def watch_hear():
    """Whether a look at a common file can be seen by who watches it."""
    if checked(libc.inotify_init()) >= 0:
        held.append(descriptor := libc.inotify_init())
        return checked(libc.inotify_add_watch(descriptor, COMMON.encode(), 0x20)) >= 0


def mapped_hear():
    """Own pages of a common file stay its own."""
    with open(COMMON, "rb") as file:
        mmap.mmap(file.fileno(), 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_WRITE)[0:4] = b"twin"
    with open(COMMON, "rb") as file:
        return file.read(4) == b"twin"


def requests_say():
    """The kernel counts contexts of asynchronous requests for the whole host."""
    setup = {"x86_64": 206}.get(platform.machine(), 0)
    context = ctypes.c_ulong(0)
    checked(libc.syscall(setup, 777, ctypes.byref(context)))
    held.append(context)


def requests_hear():
    with open("/proc/sys/fs/aio-nr") as file:
        return int(file.read()) >= 777


def shared_sum_say():
    held.append(libc.memfd_create(b"held", 0))
    os.write(held[-1], b"x" * (12 << 20))


def shared_sum_hear():
    """How much memory files take, of all processes of the host together."""
    with open("/proc/meminfo") as file:
        lines = dict(line.split(":", 1) for line in file)
    return int(lines["Shmem"].split()[0]) > 0


def cookie_hear():
    """A number that the kernel counts for all sockets of the host."""
    with socket.socketpair()[0] as line:
        return line.getsockopt(socket.SOL_SOCKET, 57, 8)


def network_cookie_hear():
    with socket.socketpair()[0] as line:
        return line.getsockopt(socket.SOL_SOCKET, 71, 8)


def resident_hear():
    """Which pages of a file have been read by anybody."""
    size, told = os.stat(COMMON).st_size, (ctypes.c_ubyte * 4096)()
    with open(COMMON, "rb") as file:
        pages = mmap.mmap(file.fileno(), size, mmap.MAP_PRIVATE)
        place = ctypes.addressof(ctypes.c_char.from_buffer(pages))
    return checked(libc.mincore(ctypes.c_void_p(place), ctypes.c_size_t(size), told)) == 0


CHANNELS = {
    "aio-nr": (requests_say, requests_hear),
    "Shmem": (shared_sum_say, shared_sum_hear),
    "flock": (flock_say, flock_hear),
    "fcntl lock": (posix_lock_say, posix_lock_hear),
    "open file lock": (description_lock_say, description_lock_hear),
    "shared memory": (shared_number_say, shared_number_hear),
    "semaphore": (semaphore_say, semaphore_hear),
    "message queue": (queue_say, queue_hear),
    "named queue": (named_queue_say, named_queue_hear),
    "/dev/shm": (memory_file_say, memory_file_hear),
    "/tmp": (temporary_say, temporary_hear),
    "abstract socket": (abstract_say, abstract_hear),
    "port": (port_say, port_hear),
    "watch": (None, watch_hear),
    "mapped file": (None, mapped_hear),
    "socket cookie": (None, cookie_hear),
    "network cookie": (None, network_cookie_hear),
    "pages in memory": (None, resident_hear),
}
for ring, number in RINGS.items():
    CHANNELS[ring] = (lambda n=number: ring_say(n), lambda n=number: ring_hear(n))


def numbered(villain):
    """Shared memory of the user's other programs: the test has planted one."""
    for number in range(64):
        place = libc.shmat(number, None, 0)
        if place not in (None, ctypes.c_void_p(-1).value):
            attempt("shared memory by its number", lambda: f"segment {number}")
            return
    attempt("shared memory by its number", lambda: None)


def talk(villain):
    """South's first turn comes before North's first."""
    global NUMBER, PORT, NAME
    if villain.moves != 1:
        return
    game = int(villain.game.rsplit(".")[-1])
    NUMBER, PORT = TARGETS["twin_key"] + game, TARGETS["twin_port"] + game
    NAME = f"awale-twins-{NUMBER}"
    for name, (speak, hear) in CHANNELS.items():
        if villain.you == "north":
            attempt(f"hearing by {name}", hear)
        elif speak:
            try:
                speak()
                log(f"said by {name}")
            except Exception as error:
                log(f"refused saying by {name}: {error!r}")


talk.every_move = True
DEEDS = {"talk": talk, "numbered": numbered}
