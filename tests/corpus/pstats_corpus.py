# SPDX-License-Identifier: MIT
"""Every cProfile dump of the corpus: functions and caller edges equal pstats', doubles bit for bit."""
import marshal
import os
import struct
import unittest

from corpus import CorpusTest, good_shelf, number, oracle, paths, text

FUNCTIONS = "SELECT id, file, line, name, ncalls, primitive_calls, tottime_s, cumtime_s FROM functions ORDER BY id"
CALLERS = "SELECT callee_id, caller_id, ncalls, primitive_calls, tottime_s, cumtime_s FROM callers"


def is_dump(path):
    return not path.endswith((".print_stats.txt", ".callgrind.out"))


def is_yappi(path):
    """pstats, the oracle, swaps the counts of yappi's dumps and lacks its C functions: tests/cli/fields_cli.py."""
    return os.path.basename(path).startswith("yappi")


def is_empty(path):
    """The dump of a profiler that was never enabled: pstats.Stats refuses it, and so do we."""
    return os.path.getsize(path) == 2


def is_python2(path):
    """The oracle of such a dump lists functions in the order of Python 2's dicts, which is not that of the file."""
    return ".py27." in path


def known_functions(doc):
    """[file, line, name, nc, cc, tt, ct] of each function, in the order of the file."""
    return [[text(f["file"]), number(f["line"]), text(f["name"])] + [number(f[k]) for k in ("nc", "cc", "tt", "ct")]
            for f in doc["functions"]]


def plain(value):
    """The number that number() made comparable."""
    return struct.unpack(">d", value[1])[0] if isinstance(value, tuple) else value


def known_callers(doc):
    """{(callee, caller): numbers}; a caller without an entry of its own is its label. Counts only from `profile`."""
    edges = {}
    for callee, function in enumerate(doc["functions"], 1):
        for j, *values in function["callers"]:
            only = doc.get("callers_only") or []
            caller = j + 1 if j >= 0 else tuple(text(x) if isinstance(x, str) else number(x) for x in only[-1 - j])
            numbers = [number(value) for value in values]
            edges[callee, caller] = numbers + [None] * (4 - len(numbers))
    return edges


def stored(shelf, path, count):
    """The same two from the shelf; functions after the first `count` are callers without an entry."""
    rows = shelf.sql(path, FUNCTIONS)
    functions = [[r["file"], number(r["line"]), r["name"]] +
                 [number(r[k]) for k in ("ncalls", "primitive_calls", "tottime_s", "cumtime_s")] for r in rows]
    labels = {r["id"]: r["id"] if r["id"] <= count else (r["file"], number(r["line"]), r["name"]) for r in rows}
    edges = {}
    for r in shelf.sql(path, CALLERS):
        numbers = [r[k] if r[k] is None else number(r[k]) for k in ("ncalls", "primitive_calls", "tottime_s", "cumtime_s")]
        edges[r["callee_id"], labels[r["caller_id"]]] = numbers
    ids = [r["id"] for r in rows]
    return ids, functions, edges


def rearranged(known, functions, edges):
    """Stored functions and edges in the order and with the numbers of `known`."""
    oracle_place = {tuple(row[:3]): i for i, row in enumerate(known, 1)}
    place = {i: oracle_place[tuple(row[:3])] for i, row in enumerate(functions, 1)}
    ordered = sorted(functions, key=lambda row: oracle_place[tuple(row[:3])])
    return ordered, {(place[a], place[b]): numbers for (a, b), numbers in edges.items()}


