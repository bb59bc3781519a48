"""Deeds with files: reads of what is secret, writes to what is not its own, and full disks."""

import errno
import glob
import os

from villain import TARGETS, attempt, log

HERE = os.path.dirname(os.path.abspath(__file__))
SIGN = "villain-was-here"
#: More than any limit on temporary files, and little enough for the room of the test.
DISK = 96 << 20


def read(path):
    with open(path, "rb") as file:
        return file.read(4096)


def secrets_in(data):
    return [word for word in TARGETS["secret_words"] if word.encode() in data]


def read_secret(villain):
    attempt("reading a file of the user", lambda: secrets_in(read(TARGETS["secret"])))
    attempt("listing the user's folder", lambda: os.listdir(os.path.dirname(TARGETS["secret"])))


def read_rival(villain):
    attempt("reading the rival's source", lambda: secrets_in(read(TARGETS["rival"])))
    attempt("listing rivals", lambda: os.listdir(TARGETS["submissions"]))


def read_results(villain):
    attempt("reading the journal", lambda: read(TARGETS["journal"])[:20])
    attempt("listing the results", lambda: os.listdir(TARGETS["results"]))


def read_links(villain):
    for name in ("link-to-secret", "link-to-rival", "link-to-folder/secret.txt", "link-upwards/planted/secret.txt"):
        attempt(f"following {name}", lambda: secrets_in(read(os.path.join(HERE, name))))


def read_environments(villain):
    """Only of processes in its own namespace, and only for the planted word."""
    attempt("own environment", lambda: secrets_in(repr(sorted(os.environ.items())).encode()))
    places = ["/proc/1/environ", f"/proc/{os.getppid()}/environ", "/proc/1/cmdline"]
    places += glob.glob("/proc/[0-9]*/environ")[:100]
    for place in places:
        attempt(place, lambda: secrets_in(read(place)))


#: What `/proc` says of the whole host, where two bots could meet.
FIGURES = """buddyinfo diskstats interrupts key-users keys loadavg locks meminfo schedstat softirqs stat
    uptime vmstat zoneinfo cgroups cpuinfo pressure/cpu pressure/memory pressure/io sys/fs/aio-nr
    sys/fs/dentry-state sys/fs/file-nr sys/fs/inode-nr sys/fs/inode-state sys/kernel/ns_last_pid
    sys/kernel/pty/nr sys/kernel/random/entropy_avail sys/kernel/random/uuid sys/fs/inotify/max_user_watches
    sys/vm/stat_refresh sysvipc/shm""".split()


def host_figures(villain):
    """Reads each figure twice, with some work between: what changes tells of the host."""
    def figures():
        found = {}
        for name in FIGURES:
            try:
                found[name] = read(f"/proc/{name}")
            except OSError:
                found[name] = None
        return found
    before = figures()
    held = [os.pipe() for _ in range(40)]
    try:
        memory = [os.memfd_create("held")]
        os.write(memory[0], b"x" * (8 << 20))
    except OSError:
        memory = []
    children = [os.fork() for _ in range(2)]
    if 0 in children:
        os._exit(0)
    for child in children:
        os.waitpid(child, 0)
    after = figures()
    for ends in held + [memory]:
        for end in ends:
            os.close(end)
    for name in FIGURES:
        attempt(f"the host's {name}", lambda: before[name] != after[name])
    attempt("the host's command line", lambda: read("/proc/cmdline"))


def mounts(villain):
    """Neither the run nor its user nor other entrants may be told by what is mounted where."""
    with open("/proc/self/mountinfo") as file:
        lines = file.read().splitlines()
    # A toolchain stands where it is on the host: its place tells nothing that its name does not.
    lines = [line for line in lines if line.split()[3] != line.split()[4]]
    words = ["awale-", "room", "villain", "swift", "results", "/root", "/home"]
    for word in words:
        attempt(f"{word} in mountinfo", lambda: [line for line in lines if word in line])


def write_proc(villain):
    """What of `/proc` could be written: it outlives no process, but it tells the kernel what to do."""
    names = ["self/oom_score_adj", "self/coredump_filter", "self/timerslack_ns", "self/clear_refs",
             "self/autogroup", "self/sched", "self/setgroups", "self/uid_map", "self/loginuid",
             "sys/kernel/ns_last_pid", "sys/vm/drop_caches", "sys/kernel/hostname", "sysrq-trigger"]
    for name in names:
        def act():
            with open(f"/proc/{name}", "r+b", buffering=0) as file:
                return file.write(file.read(64).strip() or b"0") >= 0
        attempt(f"writing /proc/{name}", act)


