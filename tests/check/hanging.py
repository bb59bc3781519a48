# They never answer: what they do after they have read the greeting.

## waits for a second line
sys.stdin.readline()
ready()

## does not flush
print('{"type":"ready"}')
sys.stdin.readline()

## writes no newline
print('{"type":"ready"}', end='', flush=True)
sys.stdin.readline()

## has idle threads
for _ in range(3):
    threading.Thread(target=threading.Event().wait, daemon=True).start()
sys.stdin.readline()

## selects
select.select([0], [], [])

## polls
events = select.epoll()
events.register(0, select.EPOLLIN)
events.poll()
