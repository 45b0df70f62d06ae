# SPDX-License-Identifier: MIT
"""The demo profiles: dumps equal a live pstats.Stats of the Python at hand, logs a reading by regular expression."""
import csv
import gzip
import json
import os
import pstats
import re
import struct
import subprocess
import sys
import unittest

from program import DEMO, ROOT, ShelfTest

ROW = re.compile(r"import time: *(-?\d+) \| *(-?\d+) \| ( *)(.*)")


def bits(value):
    return struct.pack(">d", value) if isinstance(value, float) else value


def label(key):
    return key[0], key[1], key[2] if isinstance(key[2], str) else \
        f'<code object {key[2].co_name}, file "{key[2].co_filename}", line {key[2].co_firstlineno}>'


class Demo(ShelfTest):
    def setUp(self):
        super().setUp()
        self.names = sorted(os.listdir(DEMO))
        lines = self.ok("add", "--json", *(os.path.join(DEMO, name) for name in self.names)).splitlines()
        self.runs = {name: json.loads(line) for name, line in zip(self.names, lines)}

    def test_shelf_list_names_every_profile(self):
        with open(os.path.join(ROOT, "demo", "shelf.tsv"), encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t"))
        self.assertEqual(sorted(row["file"] for row in rows), self.names)
        self.assertLess(sum(os.path.getsize(os.path.join(DEMO, name)) for name in self.names), 1 << 20)

    def test_memory_snapshot_is_what_its_generator_writes(self):
        made = os.path.join(self.folder, "made.pickle.gz")
        subprocess.run([sys.executable, os.path.join(ROOT, "demo", "make_memory.py"), made], check=True)
        with gzip.open(made) as new, gzip.open(os.path.join(DEMO, "out-of-memory.pickle.gz")) as kept:
            self.assertEqual(new.read(), kept.read())
        conclusion = self.ok("show", self.runs["out-of-memory.pickle.gz"]["id"])
        self.assertIn("An allocation of 786 MiB failed on GPU 0: the driver had 740 MiB free.", conclusion)
        self.assertIn("It grows: linear.py:125 from model.py:90 keeps 786 MiB more in each of 6 steps.", conclusion)

    def test_samples_list_what_is_imported(self):
        """The page shows kind and headline of the samples of the program before they are imported."""
        with open(os.path.join(ROOT, "demo", "samples.tsv"), encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t"))
        runs = {run["id"]: run for run in self.json("list")}
        imported = [runs[self.runs[row["file"]]["id"]] for row in rows]
        self.assertEqual([(row["kind"], float(row["value"]), row["unit"], row["label"]) for row in rows],
                         [(run["kind"], *run["headline"].values()) for run in imported])

    def functions(self, run):
        rows = self.json("sql", run, "SELECT id, file, line, name, ncalls, primitive_calls, tottime_s, cumtime_s FROM functions")
        return {r["id"]: (r["file"], r["line"], r["name"]) for r in rows}, {
            (r["file"], r["line"], r["name"]): [bits(r[k]) for k in ("primitive_calls", "ncalls", "tottime_s", "cumtime_s")]
            for r in rows}

    def callers(self, run, labels):
        edges = {}
        for r in self.json("sql", run, "SELECT * FROM callers"):
            values = [r[k] for k in ("ncalls", "primitive_calls", "tottime_s", "cumtime_s")]
            edges[labels[r["callee_id"]], labels[r["caller_id"]]] = [bits(v) for v in values if v is not None]
        return edges

    def test_dumps_equal_pstats(self):
        compared = 0
        for name in self.names:
            if not name.endswith(".prof"):
                continue
            try:
                stats = pstats.Stats(os.path.join(DEMO, name)).stats
            except ValueError:  # Python 2 wrote it
                continue
            compared += 1
            with self.subTest(name):
                labels, functions = self.functions(self.runs[name]["id"])
                self.assertEqual(functions, {label(k): [bits(x) for x in v[:4]] for k, v in stats.items()})
                wanted = {(label(k), label(c)): [bits(x) for x in (n if isinstance(n, tuple) else (n,))]
                          for k, v in stats.items() for c, n in v[4].items()}
                self.assertEqual(self.callers(self.runs[name]["id"], labels), wanted)
        self.assertGreater(compared, 4)

    def test_logs_equal_their_lines(self):
        for name in self.names:
            if not name.endswith(".log"):
                continue
            with self.subTest(name), open(os.path.join(DEMO, name), encoding="utf-8") as file:
                wanted = [[m[4], int(m[1]), int(m[2]), len(m[3]) // 2] for m in map(ROW.search, file) if m]
                rows = self.json("sql", self.runs[name]["id"], "SELECT module, self_us, cumulative_us, depth FROM imports ORDER BY ord")
                self.assertEqual([list(row.values()) for row in rows], wanted)


if __name__ == "__main__":
    unittest.main()
