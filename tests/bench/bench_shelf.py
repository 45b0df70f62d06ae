#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a shelf of many runs costs to look at, by HTTP.

    bench_shelf.py PROGRAM [--runs 1000,10000,100000] [--requests 200]

A catalog of so many runs (rows made from one real run; their run files are not there, and not asked for): 400 series of three kinds, eight
people, of each run a branch, a commit of its own and a host. Then what the shelf's page asks: each --requests times over one
connection, the first left out. p50 and p99 in ms; `grows` is the p50 against that of the smallest shelf.
"""
import argparse
import http.client
import json
import os
import re
import sqlite3
import subprocess
import tempfile
import time

HEAD = "import time: self [us] | cumulative | imported package\n"
KINDS = "CASE i % 3 WHEN 0 THEN 'importtime' WHEN 1 THEN 'pstats' ELSE 'torch-trace' END"
QUESTIONS = [
    ("the shelf itself", "shelf"),
    ("its first page", "runs?limit=200"),
    ("its first page, by name", "runs?limit=200&sort=name&desc=0"),
    ("a tag that one run has", "runs?limit=200&tag=commit%3D{commit}"),
    ("a tag of a twentieth", "runs?limit=200&tag=branch%3Dfeature-7"),
    ("two words", "runs?limit=200&q=service-17%20gpu-3"),
    ("a word that one run has", "runs?limit=200&q={commit}"),
    ("a kind", "runs?limit=200&kind=pstats"),
    ("a series", "runs?limit=200&series=service-17"),
    ("the trend of a series", "trend?runs=series:service-17"),
    ("the trend of a tag", "trend?runs=tag:branch=feature-7"),
]


def grow(data, n):
    """Rows until there are n, older ones as the first of them was."""
    with sqlite3.connect(os.path.join(data, "catalog.db")) as db:
        changed = ("seq", "id", "sha256", "kind", "name", "series", "who", "headline_value", "created_at")
        kept = ", ".join(row[1] for row in db.execute("PRAGMA table_info(run)") if row[1] not in changed)
        [have] = db.execute("SELECT count(*) FROM run").fetchone()
        made = f"WITH RECURSIVE c(i) AS (SELECT {have} UNION ALL SELECT i + 1 FROM c WHERE i < {n - 1}) "
        db.execute(f"INSERT INTO run(id, sha256, kind, name, series, who, headline_value, created_at, {kept}) {made} "
                   f"SELECT printf('%016x', i * 2654435761 % 4294967296), printf('%016x%048x', i * 2654435761 % 4294967296, i), {KINDS}, "
                   f"printf('train step %d of service-%d', i, i % 400), printf('service-%d', i % 400), "
                   f"substr('meiavabobidaleapiauteyan', 1 + i % 8 * 3, 3), 1 + i * 7919 % 1000 / 1000.0, created_at + i * 60000, {kept} "
                   f"FROM c, (SELECT * FROM run WHERE seq = 1)")
        rows = f"{made} SELECT printf('%016x', i * 2654435761 % 4294967296) AS id, i FROM c"
        for key, value in (("branch", "printf('feature-%d', i % 20)"), ("commit", "printf('%08x', i * 40503 % 4294967296)"),
                           ("host", "printf('gpu-%d', i % 16)")):
            db.execute(f"INSERT INTO tag SELECT id, '{key}', {value} FROM ({rows})")
        return db.execute("SELECT v FROM tag WHERE k = 'commit' ORDER BY v LIMIT 1 OFFSET ?", (n // 2,)).fetchone()[0]


class Server:
    def __init__(self, program, data):
        self.process = subprocess.Popen([program, "serve", "--data", data, "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
        self.link = http.client.HTTPConnection("127.0.0.1", int(re.search(r":(\d+)/$", self.process.stdout.readline().strip())[1]))

    def ask(self, path):
        began = time.perf_counter()
        self.link.request("GET", f"/api/v1/{path}")
        answer = self.link.getresponse()
        text = answer.read()
        if answer.status != 200:
            raise SystemExit(f"{path}: {answer.status} {text[:200]}")
        return 1e3 * (time.perf_counter() - began), text

    def end(self):
        self.process.terminate()
        self.process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--runs", default="1000,10000,100000")
    parser.add_argument("--requests", type=int, default=200)
    options = parser.parse_args()
    program, smallest = os.path.abspath(options.program), {}
    with tempfile.TemporaryDirectory(prefix="perfshelf-shelf-") as folder:
        data, log = os.path.join(folder, "shelf"), os.path.join(folder, "real.log")
        with open(log, "w", encoding="ascii") as file:
            file.write(HEAD + "".join(f"import time: {100 + i:9} | {100 + i:10} | made.module_{i}\n" for i in range(500)))
        subprocess.run([program, "add", "--data", data, log], check=True, stdout=subprocess.DEVNULL)
        for runs in (int(n) for n in options.runs.split(",")):
            commit = grow(data, runs)
            server = Server(program, data)
            print(f"| {runs:,} runs | rows | p50 ms | p99 ms | grows |\n|---|---|---|---|---|")
            for what, path in QUESTIONS:
                path = path.format(commit=commit)
                answer = json.loads(server.ask(path)[1])
                times = sorted(server.ask(path)[0] for _ in range(options.requests))
                p50, p99 = times[len(times) // 2], times[min(len(times) - 1, len(times) * 99 // 100)]
                rows = answer.get("total", len(answer.get("points", [])) or answer.get("runs"))
                print(f"| {what} | {rows:,} | {p50:.1f} | {p99:.1f} | {p50 / smallest.setdefault(what, p50):.1f} |", flush=True)
            server.end()


if __name__ == "__main__":
    main()
