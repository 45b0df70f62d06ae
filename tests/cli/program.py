# SPDX-License-Identifier: MIT
"""The program under test, a shelf of its own for each test, and small profiles made by the Python at hand."""
import cProfile
import functools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
import kept  # noqa: E402
from built import PROGRAM, sanitized  # noqa: E402, F401

DEMO = os.path.join(ROOT, "demo", "profiles")


def call_whole(*args, **options):
    return subprocess.run([PROGRAM, *args], capture_output=True, timeout=120, **options)


def call(*args, **options):
    """The same without the note that a call made the shelf, which only the first one writes."""
    done = call_whole(*args, **options)
    if isinstance(done.stderr, bytes):
        done.stderr = re.sub(rb"(?m)^perfshelf: .*: note: created a new shelf\n", b"", done.stderr)
    return done


def call_as_nobody(*args, **options):
    """The same as a user who owns nothing; only root can."""
    nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    return subprocess.run([*nobody, PROGRAM, *args], capture_output=True, timeout=120, **options)


@functools.cache
def import_log():
    """A log of this Python's own imports."""
    command = [sys.executable, "-X", "importtime", "-c", "import json, argparse"]
    return subprocess.run(command, capture_output=True, check=True).stderr


def dump_of(function, path):
    profile = cProfile.Profile()
    profile.runcall(function)
    profile.dump_stats(path)
    return path


def fibonacci(n=12):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


class ShelfTest(unittest.TestCase):
    maxDiff = 2000

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="perfshelf-cli-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.data = os.path.join(self.folder, "shelf")
        self.log = self.file("imports.log", import_log())
        self.dump = dump_of(fibonacci, os.path.join(self.folder, "fib.prof"))

    def file(self, name, content):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)
        return path

    def run_verb(self, verb, *args, **options):
        return call(verb, "--data", self.data, *args, **options)

    def ok(self, verb, *args, **options):
        """stdout of a call that must succeed and say nothing on stderr."""
        done = self.run_verb(verb, *args, **options)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return done.stdout.decode()

    def json(self, verb, *args, **options):
        return json.loads(self.ok(verb, *args, "--json", **options))

    def fails(self, verb, *args, status=1, **options):
        """The single line on stderr of a call that must fail."""
        done = self.run_verb(verb, *args, **options)
        self.assertEqual(done.returncode, status, done.stderr)
        lines = done.stderr.decode().splitlines()
        self.assertEqual(len(lines), 1, lines)
        self.assertTrue(lines[0].startswith("perfshelf: "), lines)
        return lines[0]

    def left_over(self):
        """What the shelf keeps, by key, and what lies in its spool."""
        left = {sub: kept.keys(self.data, sub) for sub in ("runs", "originals")}
        return dict(left, spool=sorted(os.listdir(os.path.join(self.data, "spool"))))
