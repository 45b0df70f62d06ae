#!/bin/sh
# SPDX-License-Identifier: MIT
# line_profiler 5.1.0: a time that is too wide for its column is printed with three significant digits (%5.3g), from
# which trailing zeros are dropped. "2e+10" means 1.995e+10 to 2.005e+10, and neither exactly 20,000,000,000 nor one
# digit. Times of one million units and more with a fraction lose digits that a narrower time keeps: two rows of
# 20,012,345,678.4 and 20,049,999,999.6 microseconds are printed with the same text.
# Fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip --quiet install line_profiler==5.1.0
cat > app.py <<'PROGRAM'
def work():
    first()
    second()
PROGRAM
venv/bin/python - <<'CHECK'
import io

from line_profiler.line_profiler import show_text

timings = {("app.py", 1, "work"): [(2, 1, 200_123_456_784), (3, 1, 200_499_999_996)]}
out = io.StringIO()
show_text(timings, 1e-7, output_unit=1e-6, stream=out)
rows = [line.split()[2] for line in out.getvalue().splitlines() if line.strip().startswith(("2 ", "3 "))]
print(rows)
assert rows == ["2e+10", "2e+10"], out.getvalue()
CHECK
