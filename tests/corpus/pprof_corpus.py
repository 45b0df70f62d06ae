# SPDX-License-Identifier: MIT
"""Profiles of pprof against what the tools say of them: each sample type, each function of it, labels; damaged files.

The frames of a sample are decoded here another way than by the importer: the whole message at once, without a description of it."""
import collections
import csv
import functools
import gzip
import json
import os
import subprocess
import unittest
import urllib.parse

from corpus import CORPUS, Shelf, has, paths

FOLDERS = ("made3/sampling", "wild2/pprof")
SECONDS = {"nanoseconds": 1e9, "microseconds": 1e6, "\u03bcs": 1e6, "milliseconds": 1e3, "seconds": 1}
BAD = "wild2/bad-b"


def fields(data):
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value & (1 << 64) - 1
    while at < len(data):
        tag = varint()
        if tag & 7 == 0:
            yield tag >> 3, varint()
        else:
            assert tag & 7 == 2, "these files have numbers and bytes"
            size = varint()
            yield tag >> 3, data[at:at + size]
            at += size


def numbers(values):
    """Of a repeated number, packed or not."""
    for value in values:
        if isinstance(value, int):
            yield value
        else:
            yield from (number for _, number in fields(b"".join(b"\x08" + part for part in split(value))))


def split(packed):
    part = bytearray()
    for byte in packed:
        part.append(byte)
        if byte < 128:
            yield bytes(part)
            part.clear()


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def message(data):
    out = collections.defaultdict(list)
    for number, value in fields(data):
        out[number].append(value)
    return out


def first(found, number):
    return found[number][-1] if found[number] else 0


def unpacked(path):
    with open(path, "rb") as file:
        data = file.read()
    if data[:4] == b"\x28\xb5\x2f\xfd":
        return subprocess.run(["zstd", "-dcq"], input=data, capture_output=True, check=True).stdout
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


class Profile:
    def __init__(self, path):
        top = message(unpacked(path))
        self.strings = [text.decode("utf-8", "replace").replace("\0", "\ufffd") for text in top[6]]
        self.types = [(self.strings[first(kind, 1)], self.strings[first(kind, 2)]) for kind in map(message, top[1])]
        functions = {first(found, 1): found for found in map(message, top[5])}
        mappings = {first(found, 1): found for found in map(message, top[3])}
        self.locations = {}
        for found in map(message, top[4]):
            lines = [(functions.get(first(line, 1)), signed(first(line, 2))) for line in map(message, found[4])]
            self.locations[first(found, 1)] = [self.frame(*line) for line in reversed(lines)] or [self.address(found, mappings)]
        self.samples = [self.sample(found) for found in map(message, top[2])]

    def frame(self, function, line):
        if not function:
            return "?"
        name = self.strings[first(function, 2)] or self.strings[first(function, 3)] or "(no name)"
        place = self.strings[first(function, 4)] + (f":{line}" if line > 0 else "")
        return name + (f" ({place})" if self.strings[first(function, 4)] else "")

    def address(self, location, mappings):
        mapping = mappings.get(first(location, 2))
        name = mapping and self.strings[first(mapping, 5)].rsplit("/", 1)[-1]
        if not name:
            return f"{first(location, 3):#x}"
        return f"{name}+{(first(location, 3) - first(mapping, 2) + first(mapping, 4)) % (1 << 64):#x}"

    def sample(self, found):
        stack = [frame for id in reversed(list(numbers(found[1]))) for frame in self.locations.get(id, ["?"])]
        values = [signed(value) for value in numbers(found[2])]
        labels = []
        for label in map(message, found[3]):
            text = self.strings[first(label, 2)] if first(label, 2) else str(signed(first(label, 3)))
            labels.append((self.strings[first(label, 1)], text))
        return stack or ["(no frame)"], values + [0] * (len(self.types) - len(values)), labels

    def sums(self, column):
        own, total = collections.Counter(), collections.Counter()
        for stack, values, _ in self.samples:
            own[stack[-1]] += values[column]
            for frame in set(stack):
                total[frame] += values[column]
        return own, total


@functools.cache
def files():
    return [path for path in paths(*FOLDERS) if path.endswith((".pprof", ".pb", ".pb.gz")) or "jax-memory" in path]


@functools.cache
def shelf():
    filled = Shelf()
    filled.add(files())
    return filled


def oracle(path):
    for name, opened in ((path + ".oracle.json", open), (path + ".oracle.json.gz", gzip.open)):
        if os.path.exists(name):
            with opened(name, "rt", encoding="utf-8") as file:
                return json.load(file)
    return None


