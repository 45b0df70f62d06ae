# SPDX-License-Identifier: MIT
"""The care of a shelf: verify."""
import glob
import gzip
import json
import os
import sqlite3
import unittest

from program import ShelfTest

SOURCE = b"def f(n):\n    return n\n"


class VaultTest(ShelfTest):
    def setUp(self):
        super().setUp()
        self.first = self.json("add", self.log, "--name", "start", "--series", "s", "--tag", "k=v")["id"]
        self.second = self.json("add", self.dump)["id"]

    def path(self, *parts):
        found = glob.glob(os.path.join(self.data, *parts))
        self.assertEqual(len(found), 1, found)
        return found[0]

    def damage(self, path, at, content=b"\xff" * 64):
        with open(path, "r+b") as file:
            file.seek(at)
            file.write(content)

    def findings(self, *args):
        """What verify says, and its exit status is that of its findings."""
        done = self.run_verb("verify", "--json", *args)
        *findings, total = map(json.loads, done.stdout.decode().splitlines())
        self.assertEqual((done.returncode, done.stderr, total["findings"]), (1 if findings else 0, b"", len(findings)), done.stdout)
        for finding in findings:
            self.assertEqual(list(finding), ["what", "file", "text", "hint"])
            self.assertTrue(all(finding.values()), finding)
        return [(finding["what"], finding["file"]) for finding in findings]

    def names(self, run):
        """The files of a run, below the shelf."""
        return [os.path.relpath(self.path(*pattern), self.data) for pattern in (("runs", run + "*"), ("originals", run + "*"))]


class Verify(VaultTest):
    def test_a_whole_shelf(self):
        self.assertEqual((self.findings(), self.findings("--quick")), ([], []))
        self.assertRegex(self.ok("verify"), r"^2 runs, 5 files, .*: all whole\n$")
        self.ok("rm", "start")
        self.assertEqual(self.findings(), [])
        self.ok("rm", self.second)
        self.assertEqual(self.findings(), [])

    def test_no_shelf_is_no_finding(self):
        self.data = os.path.join(self.folder, "nowhere")
        self.assertIn("there is no shelf", self.fails("verify", status=2))
        self.assertFalse(os.path.exists(self.data))

    def test_missing_files(self):
        run, original = self.names(self.first)
        os.unlink(os.path.join(self.data, run))
        os.unlink(os.path.join(self.data, original))
        for args in ((), ("--quick",)):
            self.assertEqual(self.findings(*args), [("run", run), ("original", original)])

    def test_damaged_run_file(self):
        run, _ = self.names(self.first)
        path = os.path.join(self.data, run)
        size = os.path.getsize(path)
        for at, length in ((0, 16), (8192, 32), (size - 8192 * 3, 8192)):
            with open(path, "rb") as file:
                whole = file.read()
            self.damage(path, at, b"\xa5" * length)
            self.assertEqual(self.findings(), [("run", run)], at)
            with open(path, "wb") as file:
                file.write(whole)
        os.truncate(path, size // 2)
        self.assertEqual(self.findings(), [("run", run)])
        os.truncate(path, 0)
        self.assertEqual(self.findings("--quick"), [("run", run)])

    def test_a_run_file_in_place_of_another(self):
        run, _ = self.names(self.first)
        other, _ = self.names(self.second)
        with open(os.path.join(self.data, other), "rb") as source, open(os.path.join(self.data, run), "wb") as target:
            target.write(source.read())
        self.assertEqual(self.findings("--quick"), [("run", run)])

    def test_damaged_original(self):
        _, original = self.names(self.second)
        path = os.path.join(self.data, original)
        with open(path, "rb") as file:
            whole = file.read()
        for bad in (whole[:-10], whole[:100] + b"\xff\xff" + whole[102:], gzip.compress(b"other bytes"), b"plain"):
            with open(path, "wb") as file:
                file.write(bad)
            self.assertEqual(self.findings(), [("original", original)])
        self.assertEqual(self.findings("--quick"), [])

    def test_strays(self):
        for folder, name in (("runs", "0123456789abcdef.db"), ("originals", "0" * 64 + ".gz"), ("sources", "1" * 64 + ".gz"),
                             ("labels", "0123456789abcdef.json"), ("runs", "notes.txt")):
            self.file(os.path.join("shelf", folder, name), b"?")
        self.assertEqual(sorted(file for what, file in self.findings() if what == "stray"),
                         sorted(["runs/0123456789abcdef.db", "runs/notes.txt", "labels/0123456789abcdef.json",
                                 f"originals/{'0' * 64}.gz", f"sources/{'1' * 64}.gz"]))

    def test_labels_and_the_catalog(self):
        self.file(f"shelf/labels/{self.first}.json", b'{"name":')
        self.assertEqual(self.findings(), [("label", f"labels/{self.first}.json")])
        os.unlink(self.path("labels", "*"))
        with sqlite3.connect(os.path.join(self.data, "catalog.db")) as db:
            db.execute("INSERT INTO tag VALUES ('0123456789abcdef', 'a', 'b')")
        db.close()
        self.assertEqual(self.findings(), [("catalog", "catalog.db")])

    def test_a_catalog_that_is_damaged_or_gone(self):
        catalog = os.path.join(self.data, "catalog.db")
        self.damage(catalog, 0)
        self.assertEqual(self.findings(), [("catalog", "catalog.db")])
        os.unlink(catalog)
        self.assertEqual(self.findings(), [("catalog", "catalog.db")])
        self.assertIn("perfshelf rebuild", self.fails("list"))
        self.assertFalse(os.path.exists(catalog))


if __name__ == "__main__":
    unittest.main()
