# SPDX-License-Identifier: MIT
"""What profiles of stacks cost to import, beside CPython merely parsing them, and to look at. bench.py calls measure()."""
import itertools
import json
import multiprocessing
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


def different(source):
    """Each stack of the source once."""
    seen = set()
    for stack in source:
        if tuple(stack) not in seen:
            seen.add(tuple(stack))
            yield stack


def repeated(rng, source, stacks=20_000):
    """Few stacks over and over, each for a while: a program in a loop."""
    few = [list(stack) for stack in itertools.islice(different(source), stacks)]
    while True:
        yield from itertools.repeat(few[int(stacks * rng.random() ** 3)], 1 + int(rng.expovariate(0.5)))


def make_folded(path, source):
    names = [f"function_{i} (app/module_{i * 31 % 400}.py:{1 + i * 37 % 900})" for i in range(5000)]
    with open(path, "w", encoding="utf-8") as file:
        for count, stack in enumerate(itertools.islice(source, STACKS)):
            file.write(";".join([names[i] for i in stack]) + f" {1 + count % 7}\n")


def make_speedscope(path, source):
    samples = 0
    frames = ",".join(f'{{"name":"function_{i}","file":"app/module_{i * 31 % 400}.py","line":{1 + i * 37 % 900},"col":null}}' for i in range(5000))
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"$schema":"https://www.speedscope.app/file-format-schema.json","profiles":[{"type":"sampled","name":"Thread 1 \\"MainThread\\"",'
                   '"unit":"seconds","startValue":0.0,"endValue":1.0,"samples":[[0]')
        while file.tell() < SCOPE_BYTES:
            file.write("".join(",[" + ",".join(map(str, next(source))) + "]" for _ in range(1000)))
            samples += 1000
        file.write('],"weights":[' + ",".join(["0.01"] * (samples + 1)) + f']}}],"shared":{{"frames":[{frames}]}},"exporter":"py-spy@0.4.1"}}')


def make_apart(make, path, source):
    """In a process of its own: what this one has held counts as the peak of those it starts."""
    maker = multiprocessing.get_context("fork").Process(target=make, args=(path, source))
    maker.start()
    maker.join()
    if maker.exitcode:
        raise SystemExit(f"{path} could not be made")


def measure_reading(bench, path, program, server):
    """The flame graph of a file of different stacks."""
    data = os.path.join(bench.folder, "served-stacks")
    done = subprocess.run([program, "add", "--data", data, "--json", path], capture_output=True, check=True)
    running = server(data)
    seen = bench_traces.pace(running.address, json.loads(done.stdout)["id"], "stacks")
    running.end()
    if not seen:
        return {}
    return {"click to the flame graph of the folded file in Chromium, ms": (seen["first_paint_ms"], 1000),
            "flame graph, pan and zoom for 10 s: frames under 17 ms of script, %": (100 * seen["under_17_ms"], 95),
            "flame graph: p95 of script, ms": (seen["script_p95_ms"], None)}


def measure(bench, take_turns, program, server):
    """Rows for the table of bench, and figures of the import and of reading: name -> (value, bar)."""
    figures = {}
    path = os.path.join(bench.folder, "profile")
    folded, scope = (make_folded, FOLDED_PARSE, "split into a dict"), (make_speedscope, JSON_LOAD, "json.load")
    for what, (make, parse, peer), source in (
            ("folded, 1 M different stacks", folded, different(walk(random.Random(1)))),
            ("folded, 1 M of 20,000 stacks", folded, repeated(random.Random(3), walk(random.Random(1)))),
            ("speedscope", scope, walk(random.Random(2))),
            ("speedscope, of 20,000 stacks", scope, repeated(random.Random(4), walk(random.Random(2))))):
        make_apart(make, path, source)
        name = f"{what}, {os.path.getsize(path) / 1e6:.0f} MB"
        costs = take_turns(3, ours=bench.add(path), parse=lambda: [sys.executable, "-c", parse, path])
        bench.row(name, "1 : 5", costs["ours"], peer, costs["parse"])
        figures[f"{name}: wall, s"] = (costs["ours"].wall, None)
        figures[f"{name}: wall to that of parsing it"] = (costs["ours"].wall / costs["parse"].wall, 0.2)
        figures[f"{name}: peak MiB"] = (costs["ours"].rss_mib, None)
        if what == "folded, 1 M different stacks":
            figures.update(measure_reading(bench, path, program, server))
        bench.clear_shelves()
        os.remove(path)
    return figures
