# SPDX-License-Identifier: MIT
"""Redacted exports of real profiles: every figure of every table is the original's, and no home folder, account, host, address of
mail or line of source that stood in the run is anywhere in the bytes of the file."""
import functools
import json
import os
import re
import sqlite3
import subprocess
import tempfile
import unittest

from corpus import Shelf, paths

FOLDERS = ("wild/pstats", "wild/lprof", "wild/line-profiler-text", "wild/scalene", "wild/memory-profiler", "wild/mprof", "wild/speedscope",
           "wild/collapsed", "wild/py-spy-svg", "wild/pytest-benchmark", "wild/lightning", "wild/importtime", "wild/torch-trace",
           "wild/chrome-trace", "made/scalene", "made/timing", "made/sampling-py315", "wild/nsys-sqlite")
LARGEST = 1_500_000 # bytes of a file: the larger ones tell no more and take long
AT_ONCE = 50        # runs of a bundle
ARGUMENTS = (11, 31) # columns of a chunk that redacting arguments changes: where they lie, and they

HOMES = re.compile(r"(?:/home/|/Users/|\\Users\\)([\w .-]{3,40}?)[/\\]")
MAIL = re.compile(r"[\w.+-]+@[\w-]+\.(?:com|org|net|edu|io)\b")
HOST = re.compile(r'^"([\w.-]{4,})"$')
COMMON = {"root", "user", "users", "ubuntu", "runner", "test", "build", "jenkins", "docker", "data", "shared", "home", "work", "python"}


@functools.cache
def shelf():
    filled = Shelf()
    filled.add([path for path in paths(*FOLDERS) if os.path.isfile(path) and os.path.getsize(path) < LARGEST])
    return filled


@functools.cache
def bundles():
    """Each run's id with the file that it was redacted into."""
    ids = [run["id"] for run in shelf().runs.values()]
    found = {}
    for at in range(0, len(ids), AT_ONCE):
        part = ids[at:at + AT_ONCE]
        folder = tempfile.mkdtemp(dir=shelf().folder)
        done = shelf().run("export", *part, "--redact", "all", "-o", os.path.join(folder, "x.perfshelf"))
        if done.returncode:
            raise AssertionError(done.stderr.decode())
        subprocess.run(["tar", "--zstd", "-xf", "x.perfshelf"], cwd=folder, check=True)
        with open(os.path.join(folder, "bundle.json"), encoding="utf-8") as file:
            told = json.load(file)["runs"]
        found.update({run: os.path.join(folder, one["file"]) for run, one in zip(part, told, strict=True)})
    return found


def opened(path):
    db = sqlite3.connect(f"file:{path}?immutable=1", uri=True)
    db.text_factory = lambda text: text.decode("utf-8", "replace")
    return db


def tables(db):
    return [name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'meta' ORDER BY name")]


def figures(db, table):
    """All values but texts; of chunks not the arguments, of notes not the one that a redaction adds."""
    rows = db.execute(f'SELECT * FROM "{table}"')
    for row in rows:
        if table == "chunk_column" and row[0] % 32 in ARGUMENTS:
            continue
        if table == "note" and row[4].startswith("shared without its original"):
            continue
        if table == "args_template":
            row = (row[0], row[2])
        if table == "line":
            row = row[:5] + row[6:]
        yield tuple(value for value in row if not isinstance(value, str))


def texts(db):
    for table in tables(db) + ["meta"]:
        for row in db.execute(f'SELECT * FROM "{table}"'):
            yield from ((table, value) for value in row if isinstance(value, str))
            if table == "args_template":
                yield table, row[1].decode("utf-8", "replace") if isinstance(row[1], bytes) else row[1]


def secrets(db):
    found = set()
    for _, text in texts(db):
        found.update(name for name in HOMES.findall(text) if name not in COMMON)
        found.update(MAIL.findall(text))
    for (value,) in db.execute("SELECT v FROM meta WHERE k IN ('header.host_name', 'header.username', 'header.tw_user', 'host')"):
        found.update(HOST.findall(value) or [value] if len(value) > 3 else [])
    for (line,) in db.execute("SELECT source FROM line WHERE length(trim(source)) > 25"):
        found.add(line.strip())
    return {secret.encode() for secret in found if len(secret) > 3 and secret.lower() not in COMMON}


class Redacted(unittest.TestCase):
    def each(self):
        for run, path in bundles().items():
            with self.subTest(run):
                yield opened(os.path.join(shelf().folder, "runs", run + ".db")), opened(path), path

    def test_there_are_many(self):
        kinds = {run["kind"] for run in shelf().runs.values()}
        self.assertGreater(len(bundles()), 50)
        self.assertGreater(len(kinds), 8, kinds)

    def test_figures_are_the_same(self):
        for original, redacted, _ in self.each():
            self.assertEqual(tables(original), tables(redacted))
            for table in tables(original):
                self.assertEqual(list(figures(original, table)), list(figures(redacted, table)), table)

    def test_no_secret_is_left(self):
        total = 0
        for original, _, path in self.each():
            with open(path, "rb") as file:
                held = file.read()
            left = [secret for secret in secrets(original) if secret in held]
            total += len(secrets(original))
            self.assertEqual(left, [])
        self.assertGreater(total, 5)  # the test found what to look for

    def test_no_home_and_no_address(self):
        for _, redacted, _ in self.each():
            found = [text for _, text in texts(redacted) if HOMES.search(text) or MAIL.search(text)]
            self.assertEqual(found[:3], [])


if __name__ == "__main__":
    unittest.main()
