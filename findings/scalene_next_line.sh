#!/bin/sh
# SPDX-License-Identifier: MIT
# Scalene 2.4.0, seen with CPython 3.10, 3.11, 3.12 and 3.13: the time of an operation that is no call is counted at a
# line below it. CPython runs the handler of a signal at calls and at the ends of loops only. A search through a list takes
# nearly all of the time below, and its line has no sample: they are at the last line of the loop, which adds a number, or
# at a call of str() between them.
# Fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip --quiet install scalene==2.4.0
cat > app.py <<'PROGRAM'
def search(names, wanted):
    found = 0
    for name in wanted:
        is_known = name in names
        found += is_known
    return found


def describe(names, wanted):
    found = 0
    for name in wanted:
        is_known = name in names
        text = str(name)
        found += is_known
    return found


names = [str(i) for i in range(40_000)]
wanted = [str(-i) for i in range(1, 3_000)]
search(names, wanted)
describe(names, wanted)
PROGRAM
venv/bin/scalene run --json --cpu-only --outfile app.json app.py > output.txt 2>&1
venv/bin/python - <<'CHECK'
import json

with open("app.json", encoding="utf-8") as file:
    (profile,) = [one for path, one in json.load(file)["files"].items() if path.endswith("app.py")]
shares = {line["lineno"]: line["n_cpu_percent_python"] + line["n_cpu_percent_c"] + line["n_sys_percent"] for line in profile["lines"]}
searches, ends = shares[4] + shares[12], shares[5] + shares[13]
print({number: round(share, 1) for number, share in shares.items() if share > 1})
assert searches < 5 and ends > 80 and shares[13] > 20, shares
CHECK
