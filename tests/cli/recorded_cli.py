# SPDX-License-Identifier: MIT
"""Recordings of a real GPU: what is told of them equals what torch said when they were made (tests/recorded/record_cuda.py)."""
import collections
import gzip
import json
import os
import unittest

from program import ROOT, ShelfTest

FOLDER = os.path.join(ROOT, "tests", "recorded", "torch-cuda")
NAMES = sorted(name.removesuffix(".oracle.json.gz") for name in os.listdir(FOLDER) if name.endswith(".oracle.json.gz"))
FIGURES = {"calls": "count", "cpu_total_us": "cpu_time_total_us", "self_cpu_us": "self_cpu_time_total_us",
           "device_total_us": "device_time_total_us", "self_device_us": "self_device_time_total_us",
           "cpu_bytes": "cpu_memory_usage", "self_cpu_bytes": "self_cpu_memory_usage", "device_bytes": "device_memory_usage",
           "self_device_bytes": "self_device_memory_usage", "flops": "flops"}
NEAR = 1e-6             # µs: torch sums doubles
WIDER = 0.002           # µs: what the file adds to each annotation on a stream
ON_STREAM = 10          # the kind of these
ON_DEVICE = (6, 7, 8, 10)
RUNTIME = ("cuda_runtime", "cuda_driver")


def load(name):
    with gzip.open(os.path.join(FOLDER, name)) as file:
        return json.load(file)


def key_of(name, shapes, device):
    return name, None if device or shapes in (None, "", []) else json.dumps(shapes), device


def theirs(rows):
    sums = collections.defaultdict(collections.Counter)
    for row in rows:
        key = key_of(row["key"].replace("\\", "/"), row["input_shapes"], row["device_type"] == "DeviceType.CUDA")
        sums[key].update({ours: row[column] for ours, column in FIGURES.items()})
    return sums


def calls_elsewhere(events):
    """µs of CUDA calls outside of operators, on other threads than the main one: torch has them on that."""
    return sum(event["dur"] for event in events if event.get("cat") in RUNTIME and "External id" not in event["args"]
               and event["tid"] != event["pid"])


