import sys
class json:
    loads = lambda text: eval(text, {"true": True, "false": False, "null": None})
    dumps = lambda value: str(value).replace("'", '"')
games = 0
for line in sys.stdin:
    message = json.loads(line)
    kind = message["type"]
    if kind == "quit":
        break
    if kind == "hello":
        print(json.dumps({"type": "ready", "name": "small"}), flush=True)
    if kind == "new-game":
        games += 1
        side = message["you"]
        print(json.dumps({"type": "ready"}), flush=True)
    if kind == "game-over":
        pass
    if kind == "turn":
        pit = message["legal"][0]
        print(json.dumps({"type": "move", "pit": pit}), flush=True)
