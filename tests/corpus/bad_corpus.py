# SPDX-License-Identifier: MIT
"""Damaged, hostile and foreign files: each meets its verdict, in one line, and leaves nothing behind."""
import csv
import functools
import glob
import json
import os
import resource
import sqlite3
import subprocess
import unittest

from corpus import CORPUS, ONLY_LARGER, PROGRAM, CorpusTest, Shelf, has, paths, sanitized, sha256

# What the manifest and the folders of wild/ call a format -> our kind. What has no importer yet is refused.
KINDS = {
    "importtime": "importtime", "pstats": "pstats", "line_profiler": "line_profiler", "mprof": "mprof",
    "memory_profiler": "memory_profiler", "scalene": "scalene", "lprof": "line_profiler",
    "line-profiler-text": "line_profiler", "memory-profiler": "memory_profiler", "collapsed": "folded", "speedscope": "speedscope",
    "chrome-trace": "trace", "torch-trace": "torch-trace", "py-spy-svg": "flamegraph-svg", "nsys-sqlite": "nsys",
    "pytest-benchmark": "pytest-benchmark", "hyperfine": "hyperfine", "lightning": "lightning", "time -v": "time", "timeit": "timeit",
}
# Files whose name says another format than their content.
BY_CONTENT = {
    "pstats_named.json": "pstats", "pstats_named.lprof": "pstats", "importtime_named.json": "importtime",
    "trace_named.prof": "trace", "lprof_named.prof": "line_profiler",
}
# What lies in wild/other, once it can be read; the rest of it stays refused.
OTHERS = {"cprofile-text-named-pstats.pstats": "pstats-text", "cprofile-text-neuralnet.txt": "pstats-text",
          "docrobust-advanced-old.txt": "pstats-text", "seed-advanced.txt": "pstats-text",  # the reports inside
          "pyinstrument-wikipedia.json": "pyinstrument",
          "key_averages-cuda-memory.txt": "key-averages", "hta-memory_timeline.raw.json.gz": "memory-timeline"}
# fb 30, an empty dict: pstats.Stats refuses it (nothing was profiled), and so do we, whatever a list says of it.
EMPTY_DICT = b"\xfb0"


@functools.cache
def kinds_read():
    done = subprocess.run([PROGRAM, "formats", "--json"], capture_output=True, check=True)
    return {row["kind"] for row in json.loads(done.stdout)}


def verdict(row):
    """What has to happen now. A good file of a format that has no importer yet is refused."""
    with open(os.path.join(CORPUS, "made", "bad", row["file"]), "rb") as file:
        if file.read(3) == EMPTY_DICT:
            return "reject"
    kind = BY_CONTENT.get(row["file"], KINDS.get(row["claims_to_be"]))
    return row["must"] if kind in kinds_read() else "reject"


@functools.cache
def manifest():
    with open(os.path.join(CORPUS, "made", "bad", "MANIFEST.tsv"), encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [dict(row, path=os.path.join(CORPUS, "made", "bad", row["file"])) for row in rows]


@functools.cache
def bad_shelf():
    shelf = Shelf()
    shelf.add([row["path"] for row in manifest()])
    return shelf


@functools.cache
def foreign_shelf():
    """Real profiles of other tools, which nobody here reads yet."""
    if not has("wild"):
        raise unittest.SkipTest(f"{ONLY_LARGER} wild")
    shelf = Shelf()
    shelf.add([path for folder in sorted(glob.glob(os.path.join(CORPUS, "wild", "*")))
               if os.path.isdir(folder) and KINDS.get(os.path.basename(folder)) not in kinds_read()
               for path in paths(os.path.relpath(folder, CORPUS))
               if OTHERS.get(os.path.basename(path)) not in kinds_read()])
    return shelf


class Verdicts(CorpusTest):
    fill = staticmethod(bad_shelf)

    def test_each_file_meets_its_verdict(self):
        for row in manifest():
            with self.subTest(row["file"], why=row["what is wrong"]):
                run = bad_shelf().of(row["path"])
                if verdict(row) == "accept":
                    self.assertIsNotNone(run, bad_shelf().refused.get(row["path"]))
                elif verdict(row) == "reject":
                    self.assertIsNone(run)

    def test_what_was_mended_is_noted(self):
        for row in manifest():
            run = bad_shelf().of(row["path"])
            if run is None:
                continue
            with self.subTest(row["file"]):
                notes = bad_shelf().sql(row["path"], "SELECT severity FROM notes")
                mended = [note for note in notes if note["severity"] in ("repaired", "rejected")]
                self.assertEqual(bool(mended), bool(run["repaired"] or run["rejected"]))

    def test_a_refusal_says_what_and_what_to_do(self):
        for path, line in {**bad_shelf().refused, **foreign_shelf().refused}.items():
            with self.subTest(os.path.basename(path)):
                said = line[len(f"perfshelf: {path}: "):]
                self.assertGreater(len(said), 10)
                self.assertIn(";", said)  # "what is wrong at byte N; what to do"
                self.assertTrue(said.isprintable(), repr(said))

    def test_nothing_is_left_behind(self):
        for shelf in (bad_shelf(), foreign_shelf()):
            self.assertEqual([name[:16] for name in shelf.files_in("runs")], sorted(r["id"] for r in shelf.runs.values()))
            self.assertEqual([name[:64] for name in shelf.files_in("originals")], sorted(shelf.runs))
            self.assertEqual(shelf.files_in("spool"), [])
            catalog = sqlite3.connect(os.path.join(shelf.folder, "catalog.db"))
            failures = catalog.execute("SELECT count(*), count(code), count(text) FROM import_log WHERE run IS NULL "
                                       "OR run = ''").fetchone()
            catalog.close()
            self.assertEqual(failures, (len(shelf.refused),) * 3)

    @unittest.skipIf(sanitized(), "sanitizers take memory of their own")
    def test_bombs_take_little_memory(self):
        """Of the larger corpus five files inflate to hundreds of megabytes."""
        self.assertLess(bad_shelf().peak_kib, 600 * 1024)

    def test_other_tools_profiles_are_refused_by_name(self):
        for path in foreign_shelf().refused:
            with self.subTest(os.path.basename(path)):
                self.assertNotIn(sha256(path), foreign_shelf().runs)
        self.assertEqual(foreign_shelf().runs, {})


if __name__ == "__main__":
    unittest.main()
