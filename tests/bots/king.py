import json, sys
for line in sys.stdin:
    request = json.loads(line)
    if request["type"] == "hello":
        ready = {"type": "ready", "name": "Oware\x1b[2JKing", "version": "1.2"}
        print(json.dumps(ready), flush=True)
    elif request["type"] == "new-game":
        print('{"type":"ready"}', flush=True)
    elif request["type"] == "turn":
        print(json.dumps({"type": "move", "pit": request["legal"][0]}), flush=True)
