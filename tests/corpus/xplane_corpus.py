# SPDX-License-Identifier: MIT
"""Profiles of XLA equal their oracles: every line, name, step, operator and stat; damaged ones do as their manifest says."""
import collections
import csv
import functools
import glob
import gzip
import json
import os
import unittest

from corpus import CORPUS, ONLY_LARGER, CorpusTest, Shelf

BAD = os.path.join(CORPUS, "wild2", "bad")
FOLDERS = "wild2/xplane", "made3/accel"
# The exact duration of events whose times are no whole nanoseconds is an argument.
PS = "coalesce(json_extract(s.args, '$.duration_ps'), s.duration_ns * 1000)"
LONG = "coalesce(json_extract(s.args, '$.long_name'), s.name)"
OF_LINES = "FROM slices s JOIN track t ON t.id = s.track JOIN process p ON p.id = t.process"
# What the importer adds to the stats of an event.
ADDED = {"duration_ps", "start_remainder_ps", "long_name", "grid", "block", "registers per thread", "shared memory", "bytes"}


def oracle_of(path):
    for name in (path, path.removesuffix(".gz")):
        for ending, opener in ((".oracle.json", open), (".oracle.json.gz", gzip.open)):
            if os.path.exists(name + ending):
                with opener(name + ending, "rb") as file:
                    return json.loads(file.read())
    raise AssertionError(f"{path} has no oracle")


def profiles():
    found = [path for folder in FOLDERS for path in glob.glob(os.path.join(CORPUS, folder, "*.xplane.pb*"))]
    return sorted(path for path in found if ".oracle." not in path)


