#!/bin/sh
# SPDX-License-Identifier: MIT
# pytest-codspeed 5.0.4, `--codspeed-mode walltime`: `rounds` of the JSON file is the number of rounds that were planned
# after the warm-up. A benchmark stops early when its time is used up, and the file does not say so. A function that takes
# 1 ms, and 100 ms from its 400th call on, has 932 rounds of one call in the file, but was called 128 times after the
# warm-up. The column "Iters" of the table is the plan too. Mean and deviation are those of the rounds that were run, so
# an interval computed with `rounds` is too narrow.
# Fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip --quiet install pytest-codspeed==5.0.4 pytest==9.2.0
cat > test_app.py <<'PROGRAM'
import time

calls = 0


def work():
    global calls
    calls += 1
    time.sleep(0.1 if calls >= 400 else 0.001)


def test_work(benchmark):
    benchmark(work)
    with open("calls.txt", "w") as file:
        file.write(str(calls))
PROGRAM
venv/bin/python -m pytest --quiet --codspeed --codspeed-mode walltime --codspeed-warmup-time 0.3 --codspeed-max-time 1 test_app.py
venv/bin/python - <<'CHECK'
import glob
import json

with open(glob.glob(".codspeed/results_*.json")[0], encoding="utf-8") as file:
    (benchmark,) = json.load(file)["benchmarks"]
with open("calls.txt") as file:
    calls = int(file.read())
stats = benchmark["stats"]
planned, run = stats["rounds"] * stats["iter_per_round"], calls - stats["warmup_iters"]
print(f"rounds {stats['rounds']}, calls in a round {stats['iter_per_round']}, calls after the warm-up {run}")
assert 0 < run < planned * 0.9, "rounds is now the number of rounds that were run"
CHECK
