# SPDX-License-Identifier: MIT
"""Results of Google Benchmark: every time, statistic and counter equals the file's, in seconds."""
import glob
import json
import os
import unittest

from corpus import CORPUS, ROOT, CorpusTest, Shelf

UNITS = {"ns": 1e9, "us": 1e6, "ms": 1e3, "s": 1.0}
OWN = ("name family_index per_family_instance_index run_name run_type repetitions threads repetition_index aggregate_name "
       "aggregate_unit error_occurred error_message skipped skip_message iterations real_time cpu_time time_unit label").split()


def files():
    found = [os.path.join(ROOT, "tests", "golden", "google_benchmark", name)
             for name in ("ok_google_benchmark_195.json", "ok_google_benchmark_aggregates.json")]
    for folder in ("made3/bench/google-benchmark", "wild2/google-benchmark"):
        found += sorted(glob.glob(os.path.join(CORPUS, folder, "*.json")))
    return [path for path in found if ".oracle" not in path]


def expected(path):
    """By name and metric: samples, mean, median, stddev, and whether the benchmark was skipped."""
    with open(path, encoding="utf-8") as file:
        objects = json.load(file)["benchmarks"]
    rows = {}
    for item in objects:
        if "big_o" in item or "rms" in item:
            continue
        skipped = item.get("error_occurred") or item.get("skipped")
        metrics = {"time": "real_time"} if skipped else {
            "time": "real_time", "CPU time": "cpu_time", **{key: key for key in item if key not in OWN}}
        for metric, key in metrics.items():
            row = rows.setdefault((item["run_name"], metric), {"samples": []})
            is_time = key.endswith("l_time") or key == "cpu_time"
            value = item[key] / UNITS[item["time_unit"]] if is_time else float(item[key])
            if skipped:
                row["skipped"] = True
            elif item["run_type"] == "iteration":
                row["samples"].append(value)
            elif item["aggregate_name"] in ("mean", "median", "stddev"):
                row[item["aggregate_name"]] = value
            elif item["aggregate_name"] == "cv":
                row["cv"] = item[key]
    return rows


class GoogleBenchmark(CorpusTest):
    @staticmethod
    def fill():
        made = Shelf()
        made.add(files())
        return made

    def test_every_value_equals_the_file(self):
        self.assertEqual(self.shelf.refused, {})
        for path in files():
            want = expected(path)
            have = {(row["name"], row["metric"]): row for row in self.shelf.sql(path, "SELECT * FROM measurements")}
            self.assertEqual(set(have), set(want), path)
            self.assertGreater(len(want), 1)
            for key, row in want.items():
                with self.subTest(os.path.basename(path), row=key):
                    self.check_row(have[key], row)
                    stored = self.shelf.ask("GET", f"/runs/{self.shelf.of(path)['id']}/measurements/{have[key]['id']}")["samples"]
                    self.assertEqual(stored, row["samples"])

    def check_row(self, have, want):
        if want.get("skipped"):
            self.assertIn(have["state"], ("failed", "skipped"))
            self.assertIsNone(have["value"])
            return
        for key in ("mean", "median", "stddev"):
            if key in want:
                self.assertEqual(have[key], want[key], key)
        if "cv" in want:
            self.assertEqual(json.loads(have["more"])["cv"], want["cv"])
        mean = want.get("mean", sum(want["samples"]) / max(len(want["samples"]), 1))
        self.assertAlmostEqual(have["value"], mean, delta=abs(mean) * 1e-12)


if __name__ == "__main__":
    unittest.main()
