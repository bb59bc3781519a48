import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] in ("hello", "new-game"):
        if message["type"] == "new-game":
            print(line, end="", file=sys.stderr, flush=True)
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "turn":
        print('{"type":"move","pit":%d}' % message["legal"][0], flush=True)
