"""Answers with the first legal pit, from a pool of threads, with files, processes and a database."""

import concurrent.futures
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

pool = concurrent.futures.ThreadPoolExecutor(2)


def choose(message):
    with tempfile.TemporaryFile() as file:
        file.write(b"x" * 1000)
        file.flush()
        os.fsync(file.fileno())
    return message["legal"][0]


def look_around():
    assert subprocess.run(["echo", "hi"], capture_output=True, check=True).stdout == b"hi\n"
    with tempfile.TemporaryDirectory() as folder:
        database = sqlite3.connect(os.path.join(folder, "x.db"))
        database.execute("create table t(a)")
        database.commit()
        database.close()
    assert os.cpu_count() > 0


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "quit":
        break
    if message["type"] == "turn":
        print(json.dumps({"type": "move", "pit": pool.submit(choose, message).result()}), flush=True)
    elif message["type"] != "game-over":
        look_around()
        print('{"type":"ready"}', flush=True)
