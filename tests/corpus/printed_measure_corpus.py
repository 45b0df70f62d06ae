# SPDX-License-Identifier: MIT
"""Printed results of hyperfine and pytest-benchmark: each figure is the JSON's of the same run, to the digit that was printed."""
import functools
import glob
import json
import os
import unittest

from corpus import CORPUS, CorpusTest, Shelf

TIMING = os.path.join(CORPUS, "made", "timing")
FIGURES = ("mean", "median", "stddev", "min", "max")


def found(*patterns):
    return sorted(path for pattern in patterns for path in glob.glob(os.path.join(TIMING, pattern)))


HYPERFINE = found("hyperfine*.txt", "hyperfine*.csv", "hyperfine*.md")
PYTEST = found("pytest_benchmark*.txt")


@functools.cache
def shelf():
    made = Shelf()
    json_of = {os.path.splitext(path)[0] + ".json" for path in HYPERFINE + PYTEST}
    made.add(HYPERFINE + PYTEST + sorted(json_of))
    return made


class Printed(CorpusTest):
    fill = staticmethod(shelf)

    def rows(self, path):
        rows = self.shelf.sql(path, "SELECT * FROM measurements ORDER BY id")
        return [dict(row, more=json.loads(row["more"])) for row in rows]

    def of_json(self, path):
        return self.rows(os.path.splitext(path)[0] + ".json")

    def same(self, have, want, key, resolution):
        """The value was rounded to `resolution`; 0: nothing was lost."""
        if have[key] is None:
            return 0
        self.assertAlmostEqual(have[key], want[key], delta=resolution * 0.5000001 + abs(want[key]) * 1e-15, msg=key)
        return 1


class Hyperfine(Printed):
    def test_all_are_read_whole(self):
        self.assertEqual(self.shelf.refused, {})
        self.assertGreater(len(HYPERFINE), 15)
        for path in HYPERFINE:
            run = self.shelf.of(path)
            self.assertEqual((run["kind"], run["rejected"]), ("hyperfine", 0), path)

    def test_each_figure_is_the_json_s(self):
        figures = 0
        for path in HYPERFINE:
            want = {(row["name"], row["group"]): row for row in self.of_json(path)}
            rows = self.rows(path)
            self.assertEqual(sum(row["group"] == "wall clock" for row in rows),
                             sum(group == "wall clock" for _, group in want))
            for row in rows:
                with self.subTest(os.path.basename(path), command=row["name"], group=row["group"]):
                    other = want[row["name"], row["group"]]
                    exact = path.endswith(".csv")
                    self.assertEqual(row["rounded"], 0 if exact else 1)
                    if row["n"] is not None and row["group"] == "wall clock":
                        self.assertEqual(row["n"], other["n"])
                    # Digits of one line may be coarser than the JSON's: to 0.1 of ms, s or MiB.
                    step = 0 if exact else 0.1 * (1 << 20) if row["unit"] == "B" else 1e-4
                    figures += sum(self.same(row, other, key, step) for key in FIGURES)
        self.assertGreater(figures, 120)


class PytestBenchmark(Printed):
    def test_each_figure_is_the_json_s(self):
        self.assertEqual(len(PYTEST), 2)
        for path in PYTEST:
            self.assertEqual((self.shelf.of(path)["kind"], self.shelf.of(path)["rejected"]), ("pytest-benchmark", 0))
            want = {row["name"].split("::")[-1]: row for row in self.of_json(path)}
            rows = self.rows(path)
            self.assertEqual(len(rows), len(want))
            for row in rows:
                with self.subTest(os.path.basename(path), benchmark=row["name"]):
                    other = want[row["name"]]
                    self.assertEqual((row["group"], row["n"], row["rounded"]), (other["group"] or "", other["n"], 1))
                    step = {"test_sleep": 1e-7}.get(row["name"], 1e-9 if "pb322" in path else 1e-13)
                    self.assertEqual(sum(self.same(row, other, key, step) for key in FIGURES), 5)
                    for key in ("iterations", "stddev_outliers", "iqr_outliers"):
                        self.assertEqual(row["more"][key], other["more"][key], key)
                    self.assertAlmostEqual(row["more"]["ops"] / other["more"]["ops"], 1, delta=1e-5)


if __name__ == "__main__":
    unittest.main()
