import fcntl, os, sys
SET, GET = 1031, 1032
held = []
for line in sys.stdin:
    if '"turn"' in line:
        ends = os.pipe()
        if sys.argv[1] == "fill":
            for size in [1 << 20, 1 << 16]:
                try:
                    while True:
                        held.append(os.pipe())
                        fcntl.fcntl(held[-1][1], SET, size)
                except OSError:
                    pass
        elif fcntl.fcntl(ends[1], GET) < 65536:
            sys.exit("somebody has taken the pages of pipes")
        for end in ends:
            os.close(end)
        print('{"type":"move","pit":%s}' % line.split('"legal":[')[1][0], flush=True)
    elif '"hello"' in line or '"new-game"' in line:
        print('{"type":"ready"}', flush=True)
