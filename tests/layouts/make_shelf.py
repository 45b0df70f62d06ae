#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes tests/layouts/runs/N.tar.xz: a shelf with a run of each kind, by a program whose run files have layout N.

usage: make_shelf.py [PROGRAM]   (default: build/perfshelf)

Of each kind it takes the largest sample below 40 kB in demo/profiles and tests/golden. The originals are left out. Call it before
`user_version` in schema/run.sql is raised: tests/http/layouts_http.py asks for a shelf of each older layout."""
import glob
import hashlib
import json
import os
import subprocess
import sys
import tarfile
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BYTES_MAX = 40000
KEPT = ("catalog.db", "labels", "runs")


def samples():
    paths = glob.glob(os.path.join(ROOT, "demo", "profiles", "*")) + glob.glob(os.path.join(ROOT, "tests", "golden", "*", "ok_*"))
    return sorted((path for path in paths if not path.endswith((".dump", ".error")) and os.path.getsize(path) < BYTES_MAX), key=os.path.getsize)


def add(program, paths, data):
    """The runs of the files; a file without a profile is refused, and the others are added."""
    done = subprocess.run([program, "add", *paths, "--data", data, "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return [json.loads(line) for line in done.stdout.splitlines()]


def hash_of(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def without_dates(member):
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = ""
    return member


def main(program):
    with tempfile.TemporaryDirectory(prefix="perfshelf-layouts-") as folder:
        kinds = {run["sha256"]: run["kind"] for run in add(program, samples(), os.path.join(folder, "samples"))}
        largest = {kinds[hash_of(path)]: path for path in samples() if hash_of(path) in kinds}
        data = os.path.join(folder, "all")
        runs = add(program, sorted(set(largest.values())), data)
        with open(os.path.join(data, "runs", runs[0]["id"] + ".db"), "rb") as file:
            layout = file.read(64)[63]
        out = os.path.join(ROOT, "tests", "layouts", "runs", f"{layout}.tar.xz")
        with tarfile.open(out, "w:xz", format=tarfile.GNU_FORMAT) as tar:
            for name in KEPT:
                tar.add(os.path.join(data, name), name, filter=without_dates)
    print(f"{out}: {len(runs)} runs, {', '.join(sorted(largest))}")


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else os.path.join(ROOT, "build", "perfshelf"))
