# SPDX-License-Identifier: MIT
"""What the browser needs for a memory snapshot of 10 million events. bench.py measures with it."""
import json
import os
import subprocess
import sys

import bench_traces

HERE = os.path.dirname(os.path.abspath(__file__))
MIB = 600


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
