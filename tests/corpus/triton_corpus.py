# SPDX-License-Identifier: MIT
"""Tables of Triton's perf_report: each value equals the printed digits, times in seconds."""
import csv
import json
import os
import unittest

from corpus import ROOT, CorpusTest, Shelf

FILES = {name: os.path.join(ROOT, "tests", "golden", "triton", f"ok_triton_{name}.csv") for name in ("36", "ms", "old")}


class Triton(CorpusTest):
    @staticmethod
    def fill():
        made = Shelf()
        made.add(list(FILES.values()))
        return made

    def values(self, name):
        rows = self.shelf.sql(FILES[name], "SELECT * FROM measurements ORDER BY id")
        return [(row["benchmark"], json.loads(row["parameters"]), row["value"], row["unit"], row["better"]) for row in rows]

    def expected(self, name, arguments, unit, better, shift="e0"):
        want = []
        with open(FILES[name], encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                lines = {title: cell for title, cell in row.items() if title not in arguments and "-m" not in title}
                if all(cell is not None and cell.replace(".", "").isdigit() for cell in lines.values() if cell != ""):
                    want += [(title.split(" (")[0], {key: float(row[key]) for key in arguments}, float(cell + shift), unit, better)
                             for title, cell in lines.items() if cell]
        return want

    def test_every_value_equals_the_table(self):
        self.assertEqual(self.values("36"), self.expected("36", ["M", "N"], "TFLOPS", "higher"))
        self.assertEqual(self.values("ms"), self.expected("ms", ["size"], "s", "lower", "e-3"))
        self.assertEqual(self.values("old"), self.expected("old", ["size"], "", None))
        self.assertEqual([len(self.values(name)) for name in FILES], [5, 2, 4])


if __name__ == "__main__":
    unittest.main()
