#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What it costs that the files of a shelf lie in a PostgreSQL: on loopback TCP, its commits synced.

    bench_remote.py PROGRAM BUILD [--mb 100] [--events 2400000] [--turns 15] [--requests 1000]

BUILD holds blob_fetch. First bytes that compress with nothing, --mb of them: all at once by libpq alone (one SELECT, and COPY), through perfshelf's
cache (fetched, verified, written to its folder), and as a file over a plain socket into another; by turns. Then a trace of --events on
a shelf in a folder and on one in the PostgreSQL, each with a server of its own. Cold: both servers are started anew, the cache of the latter is empty; the
first view of both, in turn with the plain transfer of the same run file. Warm: --requests of each view, of both servers in turn. Times are medians; ratios are
medians of those of one turn, in which a noisy machine hurts both.
"""
import argparse
import json
import os
import random
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from served import Server

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from ports import free_port  # noqa: E402
from postgres import Postgres, programs  # noqa: E402

BLOCK = 1 << 20


class Store:
    """A PostgreSQL that is reached by TCP, and one shelf in it."""

    def __init__(self, build):
        port = str(free_port())
        os.environ["PGPORT"] = port  # what Postgres starts finds it as well
        self.postgres = Postgres(listen_addresses="127.0.0.1", port=port, fsync="on")
        self.socket = self.postgres.database()
        self.url = f"postgresql://shelf@127.0.0.1:{port}/{self.socket[len('postgresql:///'):].split('?')[0]}"
        self.fetch = os.path.join(build, "blob_fetch")

    def send(self, path):
        return subprocess.run([self.fetch, "send", self.url, path], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()

    def read(self, digest, folder, turns):
        done = subprocess.run([self.fetch, "read", self.url, digest, folder, str(turns)], check=True, stdout=subprocess.PIPE, text=True)
        return json.loads(done.stdout)

    def run_file(self, run):
        return self.postgres.sql(self.socket, f"SELECT hash FROM kept WHERE folder = 'runs' AND \"key\" LIKE '{run}%'").strip()


def over_a_socket(path, target):
    """Seconds until a file has come over TCP and lies in another."""
    with socket.create_server(("127.0.0.1", 0)) as listener, open(path, "rb") as source, open(target, "wb") as out:
        def give():
            with listener.accept()[0] as link:
                link.sendfile(source)

        giver = threading.Thread(target=give)
        giver.start()
        began = time.perf_counter()
        with socket.create_connection(listener.getsockname()) as link:
            while block := link.recv(BLOCK):
                out.write(block)
        seconds = time.perf_counter() - began
        giver.join()
    return seconds


def ratio(own, other):
    return statistics.median(a / b for a, b in zip(own, other))


def measure_bytes(store, folder, size, turns):
    path = os.path.join(folder, "bytes")
    with open(path, "wb") as file:
        for _ in range(size):
            file.write(random.randbytes(BLOCK))
    began = time.perf_counter()
    digest = store.send(path)
    sent = time.perf_counter() - began
    found = store.read(digest, os.path.join(folder, "cache"), turns)
    found["socket"] = [over_a_socket(path, os.path.join(folder, "copy")) for _ in range(turns)]
    print(f"| {size} MiB | median, s | MB/s | of SELECT | of COPY |\n|---|---|---|---|---|")
    for name, what in (("select", "one SELECT by libpq, into memory"), ("copy", "COPY by libpq, into memory"),
                       ("cold", "the cache: fetched, verified, written"), ("socket", "a file over a socket, written")):
        seconds = statistics.median(found[name])
        print(f"| {what} | {seconds:.3f} | {found['bytes'] / seconds / 1e6:,.0f} | {ratio(found[name], found['select']):.2f} | "
              f"{ratio(found[name], found['copy']):.2f} |")
    print(f"| sent, and synced there | {sent:.3f} | {found['bytes'] / sent / 1e6:,.0f} | | |")
    print(f"| found in the cache | {statistics.median(found['warm']):.6f} | | | |\n", flush=True)


class Shelf:
    def __init__(self, program, data, *args):
        self.program, self.data, self.args, self.server = program, data, args, None

    def add(self, path):
        done = subprocess.run([self.program, "add", "--json", "--data", self.data, *self.args, path], check=True, stdout=subprocess.PIPE, text=True)
        return json.loads(done.stdout)["id"]

    def start(self):
        """Anew, with nothing that was fetched."""
        if self.server:
            self.server.end()
        shutil.rmtree(os.path.join(self.data, "cache"), ignore_errors=True)
        self.server = Server(self.program, self.data, *self.args)
        self.server.get("/api/v1/runs?limit=1")

    def seconds(self, path):
        return self.server.get(path)[0]


def measure_cold(store, shelves, run, folder, turns):
    digest, path, turn = store.run_file(run), f"/api/v1/runs/{run}/timeline", []
    for _ in range(turns):
        for shelf in shelves:
            shelf.start()
        plain = store.read(digest, os.path.join(folder, "cache"), 1)
        turn.append((shelves[0].seconds(path), shelves[1].seconds(path), plain["select"][0], plain["copy"][0]))
    folder_s, cold, select, copy = zip(*turn)
    more = [a - b for a, b in zip(cold, folder_s)]
    print(f"| a run file of {plain['bytes'] / 1e6:.0f} MB | median, s | of SELECT | of COPY |\n|---|---|---|---|")
    for what, seconds in (("its bytes by one SELECT", select), ("by COPY", copy), ("first view, from a folder", folder_s),
                          ("first view, fetched first", cold), ("what the fetch adds", more)):
        print(f"| {what} | {statistics.median(seconds):.3f} | {ratio(seconds, select):.2f} | {ratio(seconds, copy):.2f} |")
    print(flush=True)


def measure_warm(shelves, run, requests):
    base, rng = f"/api/v1/runs/{run}", random.Random(1)
    timeline = json.loads(shelves[0].server.get(f"{base}/timeline")[1])
    start, span = timeline["start_ns"], timeline["end_ns"] - timeline["start_ns"]

    def window():
        width = span // rng.choice((2, 20, 200, 2000))
        begin = start + rng.randrange(span - width)
        return f"{base}/window?px=1600&from_ns={begin}&to_ns={begin + width}"

    print("| warm, p50, p99 in ms | in a folder | in PostgreSQL | ratio |\n|---|---|---|---|")
    for what, path in (("the run", lambda: base), ("its timeline", lambda: f"{base}/timeline"), ("a window of 1,600 px", window),
                       ("operators", lambda: f"{base}/operators?limit=100"), ("overview", lambda: f"{base}/overview")):
        times = ([], [])
        for i in range(requests + 1):
            asked = path()
            for n in (0, 1) if i % 2 else (1, 0):
                times[n].append(1e3 * shelves[n].seconds(asked))
        own = [sorted(of[1:]) for of in times]
        said = [f"{statistics.median(of):.2f}, {of[min(len(of) - 1, len(of) * 99 // 100)]:.2f}" for of in own]
        print(f"| {what} | {said[0]} | {said[1]} | {ratio(times[1][1:], times[0][1:]):.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("build")
    parser.add_argument("--mb", type=int, default=100)
    parser.add_argument("--events", type=int, default=2400000)
    parser.add_argument("--turns", type=int, default=15)
    parser.add_argument("--requests", type=int, default=1000)
    options = parser.parse_args()
    if not programs():
        raise SystemExit("there is no PostgreSQL on this machine (package postgresql)")
    program = os.path.abspath(options.program)
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}, medians of {options.turns} turns\n", flush=True)
    with tempfile.TemporaryDirectory(prefix="perfshelf-remote-") as folder:
        store = Store(options.build)
        shelves = [Shelf(program, os.path.join(folder, "folder")), Shelf(program, os.path.join(folder, "server"), "--store", store.url)]
        try:
            measure_bytes(store, folder, options.mb, options.turns)
            trace = os.path.join(folder, "trace.json")
            subprocess.run([sys.executable, os.path.join(HERE, "make_trace.py"), str(options.events), trace], check=True)
            run = [shelf.add(trace) for shelf in shelves][0]
            os.remove(trace)
            measure_cold(store, shelves, run, folder, options.turns)
            measure_warm(shelves, run, options.requests)
        finally:
            for shelf in shelves:
                if shelf.server:
                    shelf.server.end()
            store.postgres.close()


if __name__ == "__main__":
    main()
