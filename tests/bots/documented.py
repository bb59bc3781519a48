#!/usr/bin/env python3
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "new-game" and message["game"] == CRASHES:
        sys.exit("TypeError: an odd opening")
    if message["type"] in ("hello", "new-game"):
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "turn":
        print(json.dumps({"type": "move", "pit": message["legal"][0]}), flush=True)
    elif message["type"] == "quit":
        break
