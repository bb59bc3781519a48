"""Starts awale as a careless user does: `careless.py FOLDER PROGRAM ARGUMENTS …`.

It has a terminal, its limits are finite, and descriptors are left open: of a folder that no
bot may see, and of the other end of the terminal. Only so can bots find any of this.
"""

import fcntl
import os
import pty
import resource
import sys
import termios

# So many files that a bot without a limit of its own would open more than it may.
LIMITS = {"RLIMIT_NPROC": 990, "RLIMIT_MEMLOCK": 8 << 20, "RLIMIT_CORE": 1 << 20, "RLIMIT_NOFILE": 4096}
for name, most in LIMITS.items():
    number = getattr(resource, name)
    hard = resource.getrlimit(number)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(number, (most, most))
os.setsid()
other_end, terminal = pty.openpty()
fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
for descriptor in (other_end, terminal, os.open(sys.argv[1], os.O_RDONLY)):
    os.set_inheritable(descriptor, True)
os.execv(sys.argv[2], sys.argv[2:])