def read_descriptors(villain):
    """What is open beside the three streams was left open by the referee."""
    def others():
        known = set()
        for number in os.listdir("/proc/self/fd"):
            try:
                known.add((int(number), os.readlink(f"/proc/self/fd/{number}")))
            except OSError:
                pass  # the listing's own
        return sorted((n, to) for n, to in known if n > 2)
    attempt("descriptors of the referee", others)


def see_others(villain):
    """The process numbers of strangers."""
    def strangers():
        own, found = {os.getpid(), os.getppid(), 1}, []
        for name in os.listdir("/proc"):
            if name.isdigit() and int(name) not in own:
                found.append(read(f"/proc/{name}/cmdline"))
        return found
    attempt("seeing other processes", strangers)


def leave_sign(folder):
    path = os.path.join(folder, SIGN)
    with open(path, "w") as file:
        file.write("I was here")
    return path


def write_system(villain):
    for folder in ("/", "/usr", "/usr/bin", "/usr/local/bin", "/etc", "/opt", "/var/tmp", "/home", "/root", "/run", "/dev", "/proc", "/sys/fs/cgroup"):
        attempt(f"writing to {folder}", lambda: leave_sign(folder))


def write_own(villain):
    attempt("writing to its own folder", lambda: leave_sign(HERE))
    attempt("changing its own file", lambda: open(os.path.join(HERE, "own.txt"), "a").write("#"))
    attempt("renaming its own file", lambda: os.rename(os.path.join(HERE, "own.txt"), os.path.join(HERE, "x")) or "done")
    attempt("changing modes", lambda: os.chmod(os.path.join(HERE, "own.txt"), 0o777) or "done")


def write_others(villain):
    for name in ("secret", "rival", "journal"):
        attempt(f"changing {name}", lambda: open(TARGETS[name], "a").write("#"))
        attempt(f"emptying {name}", lambda: os.truncate(TARGETS[name], 0) or "done")
        attempt(f"changing the mode of {name}", lambda: os.chmod(TARGETS[name], 0) or "done")
        attempt(f"changing the times of {name}", lambda: os.utime(TARGETS[name], (0, 0)) or "done")
        attempt(f"giving {name} away", lambda: os.chown(TARGETS[name], os.getuid(), os.getgid()) or "done")
        attempt(f"naming {name}", lambda: os.setxattr(TARGETS[name], "user.villain", b"x") or "done")
    for name in ("planted", "submissions", "results"):
        attempt(f"writing to {name}", lambda: leave_sign(TARGETS[name]))
    attempt("removing the rival", lambda: os.remove(TARGETS["rival"]) or "done")


def write_links(villain):
    attempt("writing through a link", lambda: open(os.path.join(HERE, "link-to-secret"), "a").write("#"))
    attempt("writing through a folder's link", lambda: leave_sign(os.path.join(HERE, "link-to-folder")))
    def through_own_link():
        place = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"link-{os.getpid()}")
        os.symlink(TARGETS["secret"], place)
        try:
            return open(place, "a").write("#")
        finally:
            os.remove(place)
    attempt("writing through a link of its own", through_own_link)


def fill(folder, name, files):
    """Bytes until somebody says stop."""
    block, written, paths = b"x" * (1 << 20), 0, []
    try:
        for number in range(files):
            path = os.path.join(folder, f"{name}-{number}")
            paths.append(path)
            with open(path, "wb", buffering=0) as file:
                for _ in range(DISK // files >> 20):
                    written += file.write(block)
    except OSError as error:
        log(f"refused after {written >> 20} MiB: {errno.errorcode.get(error.errno)}")
    return written


def fill_temporary(villain):
    log("tried to fill the temporary folder")
    if fill(os.environ.get("TMPDIR", "/tmp"), "large", 1) > TARGETS["temporary_bytes"]:
        log("GAINED more room than it has")


def fill_with_many(villain):
    log("tried to fill the temporary folder with many files")
    if fill(os.environ.get("TMPDIR", "/tmp"), "small", 48) > TARGETS["temporary_bytes"]:
        log("GAINED more room than it has")


def fill_shared_memory(villain):
    log("tried to fill /dev/shm")
    if fill("/dev/shm", "large", 1) > TARGETS["temporary_bytes"]:
        log("GAINED more room than it has")


def fill_system(villain):
    log("tried to fill other places")
    for folder in ("/", "/dev", "/run", "/var/tmp", HERE):
        if fill(folder, SIGN, 1):
            log(f"GAINED room in {folder}")


DEEDS = {
    deed.__name__: deed
    for deed in (
        read_secret, read_rival, read_results, read_links, read_environments, read_descriptors,
        see_others, write_system, write_own, write_others, write_links, fill_temporary,
        fill_with_many, fill_shared_memory, fill_system, host_figures, mounts, write_proc,
    )
}
