import numpyx as np
import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] in ("hello", "new-game"):
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "turn":
        legal = message["legal"]
        print(json.dumps({"type": "move", "pit": legal[0]}), flush=True)
