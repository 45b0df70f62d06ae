#!/bin/sh
# SPDX-License-Identifier: MIT
# memory_profiler 0.61.0, `python -m memory_profiler` with the builtin `@profile`: a marked function that calls another
# marked function has, as Increment of the calling line, about the whole memory of the process once for each call, though
# nothing stays. With 20 calls the increments of one line exceed the largest "Mem usage" of the report several times; the
# same program without the mark of the inner function has an increment near 0 there. Increments of such reports cannot be
# added, and a line is not what holds the memory because it has the largest of them.
# Fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip --quiet install memory_profiler==0.61.0
cat > app.py <<'PROGRAM'
@profile
def page(i):
    text = str(i)
    return len(text)


@profile
def book():
    total = 0
    for i in range(20):
        total += page(i)
    return total


book()
PROGRAM
venv/bin/python -m memory_profiler app.py > both.txt
sed '1d' app.py > outer.py
venv/bin/python -m memory_profiler outer.py > outer.txt
venv/bin/python - <<'CHECK'
import re


def rows(path):
    with open(path) as report:
        return re.findall(r"^ +\d+ +([\d.]+) MiB +(-?[\d.]+) MiB +\d+ +(.*)$", report.read(), re.M)


def increment(path):
    return next(float(row[1]) for row in rows(path) if "page(i)" in row[2] and "def" not in row[2])


peak = max(float(row[0]) for row in rows("both.txt"))
print("peak", peak, "calling line", increment("both.txt"), "without the inner mark", increment("outer.txt"))
assert increment("both.txt") > 3 * peak
assert increment("outer.txt") < 1
CHECK
