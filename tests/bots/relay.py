import os, signal, sys, time
def relay(end):
    if os.fork():
        return
    while time.monotonic() < end:
        leave = time.monotonic() + 0.002
        while time.monotonic() < leave:
            pass
        if os.fork():
            os._exit(0)
    os._exit(0)
for line in sys.stdin:
    if '"turn"' in line:
        if sys.argv[1] == "relay":
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)
            end = time.monotonic() + 0.5
            relay(end)
            relay(end)
            while time.monotonic() < end:
                time.sleep(0.002)
        print('{"type":"move","pit":%s}' % line.split('"legal":[')[1][0], flush=True)
    elif '"hello"' in line or '"new-game"' in line:
        print('{"type":"ready"}', flush=True)
