# SPDX-License-Identifier: MIT
"""What profiles of stacks cost to import, beside CPython merely parsing them, and to look at. bench.py calls measure()."""
import json
import os
import random
import subprocess
import sys

import bench_traces

STACKS = 1_000_000
SCOPE_BYTES = 100_000_000
FOLDED_PARSE = """import sys
stacks = {}
for line in open(sys.argv[1], encoding="utf-8"):
    stack, _, count = line.rpartition(" ")
    stack = tuple(stack.split(";"))
    stacks[stack] = stacks.get(stack, 0) + int(count)
"""
JSON_LOAD = "import json, sys; json.load(open(sys.argv[1], 'rb'))"


def walk(rng, frames=5000, deepest=50):
    """Stacks of which neighbours share most of their frames, as a sampler sees them."""
    stack = [0]
    while True:
        del stack[max(1, min(len(stack), int(rng.gauss(len(stack) - 2, 3)))):]
        for _ in range(rng.randrange(1, 6)):
            if len(stack) < deepest:
                stack.append(int(frames * rng.random() ** 3))
        if len(stack) > deepest // 2 and rng.random() < 0.5:
            del stack[deepest // 4:]
        yield stack


def make_folded(path, stacks):
    """That many different stacks."""
    names = [f"function_{i} (app/module_{i * 31 % 400}.py:{1 + i * 37 % 900})" for i in range(5000)]
    source, seen = walk(random.Random(1)), set()
    with open(path, "w", encoding="utf-8") as file:
        while len(seen) < stacks:
            stack = tuple(next(source))
            if stack not in seen:
                seen.add(stack)
                file.write(";".join([names[i] for i in stack]) + f" {1 + len(seen) % 7}\n")


def make_speedscope(path, size):
    source, samples = walk(random.Random(2)), 0
    frames = ",".join(f'{{"name":"function_{i}","file":"app/module_{i * 31 % 400}.py","line":{1 + i * 37 % 900},"col":null}}' for i in range(5000))
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"$schema":"https://www.speedscope.app/file-format-schema.json","profiles":[{"type":"sampled","name":"Thread 1 \\"MainThread\\"",'
                   '"unit":"seconds","startValue":0.0,"endValue":1.0,"samples":[[0]')
        while file.tell() < size:
            file.write("".join(",[" + ",".join(map(str, next(source))) + "]" for _ in range(1000)))
            samples += 1000
        file.write('],"weights":[' + ",".join(["0.01"] * (samples + 1)) + f']}}],"shared":{{"frames":[{frames}]}},"exporter":"py-spy@0.4.1"}}')


def measure_reading(bench, path, program, server):
    """The flame graph of a file of different stacks."""
    data = os.path.join(bench.folder, "served-stacks")
    done = subprocess.run([program, "add", "--data", data, "--json", path], capture_output=True, check=True)
    running = server(data)
    seen = bench_traces.pace(running.address, json.loads(done.stdout)["id"], "stacks")
    running.stop()
    if not seen:
        return {}
    return {"click to the flame graph of the folded file in Chromium, ms": (seen["first_paint_ms"], 1000),
            "flame graph, pan and zoom for 10 s: frames under 17 ms of script, %": (100 * seen["under_17_ms"], 95),
            "flame graph: p95 of script, ms": (seen["script_p95_ms"], None)}


def measure(bench, take_turns, program, server):
    """Rows for the table of bench, and figures of the import and of reading: name -> (value, bar)."""
    figures = {}
    folded, scope = os.path.join(bench.folder, "stacks.txt"), os.path.join(bench.folder, "profile.json")
    make_folded(folded, STACKS)
    make_speedscope(scope, SCOPE_BYTES)
    for what, path, parse, peer in ((f"folded, {STACKS / 1e6:g} M stacks", folded, FOLDED_PARSE, "split into a dict"),
                                    ("speedscope", scope, JSON_LOAD, "json.load")):
        what = f"{what}, {os.path.getsize(path) / 1e6:.0f} MB"
        costs = take_turns(3, ours=bench.add(path), parse=lambda: [sys.executable, "-c", parse, path])
        bench.row(what, "1 : 5", costs["ours"], peer, costs["parse"])
        figures[f"{what}: wall, s"] = (costs["ours"].wall, None)
        figures[f"{what}: peak MiB"] = (costs["ours"].rss_mib, None)
        if path == folded:
            figures.update(measure_reading(bench, path, program, server))
        bench.clear_shelves()
        os.remove(path)
    return figures