def manifest():
    """The damaged files, and what must happen with each."""
    musts = {}
    for name in glob.glob(os.path.join(BAD, "MANIFEST*.tsv")):
        with open(name, encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                if row["format"] == "xplane" and os.path.exists(os.path.join(BAD, row["path"])):
                    musts[os.path.join(BAD, row["path"])] = row["must"]
    return sorted(musts.items())


def filled(files):
    if not files:
        raise unittest.SkipTest(f"{ONLY_LARGER} {', '.join(FOLDERS)}")
    shelf = Shelf()
    shelf.add(files)
    return shelf


@functools.cache
def shelf():
    return filled(profiles())


@functools.cache
def bad_shelf():
    return filled([path for path, _ in manifest()])


class Profiles(CorpusTest):
    fill = staticmethod(shelf)

    @staticmethod
    def each():
        for path in profiles():
            yield path, oracle_of(path)

    def lines(self, path, oracle):
        """The lines of the oracle with events, each with the ids of our tracks of the same name."""
        tracks = collections.defaultdict(list)
        for row in self.shelf.sql(path, "SELECT p.name AS plane, t.name AS line, t.id FROM track t JOIN process p ON p.id = t.process ORDER BY t.id"):
            tracks[row["plane"], row["line"]].append(row["id"])
        for plane in oracle["planes"]:
            for line in plane["lines"]:
                if line["events"]:
                    yield plane, line, tracks[plane["name"], line["display_name"] or line["name"]].pop(0)
        self.assertEqual([name for name, left in tracks.items() if left], [])

    def test_every_event_is_stored(self):
        for path, oracle in self.each():
            ledger = self.shelf.sql(path, "SELECT k, v FROM meta WHERE k = 'kind' OR k GLOB 'ledger_*[dr]' ORDER BY k")
            n = sum(line["events"] for plane in oracle["planes"] for line in plane["lines"])
            self.assertEqual([row["v"] for row in ledger], ["xla-trace", 0, n, 0, 0, n], path)

    def test_lines(self):
        """Events, and picoseconds in all; nothing but the rounding to nanoseconds differs in start and end."""
        for path, oracle in self.each():
            rows = {row["id"]: row for row in self.shelf.sql(
                path, f"SELECT t.id, count(*) AS n, sum({PS}) AS ps, min(s.start_ns) AS first_ns, max(s.start_ns + s.duration_ns) AS last_ns"
                      f" {OF_LINES} GROUP BY 1")}
            origin = self.shelf.show(path)["summary"]["origin_us"] * 1000
            for _, line, track in self.lines(path, oracle):
                row = rows[track]
                self.assertEqual(row["n"], line["events"], line["name"])
                total = line["total_ps"] if "total_ps" in line else sum(name["total_ps"] for name in line["names"])
                self.assertEqual(row["ps"], total, line["name"])
                if "first_ps" in line:
                    for key, ours in (("first_ps", row["first_ns"]), ("last_ps", row["last_ns"])):
                        self.assertAlmostEqual(ours + origin, line["timestamp_ns"] + line[key] / 1000, delta=1.01, msg=line["name"])

    def test_names(self):
        """Calls, and the picoseconds and self time of each name, as far as the oracle lists them."""
        for path, oracle in self.each():
            rows = {(row["track"], row["name"]): row for row in self.shelf.sql(
                path, f"SELECT s.track, {LONG} AS name, count(*) AS n, sum({PS}) AS ps, sum(s.self_ns) * 1000 AS self_ps,"
                      " sum(json_extract(s.args, '$.duration_ps') IS NOT NULL) AS inexact FROM slices s GROUP BY 1, 2")}
            for _, line, track in self.lines(path, oracle):
                for name in line.get("names", []):
                    row = rows[track, name["name"]]
                    self.assertEqual((row["n"], row["ps"]), (name["count"], name["total_ps"]), name["name"])
                    if not line["overlapping"]:
                        self.assertEqual(row["self_ps"], name["self_ps"], name["name"])
                for self_ps, n, name in line.get("top_self_ps", []):
                    row = next(row for (at, text), row in rows.items() if at == track and text.startswith(name))
                    if len(name) < 300:
                        self.assertEqual(row["n"], n, name)
                    if line["name"] == "XLA Ops":  # kernels of a stream overlap by some ns
                        self.assertAlmostEqual(row["self_ps"], self_ps, delta=2000 * n, msg=name)

    def test_stats_are_arguments(self):
        for path, oracle in self.each():
            ours = collections.defaultdict(dict)
            for row in self.shelf.sql(path, "SELECT s.track, a.key, count(*) AS n FROM slices s, json_each(s.args) a GROUP BY 1, 2"):
                if row["key"] not in ADDED:
                    ours[row["track"]][row["key"]] = row["n"]
            for _, line, track in self.lines(path, oracle):
                if "stats" in line:
                    got = {key: n for key, n in ours[track].items() if key in line["stats"]}
                    self.assertEqual(got, line["stats"], line["name"])

    def test_stats_of_planes_are_headers(self):
        for path, oracle in self.each():
            headers = {row["k"].removeprefix("header."): json.loads(row["v"])
                       for row in self.shelf.sql(path, "SELECT k, v FROM meta WHERE k LIKE 'header./%' OR k = 'header.Task Environment'")}
            for plane in oracle["planes"]:
                for key, value in dict(plane["stats"]).items():
                    got = headers[plane["name"]][key]
                    if isinstance(value, str) and value.startswith("<"):
                        self.assertRegex(str(got), r"^\d+ bytes$")
                    else:
                        self.assertEqual(got, value, (plane["name"], key))

    def test_steps(self):
        """xprof's table has the same steps: those that are not inside of another."""
        for path, oracle in self.each():
            if "steps" not in oracle:
                continue
            ours = [(row["name"], row["duration_ns"] * 1000) for row in self.shelf.sql(path, "SELECT name, duration_ns FROM steps WHERE counted")]
            self.assertEqual(ours, [(f"{step['name']} {step['step_num']}", step["duration_ps"]) for step in oracle["steps"] if step["root"]])

    def test_operators(self):
        for path, oracle in self.each():
            if "hlo_ops" not in oracle:
                continue
            rows = self.shelf.sql(path, f"SELECT json_extract(s.args, '$.hlo_module') AS module, json_extract(s.args, '$.hlo_op') AS op, count(*) AS count,"
                                        f" sum({PS}) AS total_ps FROM slices s WHERE op IS NOT NULL GROUP BY 1, 2")
            self.assertEqual(sorted(map(tuple, map(dict.values, rows))), sorted(tuple(row.values()) for row in oracle["hlo_ops"]))


class Damaged(CorpusTest):
    fill = staticmethod(bad_shelf)

    def test_verdicts(self):
        for path, must in manifest():
            with self.subTest(os.path.basename(path)):
                run = self.shelf.of(path)
                self.assertEqual(run is None, must == "reject")
                if run:
                    self.assertEqual(run["kind"], "xla-trace")

    def run_of(self, name):
        path = os.path.join(BAD, "xplane", name)
        if not os.path.exists(path):
            self.skipTest(f"{ONLY_LARGER} {name}")
        return path

    def test_a_plane_that_is_cut_is_named(self):
        notes = self.shelf.sql(self.run_of("cut.xplane.pb"), "SELECT what FROM notes")
        self.assertIn("the file ends inside plane /host:metadata", notes[0]["what"])

    def test_missing_metadata_are_numbers(self):
        rows = self.shelf.sql(self.run_of("orphans.xplane.pb"), "SELECT name, args FROM slices")
        self.assertEqual([(row["name"], json.loads(row["args"])["88"]) for row in rows], [("#77", "99")])

    def test_occurrences_are_a_count(self):
        path = self.run_of("occurrences.xplane.pb")
        self.assertEqual(self.shelf.sql(path, "SELECT count(*) AS n FROM slices"), [{"n": 0}])
        listed = json.loads(self.shelf.sql(path, "SELECT v FROM meta WHERE k = 'header.aggregated_events'")[0]["v"])
        self.assertEqual([(row["name"], row["occurrences"]) for row in listed], [("op", 2**60)])


if __name__ == "__main__":
    unittest.main()
