# SPDX-License-Identifier: MIT
"""Every printed key_averages() table of the corpus: its rows equal torch's own figures, to the digit that was printed."""
import functools
import os
import unittest

from corpus import CORPUS, CorpusTest, Shelf, needs, oracle, paths, present, text

TABLES = "SELECT report, ordered_by, \"by\", seconds, functions FROM reports ORDER BY report"
ROWS = "SELECT * FROM printed_operators ORDER BY id"
WILD = os.path.join("wild", "other", "key_averages-cuda-memory.txt")
GROUPS = {None: "key_averages", "shape": "key_averages_by_input_shape"}


@functools.cache
def printed():
    """Those that hold a table: of a profile of nothing torch prints an empty line."""
    found = [path for path in paths("made/torch-trace") if path.endswith(".table.txt")]
    return [path for path in found if "nothing_profiled" not in path], [path for path in found if "nothing_profiled" in path]


@functools.cache
def table_shelf():
    shelf = Shelf()
    shelf.add(printed()[0] + printed()[1] + present(WILD))
    return shelf


def known_of(path):
    return oracle(path.removesuffix(".table.txt") + ".json")


def half_digit(value, base):
    """Half of the last digit that torch prints of a time in us (base 1000), of bytes (base 1024)."""
    size, unit = abs(value), 1
    while size >= base * unit and unit < base ** (2 if base == 1000 else 3):
        unit *= base
    # The next unit may have been reached by rounding alone.
    return max(unit * (0.0005 if base == 1000 else 0.005), 0.5 if base == 1024 else 0) * 1.01 + 1e-6


def near(have, want, base):
    return have is not None and abs(have - want) <= half_digit(want, base)


def same_name(row, name):
    if row["name_cut"]:
        return name.startswith(row["name"][:-3])
    return row["name"] == name.strip(" ")


def fits(row, known, memory, shapes):
    if not same_name(row, text(known["key"])) or row["calls"] != known["count"]:
        return False
    if not near(row["self_cpu_us"], known["self_cpu_time_total_us"], 1000) or \
            not near(row["cpu_total_us"], known["cpu_time_total_us"], 1000):
        return False
    if memory and not (near(row["self_cpu_bytes"], known["self_cpu_memory_usage"], 1024) and
                       near(row["cpu_bytes"], known["cpu_memory_usage"], 1024)):
        return False
    return not shapes or str(known["input_shapes"] or []).startswith(row["input_shapes"] or "")


class Tables(CorpusTest):
    fill = staticmethod(table_shelf)

    def test_each_row_is_one_of_torch(self):
        rows_seen = 0
        for path in printed()[0]:
            with self.subTest(os.path.basename(path)):
                self.assertEqual(self.shelf.of(path)["kind"], "key-averages")
                doc = known_of(path)
                tables = {table["report"]: table for table in self.shelf.sql(path, TABLES)}
                for row in self.shelf.sql(path, ROWS):
                    by = tables[row["report"]]["by"]
                    if GROUPS[by] not in doc:
                        continue
                    memory = row["self_cpu_bytes"] is not None
                    self.assertTrue(any(fits(row, known, memory, by) for known in doc[GROUPS[by]]), row)
                    rows_seen += 1
        self.assertGreater(rows_seen, 1000)

    def test_each_row_is_there(self):
        """As many rows as torch has, up to the row_limit of the tables; and the column that they are sorted by is found."""
        for path in printed()[0]:
            with self.subTest(os.path.basename(path)):
                doc = known_of(path)
                for table in self.shelf.sql(path, TABLES):
                    group = doc.get(GROUPS[table["by"]])
                    if group is None:
                        continue
                    self.assertEqual(table["functions"], min(len(group), 25 if table["by"] else 40))
                    if table["functions"] > 1:
                        self.assertIn(table["ordered_by"], ("Self CPU", "CPU total", "Self CPU Mem"))

    def test_totals(self):
        for path in printed()[0]:
            with self.subTest(os.path.basename(path)):
                total = known_of(path)["self_cpu_time_total_us"]
                for table in self.shelf.sql(path, TABLES):
                    self.assertTrue(near(table["seconds"] * 1e6, total, 1000), (table, total))

    def test_the_view_of_operators(self):
        """`operators` is one table, not all of them added up."""
        for path in printed()[0]:
            with self.subTest(os.path.basename(path)):
                plain = [table["functions"] for table in self.shelf.sql(path, TABLES) if not table["by"]]
                [row] = self.shelf.sql(path, "SELECT count(*) AS n FROM operators")
                self.assertEqual(row["n"], max(plain))

    def test_what_holds_no_table_is_refused(self):
        for path in printed()[1]:
            self.assertIn(path, self.shelf.refused)

    @needs(WILD)
    def test_cuda(self):
        path = os.path.join(CORPUS, WILD)
        [table] = self.shelf.sql(path, "SELECT * FROM reports")
        self.assertEqual([table["functions"], table["seconds"], table["device_seconds"], table["ordered_by"]],
                         [100, 1.171, 0.562882, "CUDA total"])
        row = self.shelf.sql(path, "SELECT * FROM operators")[1]
        self.assertEqual([row["name"], row["calls"], row["self_device_us"], row["device_total_us"], row["self_cpu_us"]],
                         ["aten::addmm", 111, 497049, 516206, 9856])
        self.assertEqual(row["self_device_bytes"], round(10.02 * 2**30))

    def test_ledger(self):
        for path in printed()[0] + present(WILD):
            with self.subTest(os.path.basename(path)):
                ledger = self.shelf.show(path)["ledger"]
                self.assertEqual(ledger["read"], sum(ledger[key] for key in ("stored", "repaired", "rejected", "other")))
                self.assertEqual([ledger["repaired"], ledger["rejected"]], [0, 0])


if __name__ == "__main__":
    unittest.main()
