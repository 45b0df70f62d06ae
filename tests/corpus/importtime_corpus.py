# SPDX-License-Identifier: MIT
"""Every import log of the corpus: rows equal the oracle's, and the ledger accounts for each line."""
import json
import os
import subprocess
import sys
import unittest

from corpus import CORPUS, CorpusTest, good_shelf, number, oracle, paths, text

EMPTY = "empty.log"  # 0 bytes: refused, as every empty file is


def wanted(entries):
    """The oracle's entries in the words of the public view."""
    return [
        {
            "id": entry["i"] + 1,
            "parent_id": None if entry["parent"] is None else entry["parent"] + 1,
            "ord": entry["i"] + 1,
            "depth": entry["depth"],
            "module": text(entry["module"]),
            "self_us": None if entry["self_us"] is None else number(entry["self_us"]),
            "cumulative_us": None if entry["cumulative_us"] is None else number(entry["cumulative_us"]),
            "cached": int(entry.get("cached", False)),
            "line": entry["line"],
        }
        for entry in entries
    ]


def stored(shelf, path):
    columns = "id, parent_id, ord, depth, module, self_us, cumulative_us, cached, line"
    rows = shelf.sql(path, f"SELECT {columns} FROM imports ORDER BY ord")
    for row in rows:
        for key in ("self_us", "cumulative_us"):
            row[key] = None if row[key] is None else number(row[key])
    return rows


class ImportLogs(CorpusTest):
    fill = staticmethod(good_shelf)

    def equal(self, path, entries):
        want, have = wanted(entries), stored(self.shelf, path)
        for a, b in zip(want, have):
            self.assertEqual(a, b)
        self.assertEqual(len(want), len(have))

    def test_made_logs_equal_the_oracle(self):
        for path in paths("made/importtime"):
            if os.path.basename(path) == EMPTY:
                self.assertIn(path, self.shelf.refused)
                continue
            with self.subTest(os.path.basename(path)):
                self.equal(path, oracle(path)["entries"])

    def test_wild_logs_equal_the_oracle(self):
        tool = os.path.join(CORPUS, "tools", "oracle_importtime.py")
        for path in paths("wild/importtime"):
            with self.subTest(os.path.basename(path)):
                done = subprocess.run([sys.executable, tool, path], capture_output=True, check=True)
                self.equal(path, json.loads(done.stdout.decode("utf-8", "surrogatepass"))["entries"])

    def test_kind_and_package(self):
        for path in paths("made/importtime", "wild/importtime"):
            if os.path.basename(path) == EMPTY:
                continue
            with self.subTest(os.path.basename(path)):
                self.assertEqual(self.shelf.of(path)["kind"], "importtime")
                odd = self.shelf.sql(
                    path, "SELECT count(*) AS n FROM imports WHERE origin NOT IN "
                    "('own','third-party','stdlib','builtin','unknown') OR package IS NULL")
                self.assertEqual(odd, [{"n": 0}])

    def test_ledger_accounts_for_each_line(self):
        for path in paths("made/importtime", "wild/importtime"):
            if os.path.basename(path) == EMPTY:
                continue
            with self.subTest(os.path.basename(path)):
                ledger = self.shelf.show(path)["ledger"]
                parts = [ledger[key] for key in ("stored", "repaired", "rejected", "other")]
                self.assertEqual(ledger["read"], sum(parts))
                rows = self.shelf.sql(path, "SELECT count(*) AS n FROM imports")[0]["n"]
                self.assertEqual(rows, ledger["stored"] + ledger["repaired"])
                if known := oracle(path):
                    self.assertEqual(ledger["read"], known["totals"]["lines"])

    def test_totals(self):
        for path in paths("made/importtime"):
            if os.path.basename(path) in (EMPTY, "extremes.synthetic.log"):  # sums beyond 64 bits
                continue
            with self.subTest(os.path.basename(path)):
                totals, summary = oracle(path)["totals"], self.shelf.show(path)["summary"]
                self.assertEqual(summary["self_us"], totals["sum_self_us"])
                self.assertEqual(summary["total_us"], totals["sum_root_cumulative_us"])
                self.assertEqual(summary["roots"], totals["roots"])
                self.assertEqual(summary["cached"], totals["cached_entries"])
                self.assertEqual(summary["negative_self"], totals["negative_self"])


if __name__ == "__main__":
    unittest.main()
