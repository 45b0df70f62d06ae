# SPDX-License-Identifier: MIT
"""Output of go test -bench: every printed value is a sample, with the digits of the file."""
import glob
import json
import os
import re
import statistics
import unittest

from corpus import CORPUS, ROOT, CorpusTest, Shelf


def files():
    own = [os.path.join(ROOT, "tests", "golden", "go_bench", name) for name in ("ok_go_bench.txt", "ok_go_bench_json.txt")]
    return own + sorted(glob.glob(os.path.join(CORPUS, "made3/bench/go-bench", "*.txt")))


def lines_of(path):
    """The lines of all packages, one package after the other."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if not text.startswith("{"):
        return text.splitlines()
    outputs = {}
    for event in map(json.loads, text.splitlines()):
        outputs[event["Package"]] = outputs.get(event["Package"], "") + event.get("Output", "")
    return "".join(outputs.values()).splitlines()


def expected(path):
    """Samples by name and unit, as they are printed."""
    rows, package, name = {}, "", None
    for line in lines_of(path):
        if line.startswith("pkg: "):
            package = line[5:]
        name = (re.match(r"(Benchmark\S+)\s*\t", line) or [None, name])[1]
        values = re.search(r"(?:^|\t)\s*(\d+)\t((?:\s*[0-9.e+-]+ \S+)+)$", line)
        for value, unit in re.findall(r"([0-9.e+-]+) (\S+)", values[2]) if values else []:
            rows.setdefault((f"{package}.{name}", unit), []).append(value)
    return rows


class GoBench(CorpusTest):
    @staticmethod
    def fill():
        made = Shelf()
        made.add(files())
        return made

    def test_every_value_equals_the_printed_digits(self):
        self.assertEqual(self.shelf.refused, {})
        for path in files():
            run, want = self.shelf.of(path)["id"], expected(path)
            self.assertGreater(len(want), 5)
            rows = self.shelf.sql(path, "SELECT * FROM measurements WHERE state = 'measured'")
            self.assertEqual(len(rows), len(want))
            for row in rows:
                unit = "ns/op" if row["metric"] == "time" else row["metric"]
                with self.subTest(os.path.basename(path), row=row["name"], unit=unit):
                    samples = [float(value + "e-9" if unit == "ns/op" else value) for value in want[row["name"], unit]]
                    self.assertEqual(self.shelf.ask("GET", f"/runs/{run}/measurements/{row['id']}")["samples"], samples)
                    self.assertAlmostEqual(row["value"], statistics.median(samples), delta=abs(row["value"]) * 1e-12)
                    self.assertEqual(row["rounded"], 1)


if __name__ == "__main__":
    unittest.main()
