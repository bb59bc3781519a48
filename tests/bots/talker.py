import json, sys
def say(line):
    print(line, file=sys.stderr, flush=True)
for line in sys.stdin:
    request = json.loads(line)
    if request["type"] == "hello":
        print('{"type":"ready"}', flush=True)
    elif request["type"] == "new-game":
        game = request["game"]
        print('{"type":"ready"}', flush=True)
    elif request["type"] == "turn":
        say(f"turn of {game}")
        print(json.dumps({"type": "move", "pit": request["legal"][0]}), flush=True)
    elif request["type"] == "game-over":
        say(f"over: {game}")
    elif request["type"] == "quit":
        say(f"bye after {game}")
