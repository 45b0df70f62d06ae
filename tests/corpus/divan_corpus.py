# SPDX-License-Identifier: MIT
"""Tables of divan: each printed time equals the stored one, in seconds."""
import os
import re
import unittest

from corpus import ROOT, CorpusTest, Shelf, present

SHIFT = {"ns": "e-9", "µs": "e-6", "ms": "e-3", "s": "e0"}


def files():
    return [os.path.join(ROOT, "tests", "golden", "divan", "ok_divan.txt"), *present("made3/bench/divan/divan.txt")]


def expected(path):
    """By the last part of the name: fastest, slowest, median, mean in seconds, samples."""
    rows = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            found = re.search(r"[├╰]─ (\S+) +([\d.]+ \S+) +│ ([\d.]+ \S+) +│ ([\d.]+ \S+) +│ ([\d.]+ \S+) +│ (\d+) +│ (\d+)", line)
            if found:
                times = [float(value + SHIFT[unit]) for value, unit in (cell.split() for cell in found.groups()[1:5])]
                rows.append((found[1], *times, int(found[6]), int(found[7]) // int(found[6])))
    return rows


class Divan(CorpusTest):
    @staticmethod
    def fill():
        made = Shelf()
        made.add(files())
        return made

    def test_every_time_equals_the_table(self):
        self.assertEqual(self.shelf.refused, {})
        for path in files():
            rows = self.shelf.sql(path, "SELECT * FROM measurements WHERE metric = 'time' AND state = 'measured' ORDER BY id")
            have = [(row["name"].split("::")[-1], *(row[key] for key in ("min", "max", "median", "mean", "n", "loops"))) for row in rows]
            self.assertEqual(have, expected(path))
            self.assertGreater(len(have), 2)


if __name__ == "__main__":
    unittest.main()
