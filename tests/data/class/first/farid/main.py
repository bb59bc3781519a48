import sys

lines = sys.stdin.read().splitlines()
print('{"type":"ready"}', flush=True)
