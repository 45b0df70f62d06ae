#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How fast `perfshelf copy` brings a shelf of many small runs from one place to another.

    bench_copy.py PROGRAM [--runs 1000,10000]

Each run is a real import log of 500 rows: its run file and original made from one that was added, with a hash of its own. Folder to folder, again
with nothing new, and, where there is a PostgreSQL, into it and back. Seconds, runs a second, and the largest memory of the process.
"""
import argparse
import gzip
import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

from bench_shelf import begin, log_of

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from postgres import Postgres, programs  # noqa: E402


def grow(data, n):
    """Runs until there are n, each like the first but for its original."""
    with sqlite3.connect(os.path.join(data, "catalog.db")) as db:
        columns = [row[1] for row in db.execute("PRAGMA table_info(run)")]
        first = dict(zip(columns, db.execute("SELECT * FROM run WHERE seq = 1").fetchone()))
        [have] = db.execute("SELECT count(*) FROM run").fetchone()
        model = os.path.join(data, "runs", first["id"] + ".db")
        for i in range(have, n):
            text = log_of(i)
            sha256 = hashlib.sha256(text).hexdigest()
            run = os.path.join(data, "runs", sha256[:16] + ".db")
            shutil.copyfile(model, run)
            with sqlite3.connect(run, isolation_level=None) as file:
                file.execute("PRAGMA synchronous=OFF")
                file.execute("UPDATE meta SET v = ? WHERE k = 'sha256'", (sha256,))
            file.close()
            with open(os.path.join(data, "originals", sha256 + ".gz"), "wb") as file:
                file.write(gzip.compress(text, 1))
            row = dict(first, seq=i + 1, id=sha256[:16], sha256=sha256, name=f"step {i}", created_at=first["created_at"] + i)
            db.execute(f"INSERT INTO run({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})", [row[c] for c in columns])
            db.execute("INSERT INTO tag VALUES (?, 'commit', ?)", (row["id"], f"{i:08x}"))
    db.close()


def copy(program, source, target, runs, what):
    began = time.monotonic()
    with subprocess.Popen([program, "copy", "--json", "--from", source, "--to", target], stdout=subprocess.PIPE) as process:
        told = json.loads(process.stdout.read().splitlines()[-1])
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - began
    if process.returncode or told["runs"] + told["already"] != runs:
        raise SystemExit(f"{what}: {told}")
    print(f"| {what} | {runs:,} | {told['bytes'] / 2**20:.0f} | {seconds:.1f} | {runs / seconds:.0f} | {usage.ru_maxrss / 1024:.0f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--runs", default="1000,10000")
    options = parser.parse_args()
    program = os.path.abspath(options.program)
    postgres = Postgres(fsync="on", shared_buffers="256MB") if programs() else None
    print("| copy | runs | MiB | s | runs/s | memory MiB |\n|---|---|---|---|---|---|")
    try:
        with tempfile.TemporaryDirectory(prefix="perfshelf-copy-bench-") as folder:
            data = begin(program, folder)
            for runs in (int(n) for n in options.runs.split(",")):
                grow(data, runs)
                target = os.path.join(folder, f"to{runs}")
                copy(program, data, target, runs, "folder to folder")
                copy(program, data, target, runs, "again, nothing new")
                shutil.rmtree(target)
                if postgres:
                    url = postgres.database()
                    copy(program, data, url, runs, "folder to PostgreSQL")
                    copy(program, data, url, runs, "again, nothing new")
                    copy(program, url, target, runs, "PostgreSQL to folder")
                    shutil.rmtree(target)
    finally:
        if postgres:
            postgres.close()


if __name__ == "__main__":
    main()
