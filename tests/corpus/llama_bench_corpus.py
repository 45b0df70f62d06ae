# SPDX-License-Identifier: MIT
"""Results of llama-bench: speed, time and repetitions equal the file's, in each of its forms."""
import csv
import json
import os
import unittest

from corpus import ROOT, CorpusTest, Shelf

FILES = [os.path.join(ROOT, "tests", "golden", "llama_bench", f"ok_llama_bench.{form}") for form in ("json", "jsonl", "csv")]


def tests_of(path):
    with open(path, encoding="utf-8", newline="") as file:
        if path.endswith(".csv"):
            return list(csv.DictReader(file))
        if path.endswith(".json"):
            return json.load(file)
        return [json.loads(line) for line in file if line.endswith("}\n")]


class LlamaBench(CorpusTest):
    @staticmethod
    def fill():
        made = Shelf()
        made.add(FILES)
        return made

    def test_speed_and_time_equal_the_file(self):
        for path in FILES:
            run, tests = self.shelf.of(path)["id"], tests_of(path)
            rows = self.shelf.sql(path, "SELECT * FROM measurements ORDER BY id")
            self.assertEqual(len(rows), 2 * len(tests))
            for i, row in enumerate(rows):
                test, is_time = tests[i // 2], i % 2
                with self.subTest(os.path.basename(path), row=row["name"]):
                    divisor, key = (1e9, "ns") if is_time else (1, "ts")
                    self.assertEqual(row["value"], float(test[f"avg_{key}"]) / divisor)
                    self.assertEqual(row["better"], "lower" if is_time else "higher")
                    deviation = float(test[f"stddev_{key}"]) / divisor
                    self.assertEqual(row["stddev"], deviation or None)
                    stored = self.shelf.ask("GET", f"/runs/{run}/measurements/{row['id']}")
                    self.assertEqual(stored["samples"], [value / divisor for value in test.get(f"samples_{key}", [])])
                    self.assertEqual(json.loads(row["parameters"])["n_threads"], int(test["n_threads"]))


if __name__ == "__main__":
    unittest.main()
