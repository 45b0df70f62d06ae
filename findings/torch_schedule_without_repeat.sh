#!/bin/sh
# SPDX-License-Identifier: MIT
# torch 2.15.0, torch.profiler.schedule(wait=1, warmup=1, active=2) without `repeat`: the cycle starts again, and
# export_chrome_trace() after the loop writes what the last cycle had recorded by then, without a warning. The loop of n
# steps multiplies two matrices once a step; aten::mm in the file: 2 for 4 steps, 0 for 5 and 6, 1 for 7, 2 for 8. With
# repeat=1 the file holds 2 for each n. key_averages() says the same as the file.
# Usage: torch_schedule_without_repeat.sh [PYTHON], an interpreter that has torch 2.15.0; without it torch is installed
# into a temporary folder (6 GB). Fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python=${1:-}
if [ -z "$python" ]; then
    python3 -m venv "$folder/venv"
    "$folder/venv/bin/pip" --quiet install torch==2.15.0
    python=$folder/venv/bin/python
fi
cd "$folder"
cat > app.py <<'PROGRAM'
import json

import torch
from torch.profiler import ProfilerActivity, profile, schedule


def multiplications(steps, **options):
    matrix = torch.ones(64, 64)
    with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=1, warmup=1, active=2, **options)) as profiler:
        for _ in range(steps):
            torch.mm(matrix, matrix)
            profiler.step()
    profiler.export_chrome_trace("trace.json")
    with open("trace.json") as file:
        in_file = sum(event.get("name") == "aten::mm" for event in json.load(file)["traceEvents"])
    assert in_file == sum(row.count for row in profiler.key_averages() if row.key == "aten::mm")
    return in_file


assert torch.__version__.startswith("2.15.0"), torch.__version__
endless = {steps: multiplications(steps) for steps in range(4, 9)}
once = {steps: multiplications(steps, repeat=1) for steps in range(4, 9)}
print("without repeat", endless)
print("repeat=1      ", once)
assert endless == {4: 2, 5: 0, 6: 0, 7: 1, 8: 2} and set(once.values()) == {2}
PROGRAM
"$python" app.py