class Dumps(CorpusTest):
    fill = staticmethod(good_shelf)

    def equal_sampled(self, path, doc):
        """A sampling profiler writes an entry for each line: the functions are their sums."""
        want = {}
        for file, line, name, *numbers in known_functions(doc):
            lines, sums = want.setdefault((file, name), ([], [0, 0, 0, 0]))
            lines.append(line)
            sums[:] = [a + plain(b) for a, b in zip(sums, numbers)]
        rows = {(row["file"], row["name"]): row for row in self.shelf.sql(path, FUNCTIONS)}
        self.assertEqual(set(rows), set(want))
        for key, (lines, sums) in want.items():
            self.assertEqual(rows[key]["line"], min(lines))
            for column, value in zip(("ncalls", "primitive_calls", "tottime_s", "cumtime_s"), sums):
                self.assertAlmostEqual(rows[key][column], value, 9)

    def equal(self, path, doc, in_order=True):
        if doc.get("sampled"):
            self.equal_sampled(path, doc)
            return
        count = len(doc["functions"])
        ids, functions, edges = stored(self.shelf, path, count)
        self.assertEqual(ids, list(range(1, len(ids) + 1)))
        known, known_edges = known_functions(doc), known_callers(doc)
        if not in_order:
            functions, edges = rearranged(known, functions, edges)
        for a, b in zip(known, functions):
            self.assertEqual(a, b)
        self.assertEqual(len(functions), count + len(doc.get("callers_only") or []))
        self.assertEqual(set(known_edges), set(edges))
        for key, numbers in known_edges.items():
            self.assertEqual(numbers, edges[key], key)

    def test_made_dumps_equal_the_oracle(self):
        for path in filter(is_dump, paths("made/pstats")):
            if is_empty(path) or is_yappi(path):
                continue
            with self.subTest(os.path.basename(path)):
                self.equal(path, oracle(path), in_order=not is_python2(path))

    def test_wild_dumps_equal_this_python(self):
        """Against marshal of the Python at hand, where it can read the file (Python 2's it cannot)."""
        compared = 0
        for path in paths("wild/pstats"):
            if is_empty(path):
                continue
            with self.subTest(os.path.basename(path)):
                self.assertEqual(self.shelf.of(path)["kind"], "pstats")
                try:
                    with open(path, "rb") as file:
                        raw = marshal.load(file)
                except ValueError:
                    continue
                self.equal(path, from_marshal(raw))
                compared += 1
        self.assertGreater(compared, 10)

    def test_totals(self):
        for path in filter(is_dump, paths("made/pstats")):
            if is_empty(path) or is_yappi(path):
                continue
            with self.subTest(os.path.basename(path)):
                doc, summary = oracle(path), self.shelf.show(path)["summary"]
                if is_python2(path):  # summed up in another order
                    self.assertAlmostEqual(summary["total_tt_s"], doc["total_tt"], places=12)
                else:
                    self.assertEqual(number(float(summary["total_tt_s"])), number(float(doc["total_tt"])))
                self.assertEqual(summary["total_calls"], doc["total_calls"])
                self.assertEqual(summary["primitive_calls"], doc["prim_calls"])
                if not doc.get("sampled"):  # the lines of a function are added up
                    self.assertEqual(summary["functions"], doc["n_functions"])
                    self.assertEqual(summary["calls_pairs"], doc["sum_callers_edges"])
                self.assertEqual(summary["sampled"], doc.get("sampled", False))

    def test_ledger_accounts_for_each_entry(self):
        for path in filter(is_dump, paths("made/pstats", "wild/pstats")):
            if is_empty(path):
                continue
            with self.subTest(os.path.basename(path)):
                ledger = self.shelf.show(path)["ledger"]
                parts = [ledger[key] for key in ("stored", "repaired", "rejected", "other")]
                self.assertEqual(ledger["read"], sum(parts))
                self.assertEqual(ledger["rejected"], 0)

    def test_what_is_no_dump_is_refused(self):
        for path in paths("made/pstats", "wild/pstats"):
            if is_empty(path) or path.endswith(".callgrind.out"):
                self.assertIn(path, self.shelf.refused)


def from_marshal(raw):
    """A loaded dump in the oracle's words."""
    keys = {key: i for i, key in enumerate(raw) if len(key) == 3}
    only, functions = [], []
    for key in keys:
        cc, nc, tt, ct, callers = raw[key]
        edges = []
        for caller, values in callers.items():
            if caller not in keys and caller not in only:
                only.append(caller)
            j = keys[caller] if caller in keys else -1 - only.index(caller)
            edges.append([j, *(values if isinstance(values, tuple) else [values])])
        functions.append({"file": key[0], "line": key[1], "name": key[2], "nc": nc, "cc": cc, "tt": tt, "ct": ct,
                          "callers": edges})
    return {"functions": functions, "callers_only": only}


if __name__ == "__main__":
    unittest.main()
