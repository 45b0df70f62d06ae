#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bench_http.py BUILD [--seconds S] [--turns N]: what perfshelf's HTTP costs beside libmicrohttpd alone.

BUILD holds bare_http and http_client. bare_http serves the very bytes that perfshelf answers with, on as many threads. Each
server is asked in turns (A B A B) by the same client, over 64 connections that are kept alive; medians are printed as the rows
of docs/bench.md. CPU is that of the server's process, user and system, for one answer: unlike answers a second it says the
same on a machine that others use too. "client busy, kept" is which part of the time the client's one thread ran, and which it could
not for other processes: where the sum is near 100 %, it is the client that was measured.
"""
import argparse
import http.client
import os
import platform
import statistics
import subprocess
import sys
import tempfile

import client

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "http"))
from server import Server  # noqa: E402: it lies there

CONNECTIONS, THREADS, LIMIT = 64, 4, 512  # the latter two are server/cli/commands/serve.c's
GZIP = "Accept-Encoding: gzip"


class Case:
    def __init__(self, what, path, packed):
        self.what, self.path, self.headers = what, path, (GZIP,) if packed else ()
        self.samples = {"perfshelf": [], "bare": []}

    def fetch(self, port):
        """The body as it is sent."""
        link = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        link.request("GET", self.path, headers=dict(header.split(": ") for header in self.headers))
        answer = link.getresponse()
        body = answer.read()
        link.close()
        packed = answer.headers["Content-Encoding"] == "gzip"
        if answer.status != 200 or packed != bool(self.headers):
            raise SystemExit(f"bench: {self.path}: {answer.status} {answer.headers}")
        return body

    def measure(self, name, pid, build, port, path, seconds):
        before = client.cpu_s(pid)
        told = client.ask(build, port, [("a", path, *self.headers)], CONNECTIONS, seconds)
        answers = told["labels"]["a"]["answers"]
        self.samples[name].append((answers / told["wall_s"], (client.cpu_s(pid) - before) / answers * 1e6, told["busy"], told["kept"]))

    def row(self, size):
        """Medians of each server; the ratios are medians of those of neighbouring turns, in which a noisy machine hurts both."""
        own, bare = self.samples["perfshelf"], self.samples["bare"]
        rate, bare_rate, cpu, bare_cpu, busy, kept = (statistics.median(sample[i] for sample in of)
                                                for of, i in ((own, 0), (bare, 0), (own, 1), (bare, 1), (own + bare, 2), (own + bare, 3)))
        rates = statistics.median(a[0] / b[0] for a, b in zip(own, bare))
        cpus = statistics.median(b[1] / a[1] for a, b in zip(own, bare))
        text = f"{size / 1e6:.2f} MB" if size > 1e5 else f"{size / 1e3:.2f} KB"
        return f"| {self.what}, {text} | {rate:,.0f} | {bare_rate:,.0f} | {rates:.0%} | {cpu:.1f} | {bare_cpu:.1f} | {cpus:.0%} | {busy:.0%}, {kept:.0%} |"


def nearest(folder, size):
    """The asset whose size comes nearest."""
    sizes = {name: os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder) if not name.endswith(".gz")}
    return min(sizes, key=lambda name: abs(sizes[name] - size))


def make_runs(folder, add):
    """A dump and an import log on the shelf; their ids."""
    dump, log = os.path.join(folder, "app.prof"), os.path.join(folder, "app.log")
    for script, count, path in (("make_pstats.py", 2000, dump), ("make_importtime.py", 16000, log)):
        subprocess.run([sys.executable, os.path.join(HERE, script), str(count), path], check=True)
    return [add(path) for path in (dump, log)]


def cases(runs):
    assets = os.path.join(ROOT, "web", "dist", "assets")
    functions, tree = f"/api/v1/runs/{runs[0]}/functions?limit=4", f"/api/v1/runs/{runs[1]}/imports/tree"
    small, large = (f"/assets/{nearest(assets, size)}" for size in (1000, 1000000))
    return [Case("asset", small, False), Case("rows of a run", functions, False), Case("asset", large, False),
            Case("tree of a run", tree, False), Case("asset, gzip", large, True), Case("tree of a run, gzip", tree, True)]


def bare(build, folder, bodies):
    paths = [os.path.join(folder, f"body{i}") for i in range(len(bodies))]
    for path, body in zip(paths, bodies):
        with open(path, "wb") as file:
            file.write(body)
    process = subprocess.Popen([os.path.join(build, "bare_http"), str(THREADS), str(LIMIT), *paths], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    return process, int(process.stdout.readline())


def main():
    options = argparse.ArgumentParser()
    options.add_argument("build")
    options.add_argument("--seconds", type=float, default=0.5)
    options.add_argument("--turns", type=int, default=25)
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="perfshelf-bench-") as folder:
        own = Server(os.path.join(folder, "shelf"))

        def add(path):
            with open(path, "rb") as file:
                return own.request("POST", "/api/v1/runs?wait=1", file.read()).json["id"]

        asked = cases(make_runs(folder, add))
        bodies = [case.fetch(own.port) for case in asked]
        other, port = bare(given.build, folder, bodies)
        for _ in range(given.turns):
            for i, case in enumerate(asked):
                case.measure("perfshelf", own.process.pid, given.build, own.port, case.path, given.seconds)
                case.measure("bare", other.pid, given.build, port, f"/{i}", given.seconds)
        other.stdin.close()
        other.wait()
        own.end()
    print(f"{platform.machine()}, {os.cpu_count()} processors, {CONNECTIONS} connections, medians of {given.turns} turns of "
          f"{given.seconds:g} s; load {os.getloadavg()[0]:.1f}.\n")
    print("| answer | perfshelf, answers/s | libmicrohttpd alone | ratio | perfshelf, CPU us an answer | libmicrohttpd alone | "
          "ratio | client busy, kept |\n|---|---|---|---|---|---|---|---|")
    for case, body in zip(asked, bodies):
        print(case.row(len(body)))


main()
