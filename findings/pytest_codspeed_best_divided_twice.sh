#!/bin/sh
# SPDX-License-Identifier: MIT
# pytest-codspeed 5.0.4, `--codspeed-mode walltime`: the column "Time (best)" of the printed table is too small by the
# number of calls in a round. `min_ns` of the JSON file is already the time of one call, and the table divides it by
# `iter_per_round` again. A function that waits for at least 20 µs has a best time of 440ns in the table (46 calls in a
# round) and 20,256 ns in the file; `list(range(10))` is printed as 0ns. With one call in a round both are equal.
# Fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip --quiet install pytest-codspeed==5.0.4 pytest==9.2.0
cat > test_app.py <<'PROGRAM'
import time


def wait():
    end = time.perf_counter_ns() + 20_000
    while time.perf_counter_ns() < end:
        pass


def test_wait(benchmark):
    benchmark(wait)
PROGRAM
PYTHONIOENCODING=utf-8 COLUMNS=120 venv/bin/python -m pytest --codspeed --codspeed-mode walltime \
    --codspeed-warmup-time 0.5 --codspeed-max-time 0.5 test_app.py > table.txt
venv/bin/python - <<'CHECK'
import glob
import json
import re

with open(glob.glob(".codspeed/results_*.json")[0], encoding="utf-8") as file:
    (benchmark,) = json.load(file)["benchmarks"]
with open("table.txt", encoding="utf-8") as file:
    text, unit = re.search(r"test_wait\W+([\d.]+)(ns|µs|ms)", file.read()).groups()
best, calls = benchmark["stats"]["min_ns"], benchmark["stats"]["iter_per_round"]
printed = float(text) * {"ns": 1, "µs": 1e3, "ms": 1e6}[unit]
print(f"calls in a round {calls}, min_ns {best:.0f}, printed {text}{unit}")
assert calls > 1 and best >= 20_000, benchmark
assert abs(printed - best / calls) < 10, "the table now shows the time of one call"
CHECK
