"""Runs a program in a pseudo-terminal of a width, and prints all that it writes there.

   python3 terminal.py COLUMNS PROGRAM ARGUMENTS …
"""
import fcntl
import os
import pty
import struct
import sys
import termios

process, terminal = pty.fork()
if process == 0:
    # The width is set before the program looks.
    size = struct.pack("HHHH", 40, int(sys.argv[1]), 0, 0)
    fcntl.ioctl(0, termios.TIOCSWINSZ, size)
    os.execvp(sys.argv[2], sys.argv[2:])
written = b""
while True:
    try:
        part = os.read(terminal, 65536)
    except OSError:
        break
    if not part:
        break
    written += part
_, status = os.waitpid(process, 0)
sys.stdout.buffer.write(written)
sys.exit(os.waitstatus_to_exitcode(status))
