#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How fast a trace answers: random windows of the timeline, and tables of random ranges.

    trace_windows.py DATA RUN [--program build/perfshelf] [--windows 1000] [--px 1600] [--json]

Starts a server on the shelf DATA. Windows are as wide as chance has it, from 1 us to the whole trace (log-uniform), anywhere in it,
all tracks, each asked once on one connection; bytes are those of the JSON before compression. Ranges are asked once each, so that no
answer is a kept one.
"""
import argparse
import json
import math
import os
import random
import statistics
import sys
import urllib.parse

import served

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Server(served.Server):
    def query(self, path, **params):
        return self.get(f"{path}?{urllib.parse.urlencode(params)}")


def percentile(values, share):
    return sorted(values)[max(0, math.ceil(len(values) * share) - 1)]


def spread(values, scale):
    return {name: round(value * scale, 2) for name, value in
            (("p50", percentile(values, 0.5)), ("p99", percentile(values, 0.99)), ("max", max(values)))}


def random_range(rng, start, end, shortest):
    span = end - start
    width = int(math.exp(rng.uniform(math.log(min(shortest, span)), math.log(span))))
    begin = start + rng.randrange(span - width + 1)
    return {"from_ns": begin, "to_ns": begin + width}


def measure_windows(server, path, rng, timeline, count, px):
    seconds, sizes, worst = [], [], None
    for _ in range(count):
        window = random_range(rng, timeline["start_ns"], timeline["end_ns"], 1000)
        took, body = server.query(f"{path}/window", px=px, **window)
        if not seconds or took > max(seconds):
            worst = window
        seconds.append(took)
        sizes.append(len(body))
    return {"windows": count, "px": px, "ms": spread(seconds, 1000), "kb": spread(sizes, 1 / 1000), "slowest": worst}


def measure_view(server, path, view, rng, timeline, count, **params):
    """Ranges of at least a tenth of the trace: the dear ones."""
    span = timeline["end_ns"] - timeline["start_ns"]
    seconds = [server.query(f"{path}/{view}", **params, **random_range(rng, timeline["start_ns"], timeline["end_ns"], span // 10))[0]
               for _ in range(count)]
    whole = server.query(f"{path}/{view}", from_ns=timeline["start_ns"], to_ns=timeline["end_ns"] + 1, **params)[0]
    return {"median_ms": round(statistics.median(seconds) * 1000, 1), "max_ms": round(max(seconds) * 1000, 1),
            "whole_ms": round(whole * 1000, 1)}


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("data")
    options.add_argument("run")
    options.add_argument("--program", default=os.path.join(ROOT, "build", "perfshelf"))
    options.add_argument("--windows", type=int, default=1000)
    options.add_argument("--ranges", type=int, default=20)
    options.add_argument("--px", type=int, default=1600)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--json", action="store_true")
    args = options.parse_args()
    rng = random.Random(args.seed)
    server = Server(args.program, args.data)
    try:
        path = f"/api/v1/runs/{urllib.parse.quote(args.run)}"
        first, body = server.query(f"{path}/timeline", px=args.px)
        timeline = json.loads(body)
        found = {"slices": sum(track["slices"] for track in timeline["tracks"]), "tracks": len(timeline["tracks"]),
                 "timeline": {"first_ms": round(first * 1000, 1), "kb": round(len(body) / 1000, 1)},
                 "window": measure_windows(server, path, rng, timeline, args.windows, args.px)}
        for view, params in (("operators", {}), ("kernels", {}), ("flame", {"on": "cpu"}), ("flame", {"on": "device"}),
                             ("find", {"q": "aten"})):
            name = "_".join([view, *params.values()])
            found[name] = measure_view(server, path, view, rng, timeline, args.ranges, **params)
    finally:
        server.end()
    if args.json:
        print(json.dumps(found))
        return 0
    window = found["window"]
    print(f"{found['slices']} slices on {found['tracks']} tracks; timeline {found['timeline']['first_ms']} ms, {found['timeline']['kb']} KB")
    print(f"{window['windows']} windows of {window['px']} px: ms {window['ms']}  KB {window['kb']}  slowest {window['slowest']}")
    for name in list(found)[4:]:
        print(f"{name}: {found[name]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
