# SPDX-License-Identifier: MIT
"""Every printed pstats report of the corpus: its rows equal the dump that it was printed from, as far as it was printed."""
import functools
import os
import unittest

from corpus import CORPUS, CorpusTest, Shelf, needs, oracle, paths, present, text

REPORTS = "SELECT report, ordered_by, ncalls, primitive_calls, seconds, functions, listed_of FROM reports"
FUNCTIONS = """SELECT r.report, f.file, f.line, f.name, f.ncalls, f.primitive_calls, f.tottime_s, f.cumtime_s
    FROM functions f JOIN reports r ON f.id BETWEEN r.first_function AND r.last_function ORDER BY f.id"""
OTHER = "wild/other"
WILD = [("cprofile-text-named-pstats.pstats", 1841, 805923, 745558, 7.016), ("cprofile-text-neuralnet.txt", 31, 843425, 843425, 5.938)]
HEADER = "   ncalls  tottime  percall  cumtime  percall filename:lineno(function)"


def made():
    return [path for path in paths("made/pstats") if path.endswith(".print_stats.txt")]


def wild():
    return present(*(f"{OTHER}/{name}" for name, *_ in WILD))


@functools.cache
def text_shelf():
    shelf = Shelf()
    shelf.add(made() + wild())
    return shelf


def dump_of(path):
    """{(file, line, name): [nc, cc, tt, ct]} of the dump that the report was printed from."""
    doc = oracle(path.removesuffix(".print_stats.txt") + ".prof")
    return {(text(f["file"]), f["line"], text(f["name"])): [f[k] for k in ("nc", "cc", "tt", "ct")] for f in doc["functions"]}, doc


def printed_rows(path):
    """For each table the words before the name of each row, as they stand in the file."""
    tables, table = [], None
    with open(path, encoding="utf-8") as file:
        for line in file.read().split("\n"):
            if line == HEADER:
                table = []
                tables.append(table)
            elif not line.strip():
                table = None
            elif table is not None:
                table.append(line.split()[0])
    return tables


class Printed(CorpusTest):
    fill = staticmethod(text_shelf)

    def test_rows_equal_the_dump(self):
        self.assertEqual(len(made()), 6)
        for path in made():
            with self.subTest(os.path.basename(path)):
                self.assertEqual(self.shelf.of(path)["kind"], "pstats-text")
                functions, _ = dump_of(path)
                rows = self.shelf.sql(path, FUNCTIONS)
                self.assertGreater(len(rows), 10)
                for row in rows:
                    if row["name"].startswith("<code object "):  # which the dump holds as an object, not as this text
                        continue
                    known = functions[row["file"], row["line"], row["name"]]
                    self.assertEqual([row["ncalls"], row["primitive_calls"]], known[:2])
                    self.assertEqual(["%.3f" % row["tottime_s"], "%.3f" % row["cumtime_s"]], ["%.3f" % t for t in known[2:]])

    def test_reports_equal_the_dump(self):
        for path in made():
            with self.subTest(os.path.basename(path)):
                _, doc = dump_of(path)
                for report in self.shelf.sql(path, REPORTS):
                    self.assertEqual([report["ncalls"], report["primitive_calls"]], [doc["total_calls"], doc["prim_calls"]])
                    self.assertEqual("%.3f" % report["seconds"], "%.3f" % doc["total_tt"])
                    self.assertEqual(report["listed_of"] or report["functions"], doc["n_functions"])

    def test_each_row_of_the_text_is_there(self):
        for path in made() + wild():
            with self.subTest(os.path.basename(path)):
                tables = [[] for _ in self.shelf.sql(path, REPORTS)]
                for row in self.shelf.sql(path, FUNCTIONS):
                    calls, primitive = row["ncalls"], row["primitive_calls"]
                    tables[row["report"] - 1].append(str(calls) if calls == primitive else f"{calls}/{primitive}")
                self.assertEqual(tables, printed_rows(path))

    @needs(OTHER)
    def test_wild_totals(self):
        for name, functions, calls, primitive, seconds in WILD:
            with self.subTest(name):
                summary = self.shelf.show(os.path.join(CORPUS, OTHER, name))["summary"]
                self.assertEqual([summary[k] for k in ("functions", "total_calls", "primitive_calls", "total_tt_s")],
                                 [functions, calls, primitive, seconds])

    def test_ledger_accounts_for_each_line(self):
        for path in made() + wild():
            with self.subTest(os.path.basename(path)):
                ledger = self.shelf.show(path)["ledger"]
                with open(path, "rb") as file:
                    lines = file.read().count(b"\n")
                self.assertEqual(ledger["read"], lines)
                self.assertEqual(ledger["read"], sum(ledger[key] for key in ("stored", "repaired", "rejected", "other")))
                self.assertEqual(ledger["rejected"], 0)


if __name__ == "__main__":
    unittest.main()
