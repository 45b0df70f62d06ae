# SPDX-License-Identifier: MIT
"""Files of pyperf: each value and statistic bit for bit, and what `pyperf check` doubts."""
import functools
import gzip
import json
import os
import re
import statistics
import struct
import unittest

from corpus import CORPUS, CorpusTest, Shelf, has, needs

FOLDERS = ("made3/bench/pyperf", "wild2/pyperf")


def files():
    return [os.path.join(CORPUS, folder, name) for folder in filter(has, FOLDERS)
            for name in sorted(os.listdir(os.path.join(CORPUS, folder))) if ".oracle." not in name]


@functools.cache
def shelf():
    made = Shelf()
    made.add(files())
    return made


def suite(path):
    """The benchmarks of a file of version 1.0: name, values by process, warm-ups by process."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        document = json.load(file)
    for benchmark in document["benchmarks"]:
        shared = {**document.get("metadata", {}), **benchmark.get("metadata", {})}
        measured = [run for run in benchmark["runs"] if run.get("values")]
        yield {**shared, **benchmark["runs"][0].get("metadata", {})}["name"], measured


def doubles(digits):
    return [value for value, in struct.iter_unpack("<d", bytes.fromhex(digits))]


def quantile(values, p):
    """Between neighbours, as pyperf interpolates."""
    values, at = sorted(values), (len(values) - 1) * p
    low = int(at)
    return values[low] if low == at else values[low] * (low + 1 - at) + values[low + 1] * (at - low)


@needs(FOLDERS[0])
class Pyperf(CorpusTest):
    fill = staticmethod(shelf)

    def rows(self, path):
        rows = self.shelf.sql(path, "SELECT *, hex(samples) AS s, hex(warmups) AS w, hex(processes) AS p "
                                    "FROM measurement WHERE NOT is_part ORDER BY id")
        return [dict(row, more=json.loads(row["more"]), **{key: doubles(row[key]) for key in "swp"}) for row in rows]

    def test_each_number_is_the_file_s_bit_for_bit(self):
        self.assertEqual(self.shelf.refused, {})
        rows = 0
        for path in files():
            for have, (name, runs) in zip(self.rows(path), suite(path), strict=True):
                values = [value for run in runs for value in run["values"]]
                with self.subTest(os.path.basename(path), benchmark=name):
                    self.assertEqual(have["name"], name)
                    self.assertEqual(have["value"], statistics.mean(values))
                    self.assertEqual((have["mean"], have["median"], have["n"]),
                                     (statistics.mean(values), statistics.median(values), len(values)))
                    self.assertEqual(have["stddev"], statistics.stdev(values))
                    self.assertEqual((have["min"], have["max"]), (min(values), max(values)))
                    self.assertEqual((have["q1"], have["q3"]), (quantile(values, 0.25), quantile(values, 0.75)))
                    self.assertEqual(have["s"], values)
                    self.assertEqual(have["p"], [len(run["values"]) for run in runs])
                    self.assertEqual(have["w"], [value for run in runs for _, value in run.get("warmups", ())])
                    rows += 1
        self.assertGreater(rows, 20)

    @needs(FOLDERS[1])
    def test_statistics_are_those_that_pyperf_computed(self):
        for path in files():
            if not os.path.exists(path + ".oracle.json.gz"):
                continue
            with gzip.open(path + ".oracle.json.gz", "rb") as file:
                want = json.load(file)
            for have, benchmark in zip(self.rows(path), want["benchmarks"], strict=True):
                with self.subTest(os.path.basename(path), benchmark=benchmark["name"]):
                    self.assertEqual((have["mean"], have["stddev"], have["median"], have["min"], have["max"], have["n"]),
                                     tuple(benchmark[key] for key in ("mean", "stdev", "median", "min", "max", "values")))
                    self.assertEqual(have["loops"], benchmark["loops"] * (benchmark["inner_loops"] or 1))
                    self.assertEqual(have["more"].get("calibration runs", 0), benchmark["runs_without_values"])

    def test_doubts_are_those_of_pyperf_check(self):
        oracle = os.path.join(CORPUS, FOLDERS[0] + "-real.oracle.txt")
        with open(oracle, encoding="utf-8") as file:
            sections = re.split(r"\n(\S.*)\n-+\n", file.read())
        doubted = {name: re.findall(r"^\* (.*)$", text, re.MULTILINE) for name, text in zip(sections[1::2], sections[2::2])}
        rows = self.rows(os.path.join(CORPUS, FOLDERS[0], "real_loops.json"))
        self.assertEqual(len(rows), 4)
        for row in rows:
            have = row["more"]["unstable"].split("; ")
            want = doubted[row["name"]]
            self.assertEqual([re.findall(r"(\d+) %", reason) for reason in have], [re.findall(r"(\d+)%", reason) for reason in want])
            self.assertTrue(all(reason.split()[1] == doubt.split()[1] for reason, doubt in zip(have, want)), (have, want))


if __name__ == "__main__":
    unittest.main()