class Pprof(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.profiles = {path: Profile(path) for path in files()}

    def view(self, path, view, **query):
        return shelf().ask("GET", f"/runs/{shelf().of(path)['id']}/{view}?{urllib.parse.urlencode(query)}")

    def functions(self, path, **query):
        """(name, own, total) of each row."""
        rows, of = [], 1
        while len(rows) < of:
            page = self.view(path, "stack_functions", limit=1000, offset=len(rows), sort="name", **query)
            rows, of = rows + page["rows"], page["of"]
        return [(row[1], row[6], row[7]) for row in rows]

    def types(self, path):
        """The sample types of the file with their name, and how many of their unit one of the run's is."""
        found = [row for row in self.view(path, "sample-types")["types"] if not row["computed"]]
        self.assertEqual(len(found), len(self.profiles[path].types), path)
        return zip(found, (SECONDS.get(unit, 1) for _, unit in self.profiles[path].types))

    def test_all_are_read(self):
        self.assertGreater(len(files()), 15)
        for path in files():
            self.assertEqual(shelf().of(path)["kind"], "pprof", path)

    def test_totals_and_samples(self):
        for path, profile in self.profiles.items():
            stated = oracle(path)
            totals = stated["totals"] if isinstance(stated["totals"], list) else list(stated["totals"].values())
            run = shelf().ask("GET", f"/runs/{shelf().of(path)['id']}")
            self.assertEqual(run["summary"]["samples"], stated["samples"], path)
            for column, (row, units) in enumerate(self.types(path)):
                values = [values[column] for _, values, _ in profile.samples]
                self.assertEqual(sum(values), totals[column], path)
                self.assertAlmostEqual(row["total"] * units, totals[column], delta=abs(totals[column]) * 1e-12, msg=path)
                self.assertEqual(row["samples"], sum(value != 0 for value in values), path)

    def test_each_frame(self):
        for path, profile in self.profiles.items():
            for column, (row, units) in enumerate(self.types(path)):
                own, total = profile.sums(column)
                found = {name: (self_, all_) for name, self_, all_ in self.functions(path, mode="line", sample_type=row["name"])}
                wanted = {name for name in total if total[name] or own[name]}
                self.assertEqual(set(found), wanted, (path, row["name"]))
                for name, (self_, all_) in found.items():
                    scale = row["scale"] / units
                    self.assertEqual((self_, all_), (own[name] * scale, total[name] * scale), (path, row["name"], name))

    def test_functions_are_those_of_pprof(self):
        """As pprof -top lists them, by name alone."""
        compared = 0
        for path in files():
            stated = oracle(path)
            top = {row["function"]: (row["flat"], row["cum"]) for row in stated.get("top", [])}
            for column, (row, units) in enumerate(self.types(path)):
                found = collections.defaultdict(list)
                for name, self_, all_ in self.functions(path, sample_type=row["name"]):
                    found[name.rsplit(" (", 1)[0] if name.endswith(")") else name].append((self_, all_))
                for name, (flat, cum) in top.items():
                    if len(found[name]) == 1:
                        scale = row["scale"] / units
                        self.assertEqual(found[name][0], (flat[column] * scale, cum[column] * scale), (path, row["name"], name))
                        compared += 1
        self.assertGreater(compared, 300)

    def test_labels(self):
        for path, profile in self.profiles.items():
            by_key = collections.defaultdict(lambda: collections.defaultdict(list))
            for _, values, labels in profile.samples:
                for key, text in dict(labels).items():
                    by_key[key][text].append(values)
            for column, (row, units) in enumerate(self.types(path)):
                labels = self.view(path, "sample-types", sample_type=row["name"])["labels"]
                self.assertEqual([label["key"] for label in labels], list(by_key), path)
                for label in labels:
                    values = by_key[label["key"]]
                    self.assertEqual(label["n_values"], len(values), (path, label["key"]))
                    self.assertEqual(label["samples"], sum(map(len, values.values())), (path, label["key"]))
                    for value in label["values"]:
                        wanted = sum(each[column] for each in values[value["value"]])
                        self.assertAlmostEqual(value["total"] * units, wanted, delta=abs(wanted) * 1e-9, msg=(path, label["key"], value))

    def test_selecting_by_label(self):
        """The samples with a value of a label, and with one of two values."""
        selected = 0
        for path, profile in self.profiles.items():
            for column, (row, units) in enumerate(self.types(path)):
                for label in self.view(path, "sample-types", sample_type=row["name"])["labels"]:
                    if label["role"] == "summed" or not label["values"]:
                        continue
                    chosen = [value["value"] for value in label["values"][:2]]
                    query = urllib.parse.urlencode([("sample_type", row["name"])] + [("label", f"{label['key']}={value}") for value in chosen])
                    flame = shelf().ask("GET", f"/runs/{shelf().of(path)['id']}/stack_flame?{query}")
                    wanted = sum(values[column] for _, values, labels in profile.samples if dict(labels).get(label["key"]) in chosen)
                    self.assertEqual(flame["sum"], wanted * row["scale"] / units, (path, row["name"], label["key"], chosen))
                    selected += 1
        self.assertGreater(selected, 10)

    def test_default_sample_type(self):
        wanted = {"ddtrace-threads.pprof": "wall-time", "go-heap.pb": "inuse_space", "python-tiny.pb.gz": "CPU", "go-goroutine.pb.gz": "goroutine"}
        for path in files():
            default = [row for row in self.view(path, "sample-types")["types"] if row["is_default"]]
            self.assertEqual(len(default), 1, path)
            self.assertEqual(default[0]["name"], wanted.get(os.path.basename(path), default[0]["name"]))
            run = shelf().ask("GET", f"/runs/{shelf().of(path)['id']}")
            self.assertEqual((run["headline"]["label"], run["headline"]["unit"]), (default[0]["name"], default[0]["unit"]))


@unittest.skipUnless(has(BAD), f"only the larger corpus has {BAD}")
class Damaged(unittest.TestCase):
    def test_each_meets_its_verdict(self):
        with open(os.path.join(CORPUS, BAD, "MANIFEST.tsv"), encoding="utf-8", newline="") as file:
            rows = [row for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE) if row[0].startswith("pprof_")]
        self.assertGreater(len(rows), 9)
        bad = Shelf()
        bad.add([os.path.join(CORPUS, BAD, row[0]) for row in rows])
        for name, _, must, _ in rows:
            run = bad.of(os.path.join(CORPUS, BAD, name))
            self.assertEqual(run is not None, must != "reject", name)
            if run:
                notes = bad.ask("GET", f"/runs/{run['id']}/notes?limit=100")
                self.assertTrue(name.startswith(("pprof_group", "pprof_string")) or notes["rows"], name)


if __name__ == "__main__":
    unittest.main()
