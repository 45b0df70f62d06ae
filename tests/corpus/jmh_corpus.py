# SPDX-License-Identifier: MIT
"""Results of JMH: scores, samples and forks equal the file's, times in seconds."""
import json
import os
import unittest

from corpus import ROOT, CorpusTest, Shelf

FILE = os.path.join(ROOT, "tests", "golden", "jmh", "ok_jmh_137.json")
IN_SECOND = {"ns/op": 1e9, "us/op": 1e6, "ms/op": 1e3, "s/op": 1}
MODES = {"thrpt": "throughput", "avgt": "time", "sample": "sampled time", "ss": "time of a single call"}
TOTALS = ("gc.count", "gc.time")


def expected():
    """By name and metric: score in the unit of the row, samples of each fork, and the unit as printed."""
    rows = {}
    with open(FILE, encoding="utf-8") as file:
        for item in json.load(file):
            params = ", ".join(f"{key}={value}" for key, value in item["params"].items())
            metrics = {MODES[item["mode"]]: item["primaryMetric"]}
            metrics |= {f"{key} ({MODES[item['mode']]})": value for key, value in item["secondaryMetrics"].items()}
            for metric, value in metrics.items():
                forks = value.get("rawData") or [[sum(v * n for v, n in calls) / sum(n for _, n in calls) for calls in fork]
                                                 for fork in value["rawDataHistogram"]]
                rows[f"{item['benchmark']} ({params})", metric] = value["score"], forks, value["scoreUnit"]
    return rows


class Jmh(CorpusTest):
    @staticmethod
    def fill():
        made = Shelf()
        made.add([FILE])
        return made

    def test_every_score_and_sample_equals_the_file(self):
        run, want = self.shelf.of(FILE)["id"], expected()
        rows = self.shelf.sql(FILE, "SELECT * FROM measurements")
        self.assertEqual({(row["name"], row["metric"]) for row in rows}, set(want))
        for row in rows:
            score, forks, unit = want[row["name"], row["metric"]]
            divisor = IN_SECOND.get(unit, 1)
            with self.subTest(row["name"], metric=row["metric"]):
                self.assertEqual(row["value"], score / divisor)
                self.assertEqual(row["unit"], "s" if unit in IN_SECOND else "B" if unit == "B/op" else unit)
                stored = self.shelf.ask("GET", f"/runs/{run}/measurements/{row['id']}")
                self.assertEqual(stored["samples"], [value / divisor for fork in forks for value in fork])
                self.assertEqual(stored["processes"], [len(fork) for fork in forks])
                self.assertEqual(row["better"], "higher" if unit.startswith("ops/") else
                                 "lower" if unit.endswith("/op") else None)
                if row["metric"].startswith(TOTALS):
                    self.assertEqual(row["statistic"] == "total", sum(map(sum, forks)) > 0)
                    self.assertAlmostEqual(row["mean"] * len(stored["samples"]), score)


if __name__ == "__main__":
    unittest.main()
