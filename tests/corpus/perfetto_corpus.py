# SPDX-License-Identifier: MIT
"""Perfetto's binary traces: slices, counters, arguments and flows beside what trace_processor says of them, or a reader that knows no schema."""
import csv
import functools
import json
import os
import unittest
from collections import Counter, defaultdict

from corpus import CORPUS, CorpusTest, Shelf, needs, present, sanitized

UNCLOSED, INSTANT = 2, 1
UNITS = {"bytes": "B", "count": ""}  # what trace_processor calls a unit -> what we do
PROCESSED = present("made3/accel/track-rules.pftrace", "made3/accel/clocks.pftrace")
DECODED = present(*(f"wild2/perfetto/{name}" for name in ("atrium.pftrace.gz", "made_odd.pftrace", "made_plain.pftrace", "made_sdk_delta.perfetto-trace")))


def oracle_of(path):
    with open(path.removesuffix(".gz") + ".oracle.json", encoding="utf-8") as file:
        return json.load(file)


@functools.cache
def perfetto_shelf():
    shelf = Shelf()
    shelf.add([*PROCESSED, *DECODED, *present("made3/accel/trace0.pftrace")])
    return shelf


def flattened(key, value):
    """The arguments as trace_processor stores them: (key, value)."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield from flattened(f"{key}.{name}", item)
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from flattened(f"{key}[{i}]", item)
    else:
        yield key, value


class PerfettoTest(CorpusTest):
    fill = staticmethod(perfetto_shelf)

    def origin(self, path):
        return self.shelf.show(path)["summary"]["origin_us"] * 1000

    def slices(self, path):
        """Rows of the slices with the time and name that trace_processor shows."""
        rows = self.shelf.sql(path, "SELECT id, parent_id AS parent, track, name, category, start_ns, duration_ns, depth, args, flags FROM slices ORDER BY id")
        origin = self.origin(path)
        for row in rows:
            row["ts"] = origin + row["start_ns"]
            row["dur"] = -1 if row["flags"] & UNCLOSED else row["duration_ns"]
            row["sn"] = None if row["name"] is None or row["name"].startswith("#") else row["name"]
        return rows

    def counted(self, path):
        statement = "SELECT s.name, s.unit, c.t_ns, c.value FROM series s, ps_counts(s.id) c ORDER BY s.id, c.t_ns"
        return self.shelf.sql(path, statement)

    def test_slices(self):
        keys = ("ts", "dur", "sn", "depth")
        for path in PROCESSED:
            expected = oracle_of(path)["slices"]
            self.assertTrue(expected)
            rows = self.slices(path)
            with self.subTest(path):
                self.assertEqual(Counter(tuple(row[key] for key in keys) for row in rows), Counter(tuple(row[key] for key in keys) for row in expected))
                self.assertEqual(Counter(row["category"] for row in rows), Counter(row["cat"] for row in expected))

    def test_parents(self):
        def pairs(rows):
            names = {row["id"]: (row["ts"], row["sn"]) for row in rows}
            return Counter((names[row["parent"]], names[row["id"]]) for row in rows if row["parent"] is not None)
        for path in PROCESSED:
            with self.subTest(path):
                self.assertEqual(pairs(self.slices(path)), pairs(oracle_of(path)["slices"]))

    def test_counters(self):
        for path in PROCESSED:
            origin = self.origin(path)
            ours = Counter((row["name"], row["unit"] or "", origin + row["t_ns"], row["value"]) for row in self.counted(path))
            theirs = Counter((row["name"], UNITS.get(row["unit"], row["unit"] or ""), row["ts"], row["value"]) for row in oracle_of(path)["counters"])
            with self.subTest(path):
                self.assertEqual(ours, theirs)

    def test_arguments(self):
        for path in PROCESSED:
            ours = Counter((row["ts"], row["sn"], key, value) for row in self.slices(path) for name, item in json.loads(row["args"]).items()
                           for key, value in flattened(f"debug.{name}", item))
            by_id = {row["id"]: row for row in oracle_of(path)["slices"]}
            theirs = Counter((by_id[row["slice"]]["ts"], row["sname"], row["k"], row["v"]) for row in oracle_of(path)["args"] if row["k"].startswith("debug."))
            with self.subTest(path):
                self.assertEqual(ours, theirs)

    def test_flows(self):
        for path in PROCESSED:
            names = {row["id"]: row["sn"] for row in self.slices(path)}
            ours = Counter((names[row["from_slice"]], names[row["to_slice"]]) for row in self.shelf.sql(path, "SELECT from_slice, to_slice FROM flows"))
            by_id = {row["id"]: row["sn"] for row in oracle_of(path)["slices"]}
            theirs = Counter((by_id[row["slice_out"]], by_id[row["slice_in"]]) for row in oracle_of(path)["flows"])
            with self.subTest(path):
                self.assertEqual(ours, theirs)

    @needs("made3/accel/trace0.pftrace")
    def test_recording_of_trace0(self):
        path = present("made3/accel/trace0.pftrace")[0]
        expected = oracle_of(path)
        rows = self.slices(path)
        total = expected["sum"][0]
        self.assertEqual((len(rows), sum(row["dur"] for row in rows), max(row["depth"] for row in rows)), (total["slices"], total["total_ns"], total["max_depth"]))
        sums = defaultdict(lambda: [0, 0, None])
        for row in rows:
            row_of = sums[row["sn"]]
            row_of[:] = row_of[0] + 1, row_of[1] + row["dur"], min(row["ts"], row_of[2] or row["ts"])
        for row in expected["top_names"]:
            self.assertEqual(sums[row["sn"]], [row["n"], row["total_ns"], row["first_ts"]], row["sn"])

    def test_tracks(self):
        """The reader without a schema counts the events of each track."""
        for path in DECODED:
            expected = oracle_of(path)
            ours = defaultdict(Counter)
            for row in self.slices(path):
                kind = "instants" if row["flags"] & INSTANT else "unclosed" if row["flags"] & UNCLOSED else "slices"
                ours[row["track"]][kind] += 1
            theirs = [{key: track[key] for key in ("slices", "instants", "unclosed") if track[key]} for track in expected["tracks"]]
            with self.subTest(path):
                self.assertEqual(sorted(map(sorted, (track.items() for track in ours.values()))), sorted(sorted(track.items()) for track in theirs if track))

    def test_times_by_name(self):
        for path in DECODED:
            sums = defaultdict(lambda: [0, 0])
            for row in self.slices(path):
                if not row["flags"] & (INSTANT | UNCLOSED):
                    sums[row["name"]][0] += row["duration_ns"]
                    sums[row["name"]][1] += 1
            with self.subTest(path):
                for total, count, name in oracle_of(path)["top_total_ns"]:
                    self.assertEqual(sums[name], [total, count], name)

    def test_series_and_arrows(self):
        for path in DECODED:
            expected = oracle_of(path)
            series = defaultdict(list)
            for row in self.counted(path):
                series[row["name"]].append(row["value"])
            with self.subTest(path):
                self.assertEqual({name: [len(values), values[0], values[-1], min(values), max(values)] for name, values in series.items()},
                                 {track["name"]: [track["counts"], track["first"], track["last"], track["least"], track["greatest"]]
                                  for track in expected["tracks"] if track["counts"]})
                self.assertEqual(len(self.shelf.sql(path, "SELECT id FROM flows")), expected["flows"]["arrows"])


@functools.cache
def manifest():
    index = os.path.join(CORPUS, "wild2", "bad", "MANIFEST-a.tsv")
    with open(index, encoding="utf-8", newline="") as file:
        rows = [row for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE) if row and row[0].startswith("perfetto/")]
    return [(os.path.join(CORPUS, "wild2", "bad", row[0]), row[3]) for row in rows]


@functools.cache
def bad_shelf():
    shelf = Shelf()
    shelf.add([path for path, _ in manifest()])
    return shelf


@needs("wild2/bad/perfetto")
class BadPerfettoTest(CorpusTest):
    fill = staticmethod(bad_shelf)

    def test_verdicts(self):
        self.assertTrue(manifest())
        for path, must in manifest():
            run = self.shelf.of(path)
            kind = run and run["kind"]
            with self.subTest(path):
                if must == "reject":  # not_a_trace.pftrace is the output of time, and is read as such
                    self.assertNotIn(kind, ("trace", "torch-trace"))
                    continue
                self.assertEqual(kind, "trace")
                notes = [note for note in self.shelf.sql(path, "SELECT severity, what FROM notes")]
                self.assertEqual(bool(notes), must == "partial", notes)

    @unittest.skipIf(sanitized(), "the shadow memory of the sanitizers")
    def test_memory(self):
        self.assertLess(self.shelf.peak_kib, 256 * 1024)


@needs("wild2/perfetto/qml.pftrace")
class EmptyPerfettoTest(unittest.TestCase):
    def test_trace_without_events(self):
        shelf = Shelf()
        path = present("wild2/perfetto/qml.pftrace")[0]
        shelf.add([path])
        self.assertIn("the trace contains no events", shelf.refused[path])


if __name__ == "__main__":
    unittest.main()
