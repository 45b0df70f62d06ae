#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a shelf of many runs costs to look at, by HTTP: one in a folder, and one of many servers on a PostgreSQL, where there is one.

    bench_shelf.py PROGRAM [--runs 1000,10000,100000] [--requests 200]

A catalog of so many runs (rows made from one real run; their run files are not there, and not asked for): 400 series of three kinds, eight
people, of each run a branch, a commit of its own and a host. The same rows go into the tables of the PostgreSQL. Then what the shelf's page asks: each
--requests times over one connection, of both shelves in turn, the first left out. p50 and p99 in ms; `grows` is the p50 against that of the
smallest shelf. At last a name that is changed, and how long a server takes to start: with a new mirror, with one that lacks what was added since the
smaller shelf, with one that has it all.
"""
import argparse
import atexit
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

from served import Server

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from postgres import Postgres, programs  # noqa: E402

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
    ("one run", "runs/{run}"),
    ("a kind", "runs?limit=200&kind=pstats"),
    ("a series", "runs?limit=200&series=service-17"),
    ("the trend of a series", "trend?runs=series:service-17"),
    ("the trend of a tag", "trend?runs=tag:branch=feature-7"),
]


def log_of(n):
    """Of 500 modules; another one for each n."""
    return (HEAD + "".join(f"import time: {n + i:9} | {n + i:10} | made.module_{i}\n" for i in range(500))).encode()


def begin(program, folder):
    """A shelf there of one run, the log of 0."""
    data, log = os.path.join(folder, "shelf"), os.path.join(folder, "real.log")
    with open(log, "wb") as file:
        file.write(log_of(0))
    subprocess.run([program, "add", "--data", data, log], check=True, stdout=subprocess.DEVNULL)
    return data


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


class Folder:
    """A shelf in a folder."""
    name, args = "folder", ()

    def __init__(self, program, data):
        self.program, self.data = program, data

    def serve(self):
        return Server(self.program, self.data, *self.args)

    def fill(self, catalog):
        """It is its own catalog."""

    def starts(self):
        return {"a server starts": self.serve}


class Shared(Folder):
    """The same rows in a PostgreSQL, written there as if other servers had added them."""
    name = "PostgreSQL"

    def __init__(self, program, data):
        super().__init__(program, data)
        self.postgres = Postgres(fsync="on")
        atexit.register(self.postgres.close)
        self.url = self.postgres.database()
        self.args = ("--store", self.url)
        subprocess.run([program, "list", "--data", data, *self.args], check=True, stdout=subprocess.DEVNULL)
        self.last = 0

    def fill(self, catalog):
        tx = int(self.postgres.sql(self.url, "UPDATE clock SET n = n + 1 RETURNING n"))
        with sqlite3.connect(os.path.join(catalog, "catalog.db")) as db:
            self.copy(db, "run", f"SELECT * FROM run WHERE seq > {self.last}", tx)
            self.copy(db, "tag", f"SELECT * FROM tag WHERE run IN (SELECT id FROM run WHERE seq > {self.last})", tx)
            [self.last] = db.execute("SELECT max(seq) FROM run").fetchone()

    def copy(self, db, table, select, tx):
        rows = db.execute(select)
        columns = ", ".join(f'"{column[0]}"' for column in rows.description)
        text = "".join(",".join("" if v is None else '"' + str(v).replace('"', '""') + '"' for v in (*row, tx)) + "\n" for row in rows)
        command = [*self.postgres.as_user, os.path.join(self.postgres.bin, "psql"), "-X", "-q", "-v", "ON_ERROR_STOP=1",
                   "-c", f'COPY "{table}"({columns}, tx) FROM STDIN (FORMAT csv)', self.url]
        subprocess.run(command, input=text.encode(), check=True, cwd=self.postgres.folder)

    def starts(self):
        new = Folder(self.program, self.data + "-new")
        new.args = self.args
        return {"it starts with what the smaller shelf had": self.serve, "it starts with all": self.serve, "it starts with nothing": new.serve}


def figures(times):
    times = sorted(times)
    return times[len(times) // 2], times[min(len(times) - 1, len(times) * 99 // 100)]


def measure(servers, runs, commit, requests, smallest):
    """A line a question, of all shelves side by side."""
    def line(what, rows, ask):
        times = [[] for _ in servers]
        for i in range(requests):
            for server, own in zip(servers, times):
                own.append(1e3 * ask(server, i))
        told = [figures(own) for own in times]
        grows = [f"{p50 / smallest.setdefault((what, n), p50):.1f}" for n, (p50, _) in enumerate(told)]
        print(f"| {what} | {rows:,} | " + " | ".join(f"{p50:.1f}, {p99:.1f} | {more}" for (p50, p99), more in zip(told, grows)) + " |", flush=True)

    run = json.loads(servers[0].get("/api/v1/runs?limit=1&offset=7")[1])["rows"][0]["id"]
    for what, path in QUESTIONS:
        path = "/api/v1/" + path.format(commit=commit, run=run)
        answers = [json.loads(server.get(path)[1]) for server in servers]
        rows = {answer.get("total", len(answer.get("points", [])) or answer.get("runs", 1)) for answer in answers}
        if len(rows) != 1:
            raise SystemExit(f"{path}: the shelves differ: {rows}")
        line(what, rows.pop(), lambda server, _, path=path: server.get(path)[0])
    line("a name is changed", 1, lambda server, i: server.ask("PATCH", f"/api/v1/runs/{run}", json.dumps({"name": f"train step {i}"}))[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--runs", default="1000,10000,100000")
    parser.add_argument("--requests", type=int, default=200)
    options = parser.parse_args()
    program, smallest = os.path.abspath(options.program), {}
    with tempfile.TemporaryDirectory(prefix="perfshelf-shelf-") as folder:
        data = begin(program, folder)
        shelves = [Folder(program, data)]
        if programs():
            shelves.append(Shared(program, os.path.join(folder, "mirror")))
        else:
            print("without PostgreSQL (package postgresql): only the shelf in a folder")
        for runs in (int(n) for n in options.runs.split(",")):
            commit = grow(data, runs)
            heads = [f"{shelf.name}: p50, p99 ms | grows" for shelf in shelves]
            print(f"| {runs:,} runs | rows | {' | '.join(heads)} |\n|---|---|{'---|---|' * len(shelves)}")
            starts = []
            for shelf in shelves:
                shelf.fill(data)
                for what, serve in shelf.starts().items():
                    server = serve()
                    starts.append((f"{shelf.name}: {what}", server.ready_ms))
                    server.end()
            servers = [shelf.serve() for shelf in shelves]
            measure(servers, runs, commit, options.requests, smallest)
            for server in servers:
                server.end()
            for what, ms in starts:
                print(f"{what}: {ms:.0f} ms")
            if len(shelves) > 1:
                shutil.rmtree(shelves[1].data + "-new")


if __name__ == "__main__":
    main()
