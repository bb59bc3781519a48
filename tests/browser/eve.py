import json, sys
games = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        ready = {"type": "ready", "name": "<b onclick=alert(1)>", "version": "</title>"}
        print(json.dumps(ready), flush=True)
    elif message["type"] == "new-game":
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "turn":
        if message["turn"] in (4, 5) and message["board"][0] % 2 == 0:
            error = "<script>alert('EVES-ERROR')</script></pre><img src=x onerror=alert(5)>"
            print(error, file=sys.stderr, flush=True)
            sys.exit(3)
        comment = "</script><script>alert('EVES-INFO')</script>"
        score = [1.5, 1.7976931348623157e308, -1.7976931348623157e308][message["turn"] // 2 % 3]
        info = {"score": score, "comment": comment, "pv": "javascript:alert(4)", "note": "\u202e"}
        print(json.dumps({"type": "move", "pit": message["legal"][0], "info": info}), flush=True)
