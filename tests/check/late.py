# They answer after 2 s, and work or wake up meanwhile.

## wakes up now and then
for _ in range(20):
    time.sleep(0.1)
ready()

## reads, and another thread works
def work():
    while time.process_time() < 2: pass
    ready()
threading.Thread(target=work).start()
sys.stdin.readline()

## waits for a child that computes
work = 'import time\nwhile time.process_time() < 2: pass'
subprocess.run([sys.executable, '-I', '-S', '-c', work])
ready()
