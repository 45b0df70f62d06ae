# SPDX-License-Identifier: MIT
"""What importing a memory snapshot costs beside CPython that unpickles it, and what the browser needs for one of 10 million events. bench.py
measures with it."""
import json
import os
import subprocess
import sys

import bench_traces
import make_snapshot

HERE = os.path.dirname(os.path.abspath(__file__))
MIB = 600

# Without freeing the objects, which takes CPython a quarter of the time again.
PICKLE_LOAD = "import os, pickle, sys; kept = pickle.load(open(sys.argv[1], 'rb')); os._exit(0)"
IMPORT_MIB = (100, 1024)


def measure_import(bench, take_turns):
    """Adds rows to the table of bench. Figures of the import: name -> (value, bar)."""
    figures = {}
    for mib in IMPORT_MIB:
        path = os.path.join(bench.folder, f"snapshot-{mib}.pickle")
        with open(path, "wb") as file:
            make_snapshot.write_snapshot(file, mib << 20)
        costs = take_turns(3, ours=bench.add(path), load=lambda path=path: [sys.executable, "-c", PICKLE_LOAD, path])
        what = f"memory snapshot, {os.path.getsize(path) / 1e6:.0f} MB"
        bench.row(what, "1 : 4", costs["ours"], "pickle.load", costs["load"])
        figures[f"{what}: peak MiB"] = (costs["ours"].rss_mib, 512)
        bench.clear_shelves()
        os.remove(path)
    return figures


def measure(bench, program, server):
    """Figures of the picture: name -> (value, bar). Empty where there is no browser."""
    path = os.path.join(bench.folder, "snapshot.pickle")
    data = os.path.join(bench.folder, "served-snapshot")
    subprocess.run([sys.executable, os.path.join(HERE, "make_snapshot.py"), str(MIB), path], check=True)
    done = subprocess.run([program, "add", "--data", data, "--json", path], capture_output=True, check=True)
    os.remove(path)
    running = server(data)
    seen = bench_traces.pace(running.address, json.loads(done.stdout)["id"], "snapshot")
    running.end()
    if not seen:
        return {}
    figures = {"click to the chart of a memory snapshot in Chromium, ms": (seen["first_paint_ms"], 1000),
               "memory snapshot, pan and zoom for 10 s: frames under 17 ms of script, %": (100 * seen["under_17_ms"], 100),
               "memory snapshot: p95 of script, ms": (seen["script_p95_ms"], None),
               "memory snapshot: most script in a frame, ms": (seen["script_max_ms"], 17)}
    for what, (value, bar) in figures.items():
        print(f"{what:60} {value:8.2f}" + (f"   (bar {bar})" if bar else ""), flush=True)
    return figures
