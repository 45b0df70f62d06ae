# SPDX-License-Identifier: MIT
"""A folder of Criterion.rs: the estimates of its files in seconds, and the samples of its tables."""
import json
import os
import struct
import unittest

from corpus import CORPUS, CorpusTest, Shelf, has, needs

FOLDER = os.path.join(CORPUS, "made3/bench/criterion")


def shelf():
    made = Shelf()
    if has("made3/bench/criterion"):
        made.run("add", FOLDER)
    return made


def files_of(name):
    found = {}
    for part in ("benchmark", "estimates", "sample"):
        with open(os.path.join(FOLDER, name, "new", part + ".json"), encoding="utf-8") as file:
            found[part] = json.load(file)
    return found


@needs("made3/bench/criterion")
class Criterion(CorpusTest):
    fill = staticmethod(shelf)

    def test_each_row_has_the_values_of_its_files(self):
        done = self.shelf.run("sql", "--json", "@1", "SELECT *, hex(samples) AS bytes FROM measurement WHERE NOT is_part ORDER BY name")
        rows = json.loads(done.stdout)
        self.assertEqual([row["name"] for row in rows], ["plain", "total/100", "total/1000"])
        for row in rows:
            files = files_of(row["name"])
            estimates, sample, more = files["estimates"], files["sample"], json.loads(row["more"])
            with self.subTest(row["name"]):
                printed = "slope" if estimates["slope"] else "mean"
                self.assertEqual((row["statistic"], row["value"]), (printed, estimates[printed]["point_estimate"] / 1e9))
                for key, estimate in (("mean", "mean"), ("median", "median"), ("stddev", "std_dev")):
                    self.assertEqual(row[key], estimates[estimate]["point_estimate"] / 1e9)
                bounds = estimates[printed]["confidence_interval"]
                self.assertEqual((more["ci_95_a"], more["ci_95_b"]), (bounds["lower_bound"] / 1e9, bounds["upper_bound"] / 1e9))
                samples = [value for value, in struct.iter_unpack("<d", bytes.fromhex(row["bytes"]))]
                self.assertEqual(samples, [ns / calls / 1e9 for ns, calls in zip(sample["times"], sample["iters"])])
                # the slope is that of a line through the origin
                slope = sum(n * ns for n, ns in zip(sample["iters"], sample["times"])) / sum(n * n for n in sample["iters"])
                self.assertAlmostEqual(row["value"] * 1e9, slope, delta=slope * 1e-9)


if __name__ == "__main__":
    unittest.main()
