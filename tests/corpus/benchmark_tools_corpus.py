# SPDX-License-Identifier: MIT
"""Results of pytest-codspeed, vitest, tinybench, mitata and Locust: each number is the file's, divided into seconds, bit for bit."""
import csv
import functools
import glob
import json
import os
import struct
import unittest

from corpus import CORPUS, ROOT, CorpusTest, Shelf, has

GOLDEN = os.path.join(ROOT, "tests", "golden")


def found(kind, *more):
    return sorted(glob.glob(os.path.join(GOLDEN, kind, "ok_*.json"))) + [os.path.join(CORPUS, name) for name in more if has(name)]


CODSPEED = found("codspeed", "made3/bench/codspeed/results.json")
VITEST = found("vitest", "made3/bench/vitest/vitest.json")
TINYBENCH, MITATA = found("tinybench"), found("mitata")
LOCUST = [os.path.join(GOLDEN, "locust", name) for name in ("ok_stats.csv", "ok_json.json")]
LOCUST += [os.path.join(CORPUS, name) for name in ("made3/bench/locust/out_stats.csv",) if has(name)]
FIGURES = ("mean", "median", "stddev", "min", "max", "q1", "q3")


@functools.cache
def shelf():
    made = Shelf()
    made.add(CODSPEED + VITEST + TINYBENCH + MITATA + LOCUST)
    return made


class Tools(CorpusTest):
    fill = staticmethod(shelf)

    def rows(self, path):
        return self.shelf.sql(path, "SELECT *, hex(samples) AS s FROM measurement ORDER BY id")

    def same(self, row, stats, keys, divisor):
        """The statistics of an object; those that it lacks are computed from samples, or absent."""
        for figure, key in zip(FIGURES, keys, strict=True):
            if key in stats:
                self.assertEqual(row[figure], stats[key] / divisor, (row["name"], figure))
        self.assertEqual(row["value"], row["mean"])
        samples = [value / divisor for value in stats.get("samples", []) if isinstance(value, (int, float))]
        self.assertEqual([value for value, in struct.iter_unpack("<d", bytes.fromhex(row["s"] or ""))], samples)

    def test_all_are_read(self):
        self.assertEqual(self.shelf.refused, {})
        for path, kind in [(path, kind) for paths, kind in ((CODSPEED, "codspeed"), (VITEST, "vitest"), (TINYBENCH, "tinybench"), (MITATA, "mitata")) for path in paths]:
            self.assertEqual(self.shelf.of(path)["kind"], kind, path)

    def test_codspeed(self):
        keys = ("mean_ns", "median_ns", "stdev_ns", "min_ns", "max_ns", "q1_ns", "q3_ns")
        for path in CODSPEED:
            with open(path, encoding="utf-8") as file:
                benchmarks = [one for one in json.load(file)["benchmarks"] if "stats" in one]
            rows = self.rows(path)
            self.assertEqual(len(rows), len(benchmarks))
            for row, want in zip(rows, benchmarks, strict=True):
                self.assertTrue(row["name"].endswith("::" + want["name"]))
                stats = want["stats"]
                fits = stats["rounds"] * stats["iter_per_round"] * stats["mean_ns"] <= 1.01e9 * stats["total_time"]  # `rounds` is a plan
                self.assertEqual((row["n"], row["loops"]), (stats["rounds"] if fits else None, stats["iter_per_round"]))
                self.same(row, want["stats"], keys, 1e9)

    def test_vitest(self):
        for path in VITEST:
            with open(path, encoding="utf-8") as file:
                want = [(group["fullName"], one) for part in json.load(file)["files"] for group in part["groups"] for one in group["benchmarks"] if one]
            rows = self.rows(path)
            self.assertEqual([(row["grp"], row["name"]) for row in rows], [(group, one["name"]) for group, one in want])
            for row, (_, one) in zip(rows, want, strict=True):
                self.assertEqual(row["state"], 0 if "mean" in one else 1)
                if "mean" in one:
                    self.same(row, one, ("mean", "median", "sd", "min", "max", "p25", "p75"), 1e3)

    def test_tinybench(self):
        for path in TINYBENCH:
            with open(path, encoding="utf-8") as file:
                tasks = [task for task in json.load(file) if isinstance(task, dict)]
            rows = iter(self.rows(path))
            for number, task in enumerate(tasks, 1):
                row = next(rows)
                self.assertEqual((row["name"], row["state"]), (task.get("name", f"task {number}"), {"completed": 0, "errored": 1}.get(task["state"], 2)))
                if "latency" in task:
                    other = next(rows)
                    self.assertEqual((row["better"], other["better"], other["unit"], other["is_part"]), (-1, 1, "ops/s", 1))
                    self.same(row, task["latency"], ("mean", "p50", "sd", "min", "max", "p25", "p75"), 1e3)
                    self.same(other, task["throughput"], ("mean", "p50", "sd", "min", "max", "p25", "p75"), 1)

    def test_mitata(self):
        for path in MITATA:
            with open(path, encoding="utf-8") as file:
                want = [(one, run) for one in json.load(file)["benchmarks"] for run in one["runs"]]
            rows = [row for row in self.rows(path) if not row["is_part"]]
            self.assertEqual(len({row["name"] for row in rows}), len(want))
            for row, (one, run) in zip(rows, want, strict=True):
                self.assertEqual((row["benchmark"], json.loads(row["parameters"] or "{}"), row["state"]), (one["alias"], run["args"], int("error" in run)))
                if "stats" in run:
                    self.same(row, run["stats"], ("avg", "p50", "sd", "min", "max", "p25", "p75"), 1e9)

    def test_locust(self):
        """Averages, minima and maxima are exact in both forms; the sum of all is no row."""
        for path in LOCUST:
            rows = {row["name"]: row for row in self.rows(path) if not row["is_part"]}
            with open(path, encoding="utf-8", newline="") as file:
                if path.endswith(".csv"):
                    want = [(f"{row['Type']} {row['Name']}", int(row["Request Count"]), int(row["Failure Count"]),
                             *(float(row[f"{word} Response Time"]) for word in ("Average", "Min", "Max"))) for row in csv.DictReader(file) if row["Type"]]
                else:
                    want = [(f"{one['method']} {one['name']}", one["num_requests"], one["num_failures"], one["total_response_time"] /
                             (one["num_requests"] - one["num_none_requests"]), one["min_response_time"], one["max_response_time"]) for one in json.load(file)]
            self.assertEqual(set(rows), {one[0] for one in want})
            for name, n, failures, *times in want:
                row = rows[name]
                self.assertEqual((row["state"], json.loads(row["more"])["failures"]), (int(failures == n), failures))
                self.assertEqual([row["value"], row["min"], row["max"]], [None] * 3 if failures == n else [time / 1e3 for time in times])


if __name__ == "__main__":
    unittest.main()
