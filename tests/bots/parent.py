import os, signal, sys
if signal.pthread_sigmask(signal.SIG_BLOCK, []):
    os._exit(3)
for line in sys.stdin:
    if '"turn"' in line:
        child = os.fork()
        if child == 0:
            os.kill(os.getpid(), signal.SIGSTOP)
            os._exit(0)
        os.waitpid(child, 0)
        print('{"type":"move","pit":%s}' % line.split('"legal":[')[1][0], flush=True)
    elif '"hello"' in line or '"new-game"' in line:
        print('{"type":"ready"}', flush=True)
