import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] in ("hello", "new-game"):
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "turn":
        info = {"score": -message["turn"], "comment": "ADAS-INFO"}
        print(json.dumps({"type": "move", "pit": message["legal"][-1], "info": info}), flush=True)
