#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a change costs: bench_before.py PROGRAM BEFORE [--times N] [--only WORD]

Imports large generated profiles with both programs in turns, then asks a server of each for the dearest views of these profiles. Prints
the CPU time of both, the median of the ratios of neighbours and the middle half of these ratios: where that range is wider than the
change that is looked for, the machine was too busy to tell. Two programs of one commit show what noise is.
"""
import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile

import bench_stacks
import make_lprof
import make_snapshot
import served

HERE = os.path.dirname(os.path.abspath(__file__))
TICKS_S = os.sysconf("SC_CLK_TCK")
REQUESTS_MAX = 256
LEAST_S = 0.4  # of CPU that a measurement of requests takes: /proc counts in ticks of 10 ms


def made(script, *words):
    return lambda path: subprocess.run([sys.executable, os.path.join(HERE, script), *[word or path for word in words]], check=True)


def make_snapshot_file(path):
    with open(path, "wb") as file:
        make_snapshot.write_snapshot(file, 100 << 20)


def make_stacks(path, source):
    bench_stacks.make_apart(bench_stacks.make_folded, path, source)


# Name of the profile, how it is made, and the views that are asked for. {n} is another number in each request, because the server keeps answers.
PROFILES = (
    ("cProfile, 20,000 functions", made("make_pstats.py", "20000", None), ("functions?limit=300&offset={n}", "functions?limit=300&q=load&offset={n}")),
    ("import log, 50,000 modules", made("make_importtime.py", "50000", None), ("imports?limit=300&min_us={n}",)),
    (".lprof, 2,000 functions", lambda path: shutil.copy(make_lprof.write(2000, path + "-made"), path), ("line_functions?limit=300&offset={n}",)),
    ("folded, 1 M of 20,000 stacks", lambda path: make_stacks(path, bench_stacks.repeated(random.Random(3), bench_stacks.walk(random.Random(1)))),
     ("stack_flame?limit={n}", "stack_functions?limit=300&offset={n}")),
    ("folded, 1 M different stacks", lambda path: make_stacks(path, bench_stacks.different(bench_stacks.walk(random.Random(1)))), ("stack_flame?limit={n}",)),
    ("trace, 1 M events", made("make_trace.py", "1000000", None),
     ("operators?limit=300&from={n}&to=1000000000", "kernels?limit=300&from={n}&to=1000000000", "flame?on=cpu&limit={n}", "flame?on=device&limit={n}", "timeline?px={n}")),
    ("load test, 100,000 requests", made("make_serving.py", "100000", None),
     ("requests/summary?result=1&n={n}", "requests?limit=300&offset={n}", "requests/window?px={n}", "requests/{n}", "engine-steps?limit=300&offset={n}", "engine-steps/{n}")),
    ("memory snapshot, 100 MiB", make_snapshot_file, ("snapshot/curve?px={n}", "snapshot/flame?limit={n}")),
)


class Side:
    def __init__(self, program, folder):
        self.program, self.folder, self.shelves, self.server = program, folder, 0, None

    def data(self):
        return os.path.join(self.folder, str(self.shelves))

    def call(self, command, *words):
        """CPU seconds of a command, and what it prints."""
        with subprocess.Popen([self.program, command, "--data", self.data(), "--json", *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            printed = process.stdout.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{self.program} {command} {' '.join(words)}: exit status {process.returncode}")
        return usage.ru_utime + usage.ru_stime, printed

    def add(self, path):
        """CPU seconds of an import into a shelf of its own, which show() and serve() then read."""
        shutil.rmtree(self.data(), ignore_errors=True)
        self.shelves += 1
        seconds, printed = self.call("add", path)
        self.run = json.loads(printed)["id"]
        return seconds

    def show(self):
        return self.call("show", self.run)[0]

    def serve(self):
        self.server = served.Server(self.program, self.data())

    def cpu_s(self):
        with open(f"/proc/{self.server.process.pid}/stat", encoding="ascii") as file:
            words = file.read().rsplit(")", 1)[1].split()
        return (int(words[11]) + int(words[12])) / TICKS_S

    def ask(self, view, numbers):
        """CPU seconds of the server for a request, the mean of one for each number."""
        began = self.cpu_s()
        for number in numbers:
            self.server.get(f"/api/v1/runs/{self.run}/{view.format(n=number)}")
        return (self.cpu_s() - began) / len(numbers)

    def requests_for(self, view):
        """How many requests take LEAST_S of CPU."""
        count, first = 1, 400
        while (seconds := self.ask(view, range(first, first + count)) * count) < LEAST_S and count < REQUESTS_MAX:
            first += count
            count = min(REQUESTS_MAX, max(2 * count, int(1.2 * count * LEAST_S / max(seconds, 1 / TICKS_S))))
        return count


def compare(what, times, measure, new, before):
    pairs = []  # seconds of the new program, and of the one before
    for turn in range(times):
        sides = (new, before) if turn % 2 else (before, new)
        seconds = {side: measure(side, turn) for side in sides}
        pairs.append((seconds[new], seconds[before]))
    ratios = sorted(ours / max(theirs, 1e-9) for ours, theirs in pairs)
    low, _, high = statistics.quantiles(ratios, n=4)
    mine, theirs = (statistics.median(column) for column in zip(*pairs))
    print(f"{what:62} {1e3 * theirs:10.2f} ms {1e3 * mine:10.2f} ms   {statistics.median(ratios):6.3f}  ({low:.3f} to {high:.3f})", flush=True)


def main():
    options = argparse.ArgumentParser(usage=__doc__.split("\n\n")[0])
    options.add_argument("program")
    options.add_argument("before")
    options.add_argument("--times", type=int, default=9)
    options.add_argument("--only", default="", help="profiles whose name has this word")
    given = options.parse_args()
    print(f"{'':62} {'before':>13} {'now':>13}   {'ratio':>6}  (middle half)")
    for name, make, views in PROFILES:
        if given.only not in name:
            continue
        with tempfile.TemporaryDirectory(prefix="perfshelf-bench-") as folder:
            path = os.path.join(folder, "profile")
            make(path)
            new, before = (Side(program, os.path.join(folder, word)) for program, word in ((given.program, "new"), (given.before, "before")))
            compare(f"{name}: import", given.times, lambda side, _: side.add(path), new, before)
            os.remove(path)
            compare(f"{name}: show --json", given.times, lambda side, _: side.show(), new, before)
            for side in (new, before):
                side.serve()
            try:
                for view in views:
                    count = new.requests_for(view)
                    compare(f"{name}: GET {view}", given.times, lambda side, turn: side.ask(view, range(1000 + turn * count, 1000 + (turn + 1) * count)), new, before)
            finally:
                for side in (new, before):
                    side.server.end()


if __name__ == "__main__":
    main()
