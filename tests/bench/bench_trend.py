#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a trend costs, by HTTP, the first time and again.

    bench_trend.py PROGRAM [--rows 3000] [--catalog 100000]

The headline of 2,000 runs; a module of 200 import logs with --rows modules each; then the catalog alone grows to --catalog runs of one
series, made of copies of a row (their run files are not there, and not asked for). Where it says again, nine requests: the mean of processor time, the median of wall clock.
"""
import argparse
import json
import os
import random
import sqlite3
import statistics
import subprocess
import tempfile

import served

HEAD = "import time: self [us] | cumulative | imported package\n"


def log(i, rows):
    noise = random.Random(i)
    step = 40 if i % 500 >= 250 else 0
    times = [900 + noise.randrange(100) + step for _ in range(rows)]
    lines = [f"import time: {us:9} | {us:10} | made.module_{k:05}\n" for k, us in enumerate(times)]
    return HEAD + "".join(lines)


class Bench:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.data = os.path.join(folder, "shelf")

    def add(self, series, n, rows):
        place = os.path.join(self.folder, series)
        os.mkdir(place)
        for i in range(n):
            with open(os.path.join(place, f"{i:05}.log"), "w", encoding="ascii") as file:
                file.write(log(i, rows))
        command = [self.program, "add", "--data", self.data, "--series", series, "--tag", "branch=main", place]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    def grow(self, series, n):
        """Copies of the newest run of a series until it has n, each with its tag."""
        with sqlite3.connect(os.path.join(self.data, "catalog.db")) as db:
            [columns] = [[row[1] for row in db.execute("PRAGMA table_info(run)") if row[1] not in ("seq", "id", "sha256", "headline_value")]]
            kept = ", ".join(columns)
            db.execute(f"INSERT INTO run(id, sha256, headline_value, {kept}) "
                       f"WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < ?) "
                       f"SELECT printf('%016x', i), printf('%064x', i), headline_value * (1 + abs(random() % 100) / 2000.0 + i / 250 % 2 * 0.05), {kept} "
                       f"FROM c, (SELECT * FROM run WHERE series = ? ORDER BY seq DESC LIMIT 1)", (n, series))
            db.execute("INSERT INTO tag SELECT id, 'branch', 'main' FROM run WHERE id < '0000000001000000'")


class Server(served.Server):
    def ask(self, query):
        seconds, answer = self.get(f"/api/v1/trend?{query}")
        return 1e3 * seconds, json.loads(answer)

    def processor(self):
        """ms of processor time of its threads so far; other programs do not count."""
        tasks = f"/proc/{self.process.pid}/task"
        stats = [os.path.join(tasks, task, "schedstat") for task in os.listdir(tasks)]
        return sum(int(open(path, encoding="ascii").read().split()[0]) for path in stats) / 1e6

    def measure(self, what, query):
        before = self.processor()
        first, answer = self.ask(query)
        between = self.processor()
        again = [self.ask(query)[0] for _ in range(9)]
        each = (self.processor() - between) / 9
        print(f"{what:42} {len(answer['points']):6} points, {len(answer['changes']):3} steps; processor first {between - before:6.1f} ms, "
              f"again {each:6.1f} ms; wall clock {first:6.1f} ms, {statistics.median(again):6.1f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--rows", type=int, default=3000)
    parser.add_argument("--catalog", type=int, default=100000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="perfshelf-trend-") as folder:
        bench = Bench(os.path.abspath(options.program), folder)
        bench.add("many", 2000, 5)
        bench.add("large", 200, options.rows)
        server = Server(bench.program, bench.data)
        server.measure("headline of 2,000 runs", "runs=series:many")
        server.measure("a figure of their summaries", "runs=series:many&metric=self_us")
        server.measure(f"a module of 200 logs of {options.rows:,}", "runs=series:large&of=imports&row=made.module_00007")
        server.measure("another metric of it", "runs=series:large&of=imports&row=made.module_00007&metric=cumulative_us")
        server.end()
        bench.grow("many", options.catalog)
        server = Server(bench.program, bench.data)
        server.measure(f"headline, {options.catalog:,} runs in the series", "runs=series:many")
        server.measure("the same runs by a tag", "runs=tag:branch=main")
        server.measure("all that may be asked for at once", "runs=series:many&limit=10000")
        server.end()


if __name__ == "__main__":
    main()
