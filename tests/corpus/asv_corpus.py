# SPDX-License-Identifier: MIT
"""Results of asv: each value of each parameter set bit for bit."""
import functools
import glob
import itertools
import json
import math
import os
import unittest

from corpus import CORPUS, CorpusTest, Shelf, needs

FILES = ("made3/bench/asv/results/box/*-*.json", "made3/bench/asv-edge/*.json", "wild2/asv/*-*[0-9]*.json")


@functools.cache
def files():
    return [path for pattern in FILES for path in sorted(glob.glob(os.path.join(CORPUS, pattern))) if ".oracle." not in path]


@functools.cache
def shelf():
    made = Shelf()
    made.add(files())
    return made


def results(path):
    """Name as asv prints it, and the columns, of each parameter set in the order of the file."""
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    for name, values in document["results"].items():
        columns = dict(zip(document["result_columns"], values))
        sets = list(itertools.product(*columns["params"]))
        for i, parameters in enumerate(sets):
            row = {key: value[i] if isinstance(value, list) else None for key, value in columns.items() if key != "params"}
            yield name + (f"({', '.join(parameters)})" if parameters else ""), row


@needs("made3/bench/asv")
class Asv(CorpusTest):
    fill = staticmethod(shelf)

    def test_each_parameter_set_is_a_row_with_the_values_of_the_file(self):
        self.assertEqual(self.shelf.refused, {})
        states = {"measured": 0, "failed": 0, "skipped": 0}
        for path in files():
            rows = self.shelf.sql(path, "SELECT * FROM measurements ORDER BY id")
            for have, (name, want) in zip(rows, results(path), strict=True):
                value, more = want["result"], json.loads(have["more"])
                state = "failed" if value is None else "measured" if math.isfinite(value) else "skipped"
                with self.subTest(os.path.basename(path), row=name):
                    states[state] += 1
                    self.assertEqual((have["name"], have["state"]), (name, state))
                    self.assertEqual(have["value"], value if state == "measured" else None)
                    self.assertEqual((have["q1"], have["q3"]), (want.get("stats_q_25"), want.get("stats_q_75")))
                    self.assertEqual((have["n"], have["loops"]), (want.get("stats_repeat"), want.get("stats_number")))
                    self.assertEqual(more.get("ci_99_a"), want.get("stats_ci_99_a"))
        self.assertGreater(states["measured"], 100)
        self.assertTrue(states["failed"] and states["skipped"], states)


if __name__ == "__main__":
    unittest.main()
