# SPDX-License-Identifier: MIT
"""The callers and callees of a name in the flame graphs of a trace are those that a walk over the whole graph finds."""
import collections
import json
import os
import unittest
from urllib.parse import quote

from server import ROOT, RUNS, ServerTest

GRAPHS = ("cpu", "wall", "device", "python")


def paths_of(flame):
    """[(names from the root, node)]"""
    paths = []
    for i in range(flame["n"]):
        above = paths[flame["parent"][i]][0] if flame["parent"][i] >= 0 else ()
        paths.append((above + (flame["frames"]["name"][flame["frame"][i]],), i))
    return paths


def around(flame, name):
    """Sums [total, self] by path of the outermost nodes of a name: outward, and inward."""
    callers, callees = collections.defaultdict(lambda: [0, 0]), collections.defaultdict(lambda: [0, 0])
    for path, node in paths_of(flame):
        if name not in path:
            continue
        outermost = path.index(name)
        inward = callees[path[outermost:]]
        inward[0] += flame["total"][node]
        inward[1] += flame["self"][node]
        if outermost == len(path) - 1:
            outward = path[::-1]
            for depth in range(1, len(outward) + 1):
                callers[outward[:depth]][0] += flame["total"][node]
            callers[outward][1] += flame["total"][node]
    return callers, callees


class FlameAround(ServerTest):
    def check(self, run, names_max):
        """Compares the answers for the names that have most nodes. Returns how many of them are recursive."""
        recursive = 0
        for on in GRAPHS:
            flame = self.get_json(f"{RUNS}/{run}/flame?on={on}&limit=100000")
            uses = collections.Counter(flame["frames"]["name"][i] for i in flame["frame"])
            for name, _ in uses.most_common(names_max):
                with self.subTest(on=on, name=name):
                    answer = self.get_json(f"{RUNS}/{run}/flame?on={on}&limit=100000&around={quote(name)}")
                    self.assertEqual(answer["sum"], flame["sum"])
                    for key, expected in zip(("callers", "callees"), around(flame, name)):
                        side = answer[key]
                        got = {path: [side["total"][i], side["self"][i]] for path, i in paths_of(side)}
                        self.assertEqual(got, {path: sums for path, sums in expected.items() if sums[0] > 0})
                        self.assertEqual((side["sum"], side["cut"]), (side["total"][0], 0))
                    self.assertEqual(answer["callers"]["total"][0], answer["callees"]["total"][0])
                    recursive += any(path.count(name) > 1 for path, _ in paths_of(answer["callees"]))
        return recursive

    def test_demo_traces(self):
        for name in ("gpt-h200", "training-waits"):
            with open(os.path.join(ROOT, "demo", "profiles", name + ".pt.trace.json.gz"), "rb") as file:
                self.check(self.add(file.read(), name=name)["id"], 12)

    def test_recursion_counts_once(self):
        def event(name, start, end):
            return {"ph": "X", "name": name, "cat": "cpu_op", "pid": 1, "tid": 1, "ts": start, "dur": end - start}

        events = [event("walk", 0, 90), event("walk", 1, 80), event("leaf", 2, 30), event("walk", 40, 70), event("root", 100, 200), event("walk", 110, 150)]
        run = self.add(json.dumps({"schemaVersion": 1, "traceEvents": events}).encode(), name="recursive.pt.trace.json")["id"]
        self.assertEqual(self.check(run, 10), 2)  # cpu and wall
        answer = self.get_json(f"{RUNS}/{run}/flame?around=walk")
        self.assertEqual(answer["sum"], 190_000)
        self.assertEqual((answer["callers"]["total"], answer["callers"]["self"]), ([130_000, 40_000], [90_000, 40_000]))
        absent = self.get_json(f"{RUNS}/{run}/flame?around=nothing")
        self.assertEqual((absent["sum"], absent["callers"]["n"], absent["callees"]["n"]), (190_000, 0, 0))


if __name__ == "__main__":
    unittest.main()
