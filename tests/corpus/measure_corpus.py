# SPDX-License-Identifier: MIT
"""Timings of the corpus: every figure equals the oracle's."""
import functools
import glob
import json
import os
import unittest

from corpus import CORPUS, CorpusTest, Shelf, needs_corpus, paths

TIMING = os.path.join(CORPUS, "made", "timing")


def timing(*patterns):
    found = [path for pattern in patterns for path in sorted(glob.glob(os.path.join(TIMING, pattern)))]
    return [path for path in found if ".oracle.json" not in path]


def oracle(path):
    with open(path + ".oracle.json", encoding="utf-8") as file:
        return json.load(file)


HYPERFINE = ("hyperfine*.json",)
PYTEST = ("pytest_benchmark*.json",)


@functools.cache
def shelf():
    """All that measures, also from the wild."""
    made = Shelf()
    made.add(timing(*HYPERFINE, *PYTEST) + paths("wild/pytest-benchmark"))
    return made


class Measured(CorpusTest):
    fill = staticmethod(shelf)

    def rows(self, path):
        rows = self.shelf.sql(path, "SELECT * FROM measurements ORDER BY id")
        return [dict(row, more=json.loads(row["more"])) for row in rows]

    def close(self, have, want, places=1e-12):
        if want is None:
            self.assertIsNone(have)
        else:
            self.assertAlmostEqual(have, want, delta=abs(want) * places)


@needs_corpus
class All(Measured):
    def test_all_are_imported_and_accounted_for(self):
        self.assertEqual(self.shelf.refused, {})
        for run in self.shelf.runs.values():
            self.assertEqual(run["rejected"], 0)


@needs_corpus
class Hyperfine(Measured):
    def test_each_command_equals_the_oracle(self):
        for path in timing(*HYPERFINE):
            rows, want = self.rows(path), oracle(path)["results"]
            walls = [row for row in rows if row["group"] == "wall clock"]
            peaks = [row for row in rows if row["group"] == "peak memory"]
            self.assertEqual(len(walls), len(want))
            for i, result in enumerate(want):
                with self.subTest(os.path.basename(path), command=result["command"]):
                    wall = walls[i]
                    if result["command"] != 'sh -c "exit 3"':  # which has a name
                        self.assertEqual(wall["name"], result["command"])
                    self.assertEqual((wall["n"], wall["unit"]), (result["n"], "s"))
                    self.assertEqual(wall["more"]["exit codes"], " ".join(map(str, result["exit_codes"])))
                    for key in ("mean", "median", "min", "max", "stddev"):
                        self.close(wall[key], result[key + "_s"])
                    for key in ("mean", "stddev"):  # the tool's own, bit for bit
                        if result[f"tool_{key}_s"] is not None:
                            self.assertEqual(wall[key], result[f"tool_{key}_s"])
                    for name, value in (result["parameters"] or {}).items():
                        self.assertEqual(wall["more"]["parameter " + name], value)
                    if result["max_memory_bytes"] is not None:
                        self.assertEqual(peaks[i]["max"], result["max_memory_bytes"])


@needs_corpus
class PytestBenchmark(Measured):
    def test_each_benchmark_equals_the_oracle(self):
        for path in timing(*PYTEST):
            said = oracle(path)
            rows = self.rows(path)
            self.assertEqual(self.shelf.sql(path, "SELECT tool_version FROM run"), [{"tool_version": said["version"]}])
            self.assertEqual(len(rows), len(said["benchmarks"]))
            for row, want in zip(rows, said["benchmarks"]):
                with self.subTest(os.path.basename(path), benchmark=want["fullname"]):
                    self.assertEqual((row["name"], row["group"] or None, row["n"]),
                                     (want["fullname"], want["group"], want["rounds"]))
                    self.assertEqual(row["more"]["iterations"], want["iterations"])
                    self.assertEqual(row["more"]["ops"], want["ops"])
                    self.assertEqual(row["more"].get("param"), want["param"])
                    for key in ("mean", "median", "min", "max", "stddev"):
                        self.assertEqual(row[key], want[key + "_s"])

    def test_files_without_raw_times(self):
        rows = self.rows(os.path.join(CORPUS, "wild", "pytest-benchmark", "storage-2015-v2.json"))
        self.assertEqual([(row["name"], row["n"], row["mean"], row["q1"]) for row in rows],
                         [("tests/test_func/test_perf.py::test_engine", 10, 20.03409411907196, 19.70645785331726)])


if __name__ == "__main__":
    unittest.main()
