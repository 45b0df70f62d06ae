# SPDX-License-Identifier: MIT
"""Chrome Trace Event JSON of the corpus: each edge case becomes what its expectation says, and every ledger adds up."""
import functools
import gzip
import json
import os
import unittest
from decimal import Decimal

from corpus import CORPUS, CorpusTest, Shelf, paths

EDGES = "made/chrome-edge"
INSTANT, ASYNC = 1, 8


def expectation(path):
    name = os.path.basename(path)
    for ending in (".json.gz", ".json"):
        if name.endswith(ending):
            name = name[: -len(ending)]
            break
    with open(os.path.join(CORPUS, EDGES, name + ".expect.json"), encoding="utf-8") as file:
        return json.load(file)


@functools.cache
def edge_shelf():
    shelf = Shelf()
    shelf.add(paths(EDGES))
    return shelf


@functools.cache
def wild_shelf():
    shelf = Shelf()
    shelf.add(paths("wild/chrome-trace", "wild/torch-trace"))
    return shelf


def accounts(test, shelf, path):
    shown = shelf.show(path)
    ledger = shown["ledger"]
    test.assertEqual(ledger["read"], sum(ledger[key] for key in ("stored", "repaired", "rejected", "other")))
    return shown


class Edges(CorpusTest):
    fill = staticmethod(edge_shelf)

    def each(self, key):
        """The files on the shelf whose expectation has the key, with what it says."""
        return [(path, expectation(path)[key]) for path in paths(EDGES) if key in expectation(path) and self.shelf.of(path)]

    def slices(self, path, where="1"):
        return self.shelf.sql(path, "SELECT process, thread, name, start_ns, duration_ns, self_ns, depth, flags "
                                    f"FROM slices WHERE {where} ORDER BY id")

    def threads(self, path):
        return self.slices(path, f"NOT flags & {INSTANT | ASYNC}")

    def test_verdicts(self):
        for path in paths(EDGES):
            with self.subTest(os.path.basename(path)):
                if expectation(path)["must"] == "accept":
                    self.assertNotIn(path, self.shelf.refused)

    def test_ledgers(self):
        for path in paths(EDGES):
            if self.shelf.of(path):
                with self.subTest(os.path.basename(path)):
                    accounts(self, self.shelf, path)

    def test_slices(self):
        for path, expected in self.each("slices"):
            origin = self.shelf.show(path)["summary"]["origin_us"] * 1000
            found = [[row["process"], row["thread"], row["name"], origin + row["start_ns"], row["duration_ns"], row["depth"]]
                     for row in self.threads(path)]
            wanted = [[str(pid), str(tid), name, int(Decimal(str(ts)) * 1000),
                       None if dur is None else int(Decimal(str(dur)) * 1000), depth]
                      for pid, tid, name, ts, dur, depth in expected]
            for row, want in zip(found, wanted):
                want[4] = row[4] if want[4] is None else want[4]  # the note says how long
            with self.subTest(os.path.basename(path)):
                self.assertEqual(sorted(found), sorted(wanted))

    def test_counts(self):
        for path, expected in self.each("slices_count"):
            self.assertEqual(len(self.threads(path)), expected, path)
        for path, expected in self.each("max_depth"):
            self.assertEqual(max(row["depth"] for row in self.threads(path)), expected, path)
        for path, expected in self.each("asyncs"):
            self.assertEqual(len(self.slices(path, f"flags & {ASYNC} AND NOT flags & {INSTANT}")), expected)
        for path, expected in self.each("flows"):
            self.assertEqual(len(self.shelf.sql(path, "SELECT * FROM flows")), expected, path)
        for path, expected in self.each("instants"):
            memory = self.shelf.sql(path, "SELECT count(*) AS n FROM memory_events")[0]["n"]
            self.assertEqual(len(self.slices(path, f"flags & {INSTANT}")) + memory, expected, path)

    def test_names(self):
        for path, expected in self.each("names"):
            self.assertLessEqual({name.replace("\0", "\ufffd") for name in expected},
                                 {row["name"].replace("\0", "\ufffd") for row in self.slices(path)})

    def test_counters(self):
        path = os.path.join(CORPUS, EDGES, "counters.json")
        found = {(row["name"], row["t_ns"], row["value"]) for row in self.shelf.sql(path, "SELECT * FROM counters")}
        self.assertEqual(found, {("mem alloc", 0, 10), ("mem alloc", 5000, -3), ("mem alloc", 7000, 12), ("mem reserved", 0, 20),
                                 ("mem reserved", 5000, 20.5), ("mem [a] v", 8000, 1), ("mem [b] v", 8000, 2)})

    def test_nothing_is_negative(self):
        for path in paths(EDGES):
            if self.shelf.of(path):
                with self.subTest(os.path.basename(path)):
                    for row in self.slices(path):
                        self.assertTrue(0 <= row["self_ns"] <= row["duration_ns"] and row["start_ns"] >= 0, row)

    def test_arguments_of_begin_and_end(self):
        path = os.path.join(CORPUS, EDGES, "be_end_without_name.json")
        [row] = self.shelf.sql(path, "SELECT args FROM slices")
        self.assertEqual(json.loads(row["args"]), {"x": 9, "y": 2})


class Wild(CorpusTest):
    fill = staticmethod(wild_shelf)

    def test_all_are_imported(self):
        self.assertEqual(self.shelf.refused, {})

    def test_ledgers(self):
        for path in paths("wild/chrome-trace", "wild/torch-trace"):
            with self.subTest(os.path.basename(path)):
                shown = accounts(self, self.shelf, path)
                [row] = self.shelf.sql(path, "SELECT count(*) AS n, min(self_ns) AS self, min(start_ns) AS first FROM slices")
                self.assertEqual(row["n"], shown["summary"]["slices"])
                self.assertTrue(row["n"] == 0 or (row["self"] >= 0 and row["first"] >= 0), row)

    def test_no_event_of_a_whole_file_is_lost(self):
        """In files without a fault each complete event is a slice."""
        for path in paths("wild/torch-trace"):
            with self.subTest(os.path.basename(path)):
                shown = self.shelf.show(path)
                [row] = self.shelf.sql(path, f"SELECT count(*) AS n FROM slices WHERE NOT flags & {INSTANT}")
                self.assertEqual(row["n"], complete_events(path))
                self.assertEqual(shown["ledger"]["rejected"], 0)


def complete_events(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rb") as file:
        document = json.loads(file.read())
    events = document if isinstance(document, list) else document["traceEvents"]
    return sum(event.get("ph") == "X" for event in events)


if __name__ == "__main__":
    unittest.main()
