# SPDX-License-Identifier: MIT
"""The views of every trace of the corpus fit together: a window leaves no slice out, flame graphs sum to the tables beside them, the
whole as a range is the whole, search steps to each hit once."""
import functools
import json
import os
import random
import re
import unittest

from corpus import Shelf, paths, served

FOLDERS = ("made/torch-trace", "wild/torch-trace", "made/chrome-edge", "wild/chrome-trace")
LARGEST = 12_000_000  # bytes of a file: the larger ones tell no more and take long


@functools.cache
def shelf():
    filled = Shelf()
    filled.add([path for path in paths(*FOLDERS) if re.search(r"\.json(\.gz)?$", path) and os.path.getsize(path) < LARGEST])
    return filled


@functools.cache
def link():
    return served(shelf())


def get(path):
    link().request("GET", f"/api/v1/runs{path}")
    reply = link().getresponse()
    body = reply.read()
    if reply.status != 200:
        raise AssertionError(f"{path}: {reply.status} {body[:300]}")
    return json.loads(body)


class Views(unittest.TestCase):
    def each(self):
        """Every trace with its timeline, and how to ask it."""
        for run in get("?limit=1000")["rows"]:
            if run["kind"] not in ("torch-trace", "trace"):  # torch's memory timelines lie among them
                continue
            with self.subTest(run["name"]):
                view = functools.partial(lambda run, path: get(f"/{run}/{path}"), run["id"])
                yield view, view("timeline?px=100")

    def ranges(self, timeline):
        rng = random.Random(1)
        begin, end = sorted(rng.randint(timeline["start_ns"], timeline["end_ns"]) for _ in range(2))
        return "", f"from_ns={begin}&to_ns={end}&"

    def test_there_are_many(self):
        self.assertGreater(get("?limit=1000")["total"], 50)

    def test_a_window_leaves_nothing_out(self):
        for view, timeline in self.each():
            for px in (1, 100, 1600):
                window = view(f"window?px={px}")
                for track, known in zip(window["tracks"], timeline["tracks"]):
                    density = track["density"]
                    self.assertEqual(track["id"], known["id"])
                    self.assertEqual(sum(density["count"]), track["counted"])
                    self.assertEqual(len(track["slices"]["row"]) + track["counted"], known["slices"])
                    self.assertTrue(all(0 < fill < 256 for fill in density["fill"]))
                    self.assertTrue(all(at + n <= px for at, n in zip(density["px"], density["len"])))

    def test_flame_graphs_sum_to_tables(self):
        for view, timeline in self.each():
            for part in self.ranges(timeline):
                sums = {name: view(f"{name}&{part}limit=1")["sums"] for name in
                        ("operators?on=host", "operators?on=device", "kernels?launch=0", "kernels?launch=1")}
                device = view(f"flame?{part}on=device")["sum"] / 1000
                for name, key in (("kernels?launch=0", "total_us"), ("kernels?launch=1", "total_us"), ("operators?on=device", "self_device_us")):
                    self.assertAlmostEqual(sums[name][key] or 0, device, places=2, msg=name)
                self.assertAlmostEqual(sums["operators?on=host"]["self_cpu_us"] or 0, view(f"flame?{part}on=cpu")["sum"] / 1000, places=2)

    def test_flame_graphs_are_trees(self):
        for view, timeline in self.each():
            for on in ("cpu", "wall", "device"):
                flame = view(f"flame?on={on}")
                below = list(flame["self"])
                for i in reversed(range(flame["n"])):
                    self.assertLess(flame["parent"][i], i)
                    if flame["parent"][i] >= 0:
                        below[flame["parent"][i]] += below[i]
                if not flame["cut"]:
                    self.assertEqual(below, flame["total"])
                    self.assertEqual(sum(flame["self"]), flame["sum"])

    def test_the_whole_as_a_range_is_the_whole(self):
        for view, timeline in self.each():
            for name in ("operators?limit=1000", "operators?by_shape=1&limit=1000", "kernels?limit=1000"):
                def rows(part):
                    table = view(f"{name}{part}")
                    at = table["columns"].index("id")
                    return sorted(repr(row[:at] + row[at + 1:]) for row in table["rows"])

                self.assertEqual(rows(f"&from_ns={timeline['start_ns']}&to_ns={timeline['end_ns']}"), rows(""), name)

    def test_slices_know_their_kin(self):
        rng = random.Random(2)
        for view, timeline in self.each():
            for track in timeline["tracks"]:
                for row in rng.sample(range(track["slices"]), min(2, track["slices"])):
                    slice_id = track["id"] * 2**32 + row
                    told = view(f"slices/{slice_id}")
                    self.assertEqual(told["slice"]["id"], slice_id)
                    if told["next"]:
                        self.assertEqual(view(f"slices/{told['next']}")["previous"], slice_id)
                    for child in told["children"][:1]:
                        self.assertEqual(view(f"slices/{child['id']}")["parents"][-1]["id"], slice_id)

    def test_search_steps_to_each_hit_once(self):
        for view, _ in self.each():
            found = view("find?q=a")
            hit, seen = found["hit"], []
            while hit and len(seen) < 30:
                seen.append(hit["id"])
                hit = view(f"find?q=a&from_ns={hit['start_ns']}&from_id={hit['id']}")["hit"]
            self.assertEqual(len(set(seen)), min(found["count"], 30))
            for name in found["names"][:1]:
                told = view(f"named?name={name['id']}")
                self.assertEqual((told["count"], told["total_ns"]), (name["count"], name["total_ns"]))
                self.assertEqual(sum(told["histogram"]["count"]), told["count"])

    def test_everything_answers(self):
        for view, timeline in self.each():
            memory = ",".join(f"{m['device_type']}:{m['device']}" for m in timeline["memory"])
            counters = ",".join(str(c["id"]) for c in timeline["counters"][:200])
            for part in self.ranges(timeline):
                for name in ("steps", "gaps", "modules", "allocations", "memory_operators", "overview", "utilisation", "findings", "workers"):
                    view(f"{name}?{part}limit=10")
                curves = view(f"curves?{part}px=50&counters={counters}&memory={memory}")
                self.assertTrue(all(len(c["t_ns"]) <= 151 for c in curves["counters"] + curves["memory"]))
