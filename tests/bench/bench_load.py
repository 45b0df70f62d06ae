#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bench_load.py BUILD [--seconds S] [--uploaders N] [--readers N]: what one server bears.

BUILD holds http_client. A server on a shelf of its own; first the readers alone, then the readers and the uploaders together
for so long. Readers keep their connections alive and ask for the next thing as soon as they have the last one: views of seven
runs of seven kinds ("report", the answer of which the server has), the same with their ETag, the shelf's page and lists.
Uploaders send profiles of seven kinds, no two of them the same; every other one waits for its run, the others ask for their
job. Afterwards every run that was told must be there once, with the bytes that were sent, and `perfshelf verify` must agree.

Prints the rows of docs/bench.md; exit status 1 when anything failed, was lost or is there twice.
"""
import argparse
import glob
import os
import platform
import sys
import tempfile
import threading
import time

import client

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "http"))
from load import SHELF_PATHS, Profiles, Uploaders, check_runs, report_paths, verify  # noqa: E402: they lie there
from server import Server  # noqa: E402

FIRST = 10 ** 6  # the profiles that are there before are not those that are uploaded
PROBE_S = 0.02


def read_proc(pid, name):
    """Nothing when the process is gone."""
    try:
        with open(f"/proc/{pid}/{name}", encoding="utf-8", errors="replace") as file:
            return file.read()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def peak_mib(pid):
    """The most memory a process has had."""
    return next((int(line.split()[1]) / 1024 for line in read_proc(pid, "status").splitlines() if line.startswith("VmHWM:")), 0)


class Importers:
    """Looks at the importers that a server starts, fifty times a second: the largest, and how many at once."""

    def __init__(self, pid):
        self.pid, self.peak, self.most, self.ended = pid, 0, 0, threading.Event()
        self.thread = threading.Thread(target=self._look, daemon=True)
        self.thread.start()

    def _now(self):
        for task in glob.glob(f"/proc/{self.pid}/task/*"):
            for child in read_proc(self.pid, f"task/{os.path.basename(task)}/children").split():
                if "--importer" in read_proc(child, "cmdline"):  # before, it is a copy of the server
                    yield child

    def _look(self):
        while not self.ended.wait(PROBE_S):
            now = list(self._now())
            self.most = max(self.most, len(now))
            self.peak = max([self.peak, *map(peak_mib, now)])

    def end(self):
        self.ended.set()
        self.thread.join()


def targets(server, first):
    reports = [(path, server.request("GET", path).headers["ETag"]) for path in report_paths(first)]
    shelf = [("shelf", path) for path in SHELF_PATHS]
    rows = []
    for path, etag in reports:
        rows += [("report", path, "Accept-Encoding: gzip"), ("with ETag", path, f"If-None-Match: {etag}")]
    for i, target in enumerate(shelf):
        rows.insert(i * len(rows) // len(shelf), target)
    return rows


def row(what, told):
    labels = told["labels"]
    report = labels["report"]
    reads = sum(label["answers"] for label in labels.values())
    ms = [report[word] / 1000 for word in ("p50_us", "p99_us", "max_us")]
    others = [labels[word]["p99_us"] / 1000 for word in ("with ETag", "shelf")]
    faults = sum(told[word] for word in client.FAULTS)
    return f"| {what} | {reads / told['wall_s']:,.0f} | {faults} | " + " | ".join(f"{x:.1f}" for x in (*ms, *others)) + f" | {told['busy']:.0%}, {told['kept']:.0%} |"


class Load:
    def __init__(self, server, given):
        self.server, self.given = server, given
        seeds = Profiles(FIRST)
        self.first = [self.add(*seeds.next()) for _ in seeds.kinds]
        self.targets = targets(server, self.first)

    def add(self, i, content):
        answer = self.server.request("POST", f"/api/v1/runs?wait=1&name=first%20{i}", content)
        if answer.status != 201:
            raise SystemExit(f"bench: {answer.status} {answer.body}")
        return answer.json

    def read(self, seconds):
        return client.begin(self.given.build, self.server.port, self.targets, self.given.readers, seconds)

    def run(self):
        alone = client.end(self.read(self.given.seconds / 4))
        importers, uploaders = Importers(self.server.process.pid), Uploaders(self.server, self.given.uploaders)
        uploaders.start()
        began = time.monotonic()
        both = client.end(self.read(self.given.seconds))
        uploads, wall = len(uploaders.runs), time.monotonic() - began
        uploaders.stop()
        importers.end()
        return alone, both, uploaders, uploads / wall, importers

    def faults(self, told, uploaders):
        counted = [f"readers: {part[word]} {word}" for part in told for word in client.FAULTS if part[word]]
        return counted + uploaders.faults + check_runs(self.server, uploaders.runs, [run["id"] for run in self.first])


def main():
    options = argparse.ArgumentParser()
    options.add_argument("build")
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--uploaders", type=int, default=64)
    options.add_argument("--readers", type=int, default=256)
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="perfshelf-bench-") as folder:
        data = os.path.join(folder, "shelf")
        server = Server(data)
        load = Load(server, given)
        alone, both, uploaders, rate, importers = load.run()
        faults = load.faults((alone, both), uploaders)
        peak = peak_mib(server.process.pid)
        code, said = server.end()
        faults += [f"the server ended with {code}: {said}"] if code else []
        faults += [text for text in (verify(data),) if text]
    print(f"{platform.machine()}, {os.cpu_count()} processors, {given.uploaders} uploaders, {given.readers} readers, "
          f"{given.seconds:g} s; load {os.getloadavg()[0]:.1f}.\n")
    print("| | reads/s | failed reads | report, p50 ms | p99 ms | max ms | with ETag, p99 ms | shelf, p99 ms | client busy, kept |\n"
          "|---|---|---|---|---|---|---|---|---|")
    print(row("readers alone", alone))
    print(row("readers and uploaders", both))
    print(f"\n| uploads | measured |\n|---|---|\n| runs a second | {rate:.1f} |\n| runs told, lost, there twice, or failed | "
          f"{len(uploaders.runs)}, {len(faults)} |\n| server, peak MiB | {peak:.1f} |\n"
          f"| largest importer, peak MiB; most at once | {importers.peak:.1f}; {importers.most} |")
    for fault in faults[:20]:
        print(f"bench: {fault}", file=sys.stderr)
    return 1 if faults else 0


sys.exit(main())
