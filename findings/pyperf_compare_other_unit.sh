#!/bin/sh
# SPDX-License-Identifier: MIT
# pyperf 2.10.0: `compare_to` compares seconds with bytes. `pyperf timeit --track-memory` measures memory in place of time
# under the same benchmark name. Its file beside one of times gives "6.35 ns +- 0.10 ns -> 11.9 MiB +- 69.3 KiB:
# 1960713792049517.75x slower" and exit status 0. The unit is in the metadata of both files, and `pyperf convert --add`
# refuses to join files that differ in it.
# Fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip --quiet install pyperf==2.10.0
measure() {
    venv/bin/python -m pyperf timeit --quiet --processes 3 --values 1 --warmups 0 --loops 1000 --name join "$@" "'a' + 'b'"
}
measure --output time.json
measure --output memory.json --track-memory
if venv/bin/python -m pyperf convert time.json --add memory.json --output both.json 2> refused.txt; then exit 1; fi
tail -1 refused.txt
grep -q "metadata unit is different" refused.txt
venv/bin/python -m pyperf compare_to time.json memory.json > compared.txt
cat compared.txt
grep -Eq -e "-> \[memory\] .* MiB .*: [0-9]{10,}\.[0-9]+x slower" compared.txt
