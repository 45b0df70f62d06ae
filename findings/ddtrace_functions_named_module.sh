#!/bin/sh
# SPDX-License-Identifier: MIT
# ddtrace 4.16.0, its profiler on CPython 3.11: a function may have the name of another one that no longer exists. The file and
# the line of the frame are right, so the time of `draw_page` in app.py stands at `<module>`, beside the true `<module>` of
# app.py. We saw it in 2 of 4 recordings of a program with six functions. The sampler seems to keep names by the address of
# their text: modules that were imported while the profiler ran free their text "<module>", and a later function gets its address. Here
# the program imports a module that takes a while, and then runs source text with short functions, as template engines do. Each
# of three recordings had one wrong name. A table of functions adds such times to that of the module.
# Usage: ddtrace_functions_named_module.sh; needs Python 3.11.
# Fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3.11 -m venv venv
venv/bin/pip --quiet install ddtrace==4.16.0 zstandard==0.25.0
cat > app.py <<'PROGRAM'
import importlib
import time


def spin(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        sum(range(100))


for i in range(12):
    importlib.import_module(f"slow_{i:02}")
    names = [f"g{i:02}_{k:02}" for k in range(15)]
    source = "".join(f"def {name}():\n    spin(0.012)\n" for name in names) + "".join(f"{name}()\n" for name in names)
    exec(compile(source, f"made_{i:02}.py", "exec"), {"spin": spin})
PROGRAM
for i in 00 01 02 03 04 05 06 07 08 09 10 11; do
    printf 'import __main__\n__main__.spin(0.1)\n' > "slow_$i.py"
done
venv/bin/python -m compileall -q . -x venv
for run in 1 2 3; do
    DD_TRACE_ENABLED=false DD_INSTRUMENTATION_TELEMETRY_ENABLED=false DD_REMOTE_CONFIGURATION_ENABLED=false \
        DD_PROFILING_ENABLED=true DD_PROFILING_OUTPUT_PPROF="run$run" venv/bin/ddtrace-run venv/bin/python app.py
done
venv/bin/python - <<'CHECK'
import glob

import zstandard


def fields(message):
    """(number, value) of a message of Protocol Buffers with varints and bytes."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(message):
        tag = varint()
        value = varint()
        if tag & 7 == 2:
            value, at = message[at:at + value], at + value
        yield tag >> 3, value


wrong = []
for path in sorted(glob.glob("run*.pprof")):
    with open(path, "rb") as file:
        profile = list(fields(zstandard.ZstdDecompressor().decompressobj().decompress(file.read())))
    texts = [value.decode() for number, value in profile if number == 6]
    functions = {f.get(1): (texts[f.get(2, 0)], texts[f.get(4, 0)]) for f in (dict(fields(value)) for number, value in profile if number == 5)}
    for location in (dict(fields(value)) for number, value in profile if number == 4):
        line = dict(fields(location[4]))
        name, file = functions[line[1]]
        # In made_NN.py the lines 2, 4, ... 30 are those of functions, the calls of the module follow from line 31 on.
        if file.startswith("made_") and line[2] <= 30 and line[2] % 2 == 0 and not name.startswith("g"):
            wrong.append((path, name, file, line[2]))
print(*wrong, sep="\n")
assert wrong, "all functions have their own names"
assert all(name == "<module>" for _, name, _, _ in wrong)
CHECK
