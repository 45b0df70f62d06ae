#!/bin/sh
# SPDX-License-Identifier: MIT
# pytest-benchmark 5.3.1: a test that fails after its measurement, because the measured function gave a wrong result, is
# in the table and in the JSON file like any other. No key of its row says that the test failed. Of two tests below, the
# one that gives a wrong result at once fails and is the fastest; it becomes the baseline "(1.0)" of the table. Only a
# test whose measured function raises is left out.
# Fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip --quiet install pytest-benchmark==5.3.1 pytest==9.2.0
cat > test_app.py <<'PROGRAM'
import time


def compute():
    time.sleep(0.001)
    return 42


def test_right(benchmark):
    assert benchmark(compute) == 42


def test_wrong(benchmark):
    assert benchmark(lambda: 41) == 42


def test_raises(benchmark):
    benchmark(lambda: 1 / 0)
PROGRAM
status=0
venv/bin/python -m pytest --benchmark-json app.json --benchmark-max-time 0.1 --benchmark-columns min,mean,rounds \
    test_app.py > output.txt 2>&1 || status=$?
grep -E "^(test_|FAILED|=+ .* failed)" output.txt
test "$status" -eq 1
venv/bin/python - <<'CHECK'
import json

with open("app.json", encoding="utf-8") as file:
    rows = {row["name"]: row for row in json.load(file)["benchmarks"]}
print({name: row["stats"]["mean"] for name, row in rows.items()})
assert sorted(rows) == ["test_right", "test_wrong"], "the row of a failed test is now left out"
assert sorted(rows["test_right"]) == sorted(rows["test_wrong"]), "the row of a failed test now has a mark"
assert rows["test_wrong"]["stats"]["mean"] < rows["test_right"]["stats"]["mean"]
CHECK
