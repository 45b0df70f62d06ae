#!/bin/sh
# SPDX-License-Identifier: MIT
# flameprof 0.4: a flame graph of a cProfile dump loses time where a recursive function calls others. `walk` calls itself
# ten times, and each call does its work in `leaf`. The stacks of `--format log` have three levels of `walk`, and their
# microseconds add up to 76 to 78 % of the total that pstats gives (three runs, CPython 3.11.7); the SVG is as wide as
# the total, so that the rest looks like own time of `walk`. Without recursion the sum is the total.
# Fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip --quiet install flameprof==0.4
cat > app.py <<'PROGRAM'
import sys


def leaf():
    for _ in range(400_000):
        pass


def walk(depth):
    leaf()
    if depth > 1:
        walk(depth - 1)


def repeat(count):
    for _ in range(count):
        leaf()


repeat(10) if sys.argv[1] == "loop" else walk(10)
PROGRAM
for form in loop recursion; do
    venv/bin/python -m cProfile -o $form.prof app.py $form
    venv/bin/python -m flameprof --format log $form.prof > $form.folded
done
venv/bin/python - <<'CHECK'
import pstats


def share(form):
    with open(f"{form}.folded") as file:
        lines = [line.rsplit(" ", 1) for line in file]
    total = pstats.Stats(f"{form}.prof").total_tt
    depth = max(stack.count(":walk") for stack, _ in lines)
    print(f"{form}: {sum(int(us) for _, us in lines) / 1e6 / total:.1%} of {total:.3f} s, levels of walk: {depth}")
    return sum(int(us) for _, us in lines) / 1e6 / total, depth


assert share("loop")[0] > 0.99
part, depth = share("recursion")
assert part < 0.9 and depth == 3, "the stacks of a recursive function now hold its time"
CHECK
