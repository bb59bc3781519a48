import json, sys
heard = open("heard.jsonl", "a")
for line in sys.stdin:
    heard.write(line)
    heard.flush()
    message = json.loads(line)
    if message["type"] in ("hello", "new-game"):
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "turn":
        pit = message["legal"][-1]
        heard.write(json.dumps({"type": "own", "pit": pit}) + "\n")
        # After its answer it may be ended at any time.
        heard.flush()
        move = {"type": "move", "pit": pit, "info": {"comment": "\u001b[31mred"}}
        print(json.dumps(move), flush=True)
