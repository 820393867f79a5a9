# The same as turns.h and split.c for Python: python3 split.py TRUTH. It says `ready` and ends when it is told to
# (SIGTERM). A recorder that sees native frames only can tell two functions of libz from the interpreter, which
# has what they leave.
import random
import signal
import sys
import time
import zlib

data = memoryview(bytes(i * i % 251 for i in range(65536)) * 80)  # parts of it are no copies
over = False


def end_turns(number, frame):
    global over
    over = True


def interpreter(rounds):
    total = 0
    for i in range(rounds):
        total += (i ^ total) & 1023
    return total


def crc32(rounds):
    zlib.crc32(data[:rounds])


def deflate(rounds):
    zlib.compress(data[:rounds], 6)


parts = {"interpreter": [10, 16000, interpreter], "crc32": [6, 3200000, crc32], "deflate": [4, 120000, deflate]}
deck = [name for name in parts for _ in range(parts[name][0])]
used = dict.fromkeys(parts, 0)
signal.signal(signal.SIGTERM, end_turns)
print("ready", flush=True)
begin = time.thread_time_ns()
while not over and time.thread_time() < 60:
    random.shuffle(deck)
    for name in deck:
        _, rounds, run = parts[name]
        rounds = int(rounds * random.uniform(0.5, 1.5))
        start = time.thread_time_ns()
        run(rounds)
        used[name] += time.thread_time_ns() - start
used["interpreter"] = time.thread_time_ns() - begin - used["crc32"] - used["deflate"]
with open(sys.argv[1], "w") as out:
    for name in parts:
        print(name, used[name], file=out)
