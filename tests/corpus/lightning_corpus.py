# SPDX-License-Identifier: MIT
"""The reports of PyTorch Lightning in the corpus, against a plain reading of their text."""
import functools
import os
import re
import unittest

from corpus import CORPUS, CorpusTest, Shelf, paths

SIMPLE = "ave3net-simple.txt"
ADVANCED = {"docrobust-advanced-old.txt": 35, "seed-advanced.txt": 92}
ROW = re.compile(r"^ *(\d+)(?:/(\d+))? +(-?\d+\.\d+) +(?:-?\d+\.\d+ +)?(-?\d+\.\d+) +(?:-?\d+\.\d+ +)?\S")


@functools.cache
def lightning_shelf():
    shelf = Shelf()
    shelf.add(paths("wild/lightning"))
    return shelf


def path_of(name):
    return os.path.join(CORPUS, "wild", "lightning", name)


def simple_rows():
    with open(path_of(SIMPLE), encoding="utf-8") as file:
        rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in file if line.startswith("|")]
    return rows[1:]


def advanced_tables(name):
    """[(action, calls, seconds, rows)] as they stand in the text."""
    with open(path_of(name), encoding="utf-8") as file:
        parts = file.read().split("Profile stats for: ")[1:]
    tables = []
    for part in parts:
        action, rest = part.split("\n", 1)
        head = re.search(r"(\d+) function calls (?:\((\d+) primitive calls\) )?in (\S+) seconds", rest)
        rows = [match.groups() for match in map(ROW.match, rest.split("\n")) if match]
        tables.append((action.strip(), int(head[1]), float(head[3]), rows))
    return tables


class Lightning(CorpusTest):
    fill = staticmethod(lightning_shelf)

    def test_kinds(self):
        for path in paths("wild/lightning"):
            self.assertEqual(self.shelf.of(path)["kind"], "lightning")

    def test_simple(self):
        rows = simple_rows()
        self.assertGreater(len(rows), 80)
        stored = self.shelf.sql(path_of(SIMPLE), "SELECT stage, action, calls, mean_s, total_s, percentage FROM actions ORDER BY id")
        self.assertEqual(len(stored), len(rows) - 1)
        self.assertEqual([rows[0][0], rows[0][4]], ["Total", "100 %"])
        for have, want in zip(stored, rows[1:]):
            self.assertEqual([have["stage"], have["action"], have["calls"]], ["FIT", want[0], int(want[2])])
            self.assertEqual([have["mean_s"], have["total_s"], have["percentage"]], [float(want[i]) for i in (1, 3, 4)])
        self.assertEqual(self.shelf.show(path_of(SIMPLE))["headline"]["value"], float(rows[0][3]))

    def test_advanced(self):
        for name, count in ADVANCED.items():
            with self.subTest(name):
                tables = advanced_tables(name)
                self.assertEqual(len(tables), count)
                stored = self.shelf.sql(path_of(name), """SELECT a.action, a.total_s, r.ncalls, r.first_function, r.last_function
                    FROM actions a JOIN reports r ON r.report = a.report ORDER BY a.id""")
                self.assertEqual([(s["action"], s["ncalls"], s["total_s"]) for s in stored], [t[:3] for t in tables])
                functions = self.shelf.sql(path_of(name), "SELECT ncalls, primitive_calls, tottime_s, cumtime_s FROM functions ORDER BY id")
                for have, (_, _, _, rows) in zip(stored, tables):
                    of_table = functions[have["first_function"] - 1:have["last_function"]]
                    self.assertEqual(
                        [[f["ncalls"], f["primitive_calls"], f["tottime_s"], f["cumtime_s"]] for f in of_table],
                        [[int(calls), int(primitive or calls), float(tt), float(ct)] for calls, primitive, tt, ct in rows])

    def test_ledger(self):
        for path in paths("wild/lightning"):
            with self.subTest(os.path.basename(path)):
                ledger = self.shelf.show(path)["ledger"]
                self.assertEqual(ledger["read"], sum(ledger[key] for key in ("stored", "repaired", "rejected", "other")))
                self.assertEqual([ledger["repaired"], ledger["rejected"]], [0, 0])


if __name__ == "__main__":
    unittest.main()
