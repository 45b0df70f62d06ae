#!/bin/sh
# SPDX-License-Identifier: MIT
# cProfile of CPython 3.12 and later, `Profile.runcall` in the main thread: the calls of threads that the function starts
# are recorded too, in one stack with those of the main thread. Two threads that each sleep six times for 50 ms give 12
# calls of time.sleep; with CPython 3.11.7 there is no row of it, and the wait is lock.acquire of the main thread. With
# 3.13.0, in two of four runs, the own time of time.sleep (0.300 s) exceeded its cumulative time (0.004 and 0.006 s) and
# another function had 0.60 s of a run that took 0.31 s: callers and cumulative times of such a dump are not of one thread.
# Usage: cprofile_records_other_threads.sh [PYTHON], an interpreter of 3.13 (python3.13 unless given); needs no package.
# Fails if that changes.
set -eu
python=${1:-python3.13}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > app.py <<'PROGRAM'
import cProfile
import pstats
import sys
import threading
import time


def fetch():
    for _ in range(6):
        time.sleep(0.05)


def serve():
    threads = [threading.Thread(target=fetch) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


profile = cProfile.Profile()
begin = time.perf_counter()
profile.runcall(serve)
wall = time.perf_counter() - begin
rows = {name: row for (_, _, name), row in pstats.Stats(profile).stats.items()}
_, calls, own, cumulative, _ = rows["<built-in method time.sleep>"]
print(sys.version.split()[0], "time.sleep: calls", calls, "own", round(own, 3), "cumulative", round(cumulative, 3), "wall", round(wall, 3))
print("largest cumulative time", round(max(row[3] for row in rows.values()), 3))  # differs from run to run
assert sys.version_info[:2] == (3, 13), "run it with CPython 3.13"
assert calls == 12
assert own > 0.25
PROGRAM
"$python" app.py
