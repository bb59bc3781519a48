import os, sys, threading, time
turns = 0
for line in sys.stdin:
    if '"turn"' in line:
        turns += 1
        if sys.argv[1] == "brief" and turns == 1:
            pass
        elif sys.argv[1] != "honest":
            try:
                while True:
                    if os.fork() == 0:
                        time.sleep(60)
                        os._exit(0)
            except OSError:
                pass
            time.sleep({"slow": 60, "brief": 0.3}.get(sys.argv[1], 0))
        else:
            thread = threading.Thread(target=lambda: None)
            thread.start()
            thread.join()
            time.sleep(float(sys.argv[2]))
        print('{"type":"move","pit":%s}' % line.split('"legal":[')[1][0], flush=True)
    elif '"hello"' in line or '"new-game"' in line:
        print('{"type":"ready"}', flush=True)
