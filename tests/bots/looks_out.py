import os, signal, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)

def opens(device):
    try:
        os.close(os.open(device, os.O_RDWR))
        return True
    except OSError:
        return False

for line in sys.stdin:
    if '"turn"' in line:
        seen = ' '.join(filter(opens, ['/dev/tty', '/dev/console']))
        os.kill(0, signal.SIGTERM)
        pit = line.split('"legal":[')[1][0]
        print('{"type":"move","pit":%s,"info":{"seen":"<%s>"}}' % (pit, seen), flush=True)
    elif '"hello"' in line or '"new-game"' in line:
        print('{"type":"ready"}', flush=True)
