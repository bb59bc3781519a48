"""Fails if bots/practice.py names anything that Python 3.8 or Windows does not have."""

import ast
import pathlib
import sys

PRACTICE = pathlib.Path(__file__).resolve().parents[2] / "bots" / "practice.py"
# Modules that every Python has on every system.
PORTABLE = {
    "argparse", "collections", "difflib", "json", "os", "queue", "random", "re", "shutil", "signal",
    "subprocess", "sys", "textwrap", "threading", "time", "typing",
}
# What POSIX systems alone have, or what works differently elsewhere; for `signal` and `os` the few
# names that are the same everywhere are listed instead.
FOREIGN = {
    "preexec_fn", "start_new_session", "process_group", "pass_fds", "user", "group", "umask",
    "send_signal", "communicate", "set_blocking", "select", "poll", "fileno",
}
ALLOWED = {
    "os": {"environ", "name", "path", "sep", "times", "listdir"},
    "signal": {"Signals"},
}


def wrong(tree):
    """Everything that is not portable, with its line."""
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [it.name for it in node.names if it.name.split(".")[0] not in PORTABLE]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module] if node.module not in {"typing"} else []
        elif isinstance(node, ast.keyword) and node.arg in FOREIGN | {"shell"}:
            names = [node.arg]
        elif isinstance(node, ast.Attribute):
            owner = node.value.id if isinstance(node.value, ast.Name) else ""
            if node.attr in FOREIGN or node.attr not in ALLOWED.get(owner, {node.attr}):
                names = [node.attr]
        for name in names:
            yield "line {}: {}".format(node.lineno, name)


text = PRACTICE.read_text(encoding="utf-8")
found = list(wrong(ast.parse(text, feature_version=(3, 8))))
bad = list(wrong(ast.parse("import os, pty\nos.fork()\nfrom select import poll\nf(shell=True)")))
assert len(bad) == 4, bad  # it sees what it looks for
sys.exit("\n".join(found) or None)
