# They answer after 2 s, in which no thread of theirs runs.

## sleeps
time.sleep(2)
ready()

## polls for a time
select.poll().poll(2000)
ready()

## selects for a time
select.select([0], [], [], 2)
ready()

## waits for events for a time
events = select.epoll()
events.register(0, select.EPOLLIN)
events.poll(2)
ready()

## reads, and another thread waits for a time
def work():
    condition = threading.Condition()
    with condition:
        condition.wait(2)
    ready()
threading.Thread(target=work).start()
sys.stdin.readline()

## reads until its alarm
signal.signal(signal.SIGALRM, lambda *_: ready())
signal.setitimer(signal.ITIMER_REAL, 2)
sys.stdin.readline()

## reads until the signal of a timer
# CLOCK_MONOTONIC, and a `sigevent` with SIGUSR1.
signal.signal(signal.SIGUSR1, lambda *_: ready())
libc = ctypes.CDLL(None)
timer = ctypes.c_void_p()
event = (ctypes.c_int * 16)(0, 0, signal.SIGUSR1, 0)
assert libc.timer_create(1, event, ctypes.byref(timer)) == 0
spec = (ctypes.c_long * 4)(0, 0, 2, 0)
assert libc.timer_settime(timer, 0, spec, None) == 0
sys.stdin.readline()

## waits for a timer among its events
libc = ctypes.CDLL(None)
timer = libc.timerfd_create(1, 0)
spec = (ctypes.c_long * 4)(0, 0, 2, 0)
assert libc.timerfd_settime(timer, 0, spec, None) == 0
events = select.epoll()
events.register(0, select.EPOLLIN)
events.register(timer, select.EPOLLIN)
events.poll()
ready()

## reads from a child that sleeps
subprocess.run('sleep 2; echo x', shell=True, capture_output=True)
ready()

## waits for a child that computes
work = 'import time\nwhile time.process_time() < 2: pass'
subprocess.run([sys.executable, '-I', '-S', '-c', work])
ready()

## reads while its child waits to answer
if os.fork() == 0:
    time.sleep(2)
    ready()
    os._exit(0)
sys.stdin.readline()
