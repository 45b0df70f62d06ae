# SPDX-License-Identifier: MIT
"""Shelves that earlier versions wrote (tests/layouts/shelves) open, verify clean and answer as before.

The 0.2.0 shelves hold four runs with labels, a note, a baseline, a token and a source file, and one deleted run. They were written by
`perfshelf add`, `rm`, `baseline` and `token add` of that version; the database was written by pg_dump.
"""
import glob
import lzma
import os
import shutil
import subprocess
import sys
import tarfile
import unittest

from program import PROGRAM, ROOT, ShelfTest

sys.path.insert(0, os.path.join(ROOT, "tests"))
from postgres import Postgres, needs_postgresql  # noqa: E402

SHELVES = os.path.join(ROOT, "tests", "layouts", "shelves")


class PreviousTest(ShelfTest):
    def check(self, environment=None):
        def run(*arguments):
            done = subprocess.run([PROGRAM, *arguments, "--data", self.data], env=dict(os.environ, **environment or {}), capture_output=True,
                                  text=True, timeout=120, check=False)
            self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
            return done.stdout

        self.assertIn("4 runs, ", run("verify"))
        self.assertIn("no problem found", run("verify"))
        shelf = run("list")
        for words in ("events", "awscli", "cached  host=ci", "slow    host=ci", "1.716 s", "492.6 ms"):
            self.assertIn(words, shelf)
        self.assertIn("before the cache", run("show", "slow"))
        self.assertIn("baseline", run("trend", "bookshop", "--json"))
        self.assertIn("mei", run("token", "list"))
        self.assertIn("awscli", run("show", "awscli"))
        run("edit", "awscli", "--note", "opened by a newer version")
        self.assertIn("opened by a newer version", run("show", "awscli"))
        self.assertIn("no problem found", run("verify"))

    def test_folder(self):
        for archive in glob.glob(os.path.join(SHELVES, "*-folder.tar.xz")):
            shutil.rmtree(self.data, ignore_errors=True)
            with tarfile.open(archive) as tar:
                tar.extractall(self.data)
            with self.subTest(os.path.basename(archive)):
                self.check()

    @needs_postgresql
    def test_postgresql(self):
        server = Postgres()
        self.addCleanup(server.close)
        for number, dump in enumerate(glob.glob(os.path.join(SHELVES, "*-postgresql.sql.xz"))):
            shutil.rmtree(self.data, ignore_errors=True)
            where = ["-h", server.folder, "-U", "shelf"]
            subprocess.run([os.path.join(server.bin, "createdb"), *where, f"previous{number}"], check=True)
            with lzma.open(dump) as file:
                subprocess.run([os.path.join(server.bin, "psql"), *where, "-q", "-v", "ON_ERROR_STOP=1", "-d", f"previous{number}"],
                               input=file.read(), stdout=subprocess.DEVNULL, check=True)
            with self.subTest(os.path.basename(dump)):
                self.check({"PERFSHELF_STORE": f"postgresql://shelf@/previous{number}?host={server.folder}"})


if __name__ == "__main__":
    unittest.main()