class TorchCuda(ShelfTest):
    def setUp(self):
        super().setUp()
        files = [os.path.join(FOLDER, name) for name in sorted(os.listdir(FOLDER))]
        lines = self.ok("add", "--json", *(file for file in files if ".oracle." not in file)).splitlines()
        self.runs = {run["name"].split(".")[0] + "/" + run["kind"]: run for run in map(json.loads, lines)}

    def ours(self, name, view):
        sums = collections.defaultdict(collections.Counter)
        for row in self.json("sql", self.runs[f"{name}/torch-trace"]["id"], f"SELECT * FROM {view}"):
            shapes = row["input_shapes"] and json.loads(row["input_shapes"])
            key = key_of(row["name"], shapes, row["kind"] in ON_DEVICE)
            sums[key].update({column: row[column] for column in FIGURES})
            sums[key]["wider"] += WIDER * row["calls"] if row["kind"] == ON_STREAM else 0
        return sums

    def test_nothing_was_mended(self):
        for run in self.runs.values():
            self.assertEqual((run["repaired"], run["rejected"]), (0, 0), run["name"])
        self.assertEqual(len([key for key in self.runs if key.endswith("/torch-trace")]), len(NAMES) + 1)

    def differences(self, name, view, table):
        """What differs from torch's table beyond rounding, by column: (row, ours, theirs)."""
        oracle, found = load(f"{name}.oracle.json.gz"), collections.defaultdict(list)
        ours, known = self.ours(name, view), theirs(oracle[table])
        self.assertEqual(sorted(ours, key=str), sorted(known, key=str))
        for key, row in known.items():
            for column in FIGURES:
                if column == "flops" and not oracle["options"].get("with_flops"):
                    continue
                wider = ours[key]["wider"] if column in ("self_device_us", "device_total_us") else 0
                if abs(ours[key][column] - wider - row[column]) > NEAR:
                    found[column].append((key, ours[key][column], row[column]))
        return found

    def compare(self, name, view, table):
        found = self.differences(name, view, table)
        overhead = found.pop("self_device_us", [])  # rows of the profiler itself: torch counts the operator around them twice
        self.assertTrue(all(key[0] == "Activity Buffer Request" and ours == 0 for key, ours, _ in overhead))
        twice = sum(time for _, _, time in overhead)
        for key, ours, time in found.pop("device_total_us", []):
            self.assertAlmostEqual(time - ours, twice, msg=key)
        moved = found.pop("self_cpu_us", [])
        if moved:
            elsewhere = calls_elsewhere(load(f"{name}.trace.json.gz")["traceEvents"])
            self.assertAlmostEqual(sum(ours - time for _, ours, time in moved), elsewhere, places=3)
        self.assertEqual(found, {})

    def test_operators_are_key_averages(self):
        for name in NAMES:
            with self.subTest(name):
                self.compare(name, "operators", "key_averages")

    def test_operators_by_shape(self):
        compared = 0
        for name in NAMES:
            if "key_averages_by_input_shape" in load(f"{name}.oracle.json.gz"):
                with self.subTest(name):
                    self.compare(name, "operators_by_shape", "key_averages_by_input_shape")
                    compared += 1
        self.assertGreater(compared, 5)

    def test_only_what_is_known_differs(self):
        different = {(name, column) for name in NAMES for column in self.differences(name, "operators", "key_averages")}
        self.assertEqual(different, {("convnet_noschedule", "self_device_us"), ("convnet_noschedule", "device_total_us"),
                                     ("dataloader", "self_cpu_us"), ("ddp", "self_cpu_us")})

    def test_kernels_are_the_rows_of_the_device(self):
        for name in NAMES:
            with self.subTest(name):
                rows = self.json("sql", self.runs[f"{name}/torch-trace"]["id"],
                                 "SELECT name, sum(calls) AS calls, sum(total_us) AS us FROM kernels GROUP BY name")
                known = [row for row in load(f"{name}.oracle.json.gz")["key_averages"]
                         if row["device_type"] == "DeviceType.CUDA" and not row["is_user_annotation"]]
                self.assertEqual({row["name"]: (row["calls"], round(row["us"] * 1000)) for row in rows},
                                 {row["key"]: (row["count"], round(row["self_device_time_total_us"] * 1000)) for row in known})

    def test_tensor_cores_multiply_in_less_than_float32(self):
        rows = self.json("sql", self.runs["convnet_all/torch-trace"]["id"], "SELECT DISTINCT name FROM kernels WHERE tensor_core > 0")
        self.assertEqual(len(rows), 2)
        for row in rows:
            self.assertIn("tf32", row["name"])
        rows = self.json("sql", self.runs["gpt_cudagraph_compiled/torch-trace"]["id"], "SELECT sum(tensor_core) AS n FROM kernels")
        self.assertEqual(rows, [{"n": 0}])

    def test_the_older_profiler_equals_its_table(self):
        traced = self.json("sql", self.runs["autograd/torch-trace"]["id"],
                           "SELECT name, calls, self_cpu_us, cpu_total_us FROM operators WHERE kind IN (1, 2, 4)")
        printed = self.json("sql", self.runs["autograd/key-averages"]["id"],
                            "SELECT name, name_cut, calls, self_cpu_us, cpu_total_us FROM printed_operators")
        traced = {row["name"]: row for row in traced}
        self.assertEqual(len(printed), len(traced))
        whole = [row for row in printed if not row["name_cut"]]
        self.assertGreater(len(whole), 70)
        for row in whole:
            self.assertEqual(row["calls"], traced[row["name"]]["calls"])
            for column in ("self_cpu_us", "cpu_total_us"):
                self.assertAlmostEqual(row[column], traced[row["name"]][column], delta=0.6, msg=row["name"])


if __name__ == "__main__":
    unittest.main()
