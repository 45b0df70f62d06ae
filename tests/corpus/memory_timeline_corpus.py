# SPDX-License-Identifier: MIT
"""PyTorch's memory timelines of the corpus: every point equals the file, and both forms of one recording agree."""
import functools
import gzip
import json
import os
import unittest

from corpus import CORPUS, CorpusTest, Shelf, has, needs

SUMS = os.path.join("made", "torch-trace", "torch214_mlp_all.memory_timeline.json")
RAW = os.path.join("made", "torch-trace", "torch214_mlp_all.memory_timeline.raw.json.gz")
WILD = os.path.join("wild", "other", "hta-memory_timeline.raw.json.gz")
FILES = [name for name in (SUMS, RAW, WILD) if has(name)]
NAMES = ["parameter", "optimizer state", "input", "temporary", "activation", "gradient", "autograd detail", "unknown"]


def path_of(name):
    return os.path.join(CORPUS, name)


@functools.cache
def memory_shelf():
    shelf = Shelf()
    shelf.add([path_of(name) for name in FILES])
    return shelf


def load(name):
    with (gzip.open if name.endswith(".gz") else open)(path_of(name), "rb") as file:
        return json.loads(file.read())


def states_of_raw(rows):
    """{ns from the first time: bytes of the categories} after the last row of each time."""
    first = min(row[0] for row in rows if row[0] >= 0)
    now, states = [0] * 8, {}
    for t, _, size, category in rows:
        now[category] += size
        states[max(t, first) - first] = list(now)
    return states


def states_of_sums(document):
    return {t - document[0][0]: sums[1:] for t, sums in zip(*document)}


class Timelines(CorpusTest):
    fill = staticmethod(memory_shelf)

    def stored(self, name, unit):
        """The same from the shelf: what holds after each time at which something changed."""
        now, states = [0] * 8, {}
        for row in self.shelf.sql(path_of(name), "SELECT t_s, kind, bytes FROM memory"):
            now[NAMES.index(row["kind"])] = round(row["bytes"])
            states[round(row["t_s"] * unit)] = list(now)
        return states

    def equal(self, name, known, unit):
        self.assertEqual(self.shelf.of(path_of(name))["kind"], "memory-timeline")
        stored = self.stored(name, unit)
        now = None
        for t in sorted(known):
            now = stored.get(t, now)
            self.assertEqual(now, known[t], t)
        self.assertLessEqual(set(stored), set(known))

    def test_sums(self):
        self.equal(SUMS, states_of_sums(load(SUMS)), 1e6)

    def test_raw(self):
        self.equal(RAW, states_of_raw(load(RAW)), 1e9)

    @needs(WILD)
    def test_wild(self):
        self.equal(WILD, states_of_raw(load(WILD)), 1e9)

    def test_peak(self):
        for name in FILES:
            states = (states_of_sums if name == SUMS else states_of_raw)(load(name))
            summary = self.shelf.show(path_of(name))["summary"]
            self.assertEqual(round(summary["peak_mib"] * 2**20), max(map(sum, states.values())))

    def test_ledger(self):
        for name in FILES:
            ledger = self.shelf.show(path_of(name))["ledger"]
            self.assertEqual([ledger["read"], ledger["rejected"]], [ledger["stored"], 0])


if __name__ == "__main__":
    unittest.main()
