import json, os, sys, threading, time
kind, counts, kept = sys.argv[1], [int(word) for word in sys.argv[2:]], []
def fill(mib):
    kept.append(bytearray(mib << 20))
    for page in range(0, mib << 20, 4096):
        kept[-1][page] = 1
def keep():
    if kind == "memory":
        fill(counts[0])
    elif kind == "threads":
        for _ in range(counts[0]):
            thread = threading.Thread(target=time.sleep, args=(600,), daemon=True)
            thread.start()
            kept.append(thread)
    else:
        read, write = os.pipe()
        for _ in range(counts[0]):
            if os.fork() == 0:
                fill(counts[1])
                os.write(write, b"x")
                time.sleep(600)
        os.close(write)
        got = 0
        while got < counts[0] and os.read(read, 1):
            got += 1
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] in ("hello", "new-game"):
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "turn":
        if not kept:
            kept.append(None)
            keep()
        print('{"type":"move","pit":%d}' % message["legal"][0], flush=True)
