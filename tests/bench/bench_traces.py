# SPDX-License-Identifier: MIT
"""What a PyTorch trace costs to import, beside CPython merely parsing it. bench.py calls measure()."""
import gzip
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CORPUS_TOOLS = os.path.join(HERE, "..", "..", "..", "shared", "corpus", "tools")
JSON_LOAD = "import json, sys; json.load(open(sys.argv[1], 'rb'))"
READ = "import sys\nwith open(sys.argv[1], 'rb') as f:\n  while f.read(1 << 20): pass"
COUNTS = ((100_000, None), (1_000_000, "1 : 4"), (4_000_000, "1 : 4"))


def make(folder, events):
    """A generated trace: that of ../shared/corpus where it is, so that figures compare with others measured there."""
    path = os.path.join(folder, f"trace-{events}.json")
    theirs = os.path.join(CORPUS_TOOLS, "make_big_trace.py")
    if os.path.exists(theirs):
        subprocess.run([sys.executable, theirs, str(events), "-o", path], check=True)
    else:
        subprocess.run([sys.executable, os.path.join(HERE, "make_trace.py"), str(events), path], check=True)
    return path


def packed(path):
    with open(path, "rb") as plain, gzip.open(path + ".gz", "wb", 6) as out:
        shutil.copyfileobj(plain, out, 1 << 20)
    return path + ".gz"


def measure(bench, take_turns):
    """Rows for the table of bench, and figures of the import: name -> (value, bar)."""
    figures, cpu = {}, {}
    for events, bar in COUNTS:
        path = make(bench.folder, events)
        megabytes = os.path.getsize(path) / 1e6
        times = bench.times if events < 1_000_000 else 3
        costs = take_turns(times, ours=bench.add(path), load=lambda: [sys.executable, "-c", JSON_LOAD, path],
                           read=lambda: [sys.executable, "-c", READ, path])
        ours, what = costs["ours"], f"trace, {events / 1e6:g} M events, {megabytes:.0f} MB"
        bench.row(what, bar, ours, "json.load", costs["load"])
        cpu[events] = ours.cpu
        figures[f"{what}: wall, s"] = (ours.wall, None)
        figures[f"{what}: wall to json.load's"] = (ours.wall / costs["load"].wall, 0.10 if bar else None)
        figures[f"{what}: MB/s"] = (megabytes / ours.wall, None)
        figures[f"{what}: M events/s"] = (events / 1e6 / ours.wall, None)
        figures[f"{what}: peak MiB"] = (ours.rss_mib, 300 if megabytes > 1000 else None)
        figures[f"{what}: CPU to that of reading its bytes"] = (ours.cpu / costs["read"].cpu, None)
        bench.clear_shelves()
        if events == COUNTS[-1][0]:
            gz = packed(path)
            costs = take_turns(times, plain=bench.add(path), gz=bench.add(gz), inflate=lambda: ["gzip", "-dc", gz])
            bench.row(f"the same as .gz, {os.path.getsize(gz) / 1e6:.0f} MB", "1.3 : 1", costs["gz"], "perfshelf add of the plain file", costs["plain"])
            bench.row("the same as .gz", None, costs["gz"], "gzip -dc", costs["inflate"])
            bench.clear_shelves()
            os.remove(gz)
        if events < COUNTS[-1][0]:
            os.remove(path)
    low, high = COUNTS[0][0], COUNTS[-1][0]
    figures[f"trace: CPU an event at {high / 1e6:g} M to that at {low / 1e6:g} M"] = (cpu[high] / high / (cpu[low] / low), None)
    return figures, path


def pace(address, run, picture="timeline"):
    """What the browser needs for the timeline, or the flame graph of stacks; None where there is no browser."""
    script = os.path.join(HERE, "..", "browser", f"{picture}_pace.mjs")
    try:
        done = subprocess.run(["node", script, f"http://{address}/", run], capture_output=True, text=True, timeout=180)
    except FileNotFoundError:
        return None
    return json.loads(done.stdout) if done.returncode == 0 else None


def measure_reading(bench, path, program, server):
    """Windows, ranges and the picture of the largest trace."""
    data = os.path.join(bench.folder, "served-trace")
    done = subprocess.run([program, "add", "--data", data, "--json", path], capture_output=True, check=True)
    run = json.loads(done.stdout)["id"]
    script = os.path.join(HERE, "trace_windows.py")
    done = subprocess.run([sys.executable, script, data, run, "--program", program, "--json"], capture_output=True, check=True)
    found = json.loads(done.stdout)
    window = found["window"]
    figures = {"window of 1,600 px, p50 ms": (window["ms"]["p50"], None), "window of 1,600 px, p99 ms": (window["ms"]["p99"], 50),
               "window of 1,600 px, p99 KB": (window["kb"]["p99"], None), "window of 1,600 px, largest KB": (window["kb"]["max"], 300)}
    for view, bar in (("operators", 300), ("kernels", 300), ("flame_cpu", None), ("flame_device", None), ("find_aten", None)):
        figures[f"{view.replace('_', ' ')} of a range, median ms"] = (found[view]["median_ms"], None)
        figures[f"{view.replace('_', ' ')} of all as a range, ms"] = (found[view]["whole_ms"], bar)
    running = server(data)
    seen = pace(running.address, run)
    running.end()
    if seen:
        figures.update({"click to the first slices in Chromium, ms": (seen["first_paint_ms"], 1000),
                        "pan and zoom for 10 s: frames under 17 ms of script, %": (100 * seen["under_17_ms"], 95),
                        "pan and zoom: p95 of script, ms": (seen["script_p95_ms"], None),
                        "memory of the tab, MiB": (seen["tab_mib"], 300)})
    return figures
