#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# record.sh: records demo/profiles again, with the python3 in the PATH (and a python2.7 where there is one). The larger
# import logs need IPython, awscli and Flask, the lines line_profiler and memory_profiler, the others ddtrace and JAX; what is not
# installed keeps the profile that is there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
profiles=$PWD/profiles
work=/tmp/perfshelf-demo # a neutral path: it stands in the profiles
rm -rf "$work"
mkdir -p "$work"
cp workloads/*.py "$work"
cd "$work"

has() { python3 -c "import $1" 2>/dev/null; }
imports() { python3 -X importtime "${@:2}" 2>"$profiles/$1" >/dev/null; }
functions() { python3 -m cProfile -o "$profiles/$1" "${@:2}" >/dev/null; }

imports stdlib.log -c 'import asyncio, http.server, sqlite3, unittest, xml.etree.ElementTree'
imports threads.log thread_imports.py
if has IPython; then # the first without any .pyc, as after an upgrade
    PYTHONPYCACHEPREFIX=$work/cold imports ipython-cold.log -c 'import IPython'
    imports ipython-warm.log -c 'import IPython'
    imports ipython-warm-again.log -c 'import IPython'
fi
if has awscli; then
    PYTHONPYCACHEPREFIX=$work/cold imports awscli.log -m awscli --version
fi

functions expressions.prof expressions.py
functions sources.prof sources.py
python3 -m profile -o "$profiles/expressions-profile-module.prof" expressions.py >/dev/null
if has flask; then
    for state in slow joined cached; do
        BOOKSHOP=$state python3 bookshop.py "$profiles/bookshop-$state.prof" >/dev/null
    done
fi
if has line_profiler; then
    python3 -m kernprof -l -o "$profiles/events.lprof" events.py >/dev/null
fi
if has memory_profiler; then
    python3 -m memory_profiler events.py >"$profiles/events-memory.txt"
fi
if has ddtrace; then
    DD_PROFILING_ENABLED=true DD_PROFILING_OUTPUT_PPROF=orders ddtrace-run python3 orders.py
    mv orders.*.pprof "$profiles/orders.pprof"
fi
if has jax; then
    python3 jax_training.py jax-training.xplane.pb
    gzip -9nc jax-training.xplane.pb >"$profiles/jax-training.xplane.pb.gz"
fi
if command -v python2.7 >/dev/null; then
    python2.7 -m cProfile -o "$profiles/json-python27.prof" json_py2.py >/dev/null
fi
# Few machines have a GPU: gpt-h200.pt.trace.json.gz is gpt_training of tests/recorded/record_cuda.py, the other traces are made.
make_trace() { python3 "$profiles/../../tests/bench/make_trace.py" 8000 "$profiles/$1" --depth 8 "${@:2}"; }
make_trace training-waits.pt.trace.json.gz --slow-loader
make_trace training.pt.trace.json.gz --seed 2
python3 "$profiles/../make_memory.py" "$profiles/out-of-memory.pickle.gz"
rm -rf "$work"
du -ch "$profiles"/* | tail -n 1
