#!/bin/sh
# SPDX-License-Identifier: MIT
# opentelemetry-sdk-extension-profiling 0.63b4 with opentelemetry-instrument, CPython 3.11: a program that ends by itself loses its
# profile. The profiler exports once a minute, and at the end in a function of atexit. There it looks for attributes of the
# resource in a thread pool, and threads cannot start any more: "RuntimeError: cannot schedule new futures after interpreter
# shutdown". A script of 2 s writes no file, and its exit status is 0. Of longer programs the last minute is
# missing. A program that calls Profiler().stop() before its end has a file.
# Usage: opentelemetry_profile_lost_at_exit.sh; needs Python 3.11.
# Fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3.11 -m venv venv
venv/bin/pip --quiet install opentelemetry-sdk-extension-profiling==0.63b4
cat > app.py <<'PROGRAM'
import sys
import time

if len(sys.argv) > 1:
    from opentelemetry.sdk.extension.profiling import Profiler

    profiler = Profiler()
    profiler.start()
end = time.monotonic() + 2
while time.monotonic() < end:
    sum(range(1000))
if len(sys.argv) > 1:
    profiler.stop()
print("the program has ended")
PROGRAM
export OTEL_PROFILING_EXPORTER=pprof OTEL_TRACES_EXPORTER=none OTEL_METRICS_EXPORTER=none OTEL_LOGS_EXPORTER=none
OTEL_PROFILING_ENABLED=true OTEL_PROFILING_PPROF_PATH=$folder/instrumented venv/bin/opentelemetry-instrument venv/bin/python app.py > output.txt 2>&1
OTEL_PROFILING_PPROF_PATH=$folder/stopped venv/bin/python app.py stop
tail -n 1 output.txt
ls -l "$folder"/*.pprof
grep -q "the program has ended" output.txt
grep -q "cannot schedule new futures after interpreter shutdown" output.txt
test -n "$(find "$folder" -maxdepth 1 -name 'stopped.*.pprof' -size +0)"
test -z "$(find "$folder" -maxdepth 1 -name 'instrumented.*.pprof')"
