import os, sys, time
children = 0
for line in sys.stdin:
    if '"turn"' in line:
        while children < 20:
            children += 1
            if os.fork() == 0:
                time.sleep(600)
                os._exit(0)
        print('{"type":"move","pit":%s}' % line.split('"legal":[')[1][0], flush=True)
    elif '"hello"' in line or '"new-game"' in line:
        print('{"type":"ready"}', flush=True)
