import os, sys, time
folder = sys.argv[2]
if not os.path.exists(folder + "/quiet"):
    print("heard in the first attempt", file=sys.stderr, flush=True)
for line in sys.stdin:
    if '"turn"' in line:
        while not os.path.exists(folder + "/go"):
            time.sleep(0.01)
        print('{"type":"move","pit":%s}' % line.split('"legal":[')[1][0], flush=True)
    elif '"hello"' in line or '"new-game"' in line:
        print('{"type":"ready"}', flush=True)
