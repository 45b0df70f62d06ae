# SPDX-License-Identifier: MIT
"""The operator of each kernel of a replayed graph is the one around the call that recorded it, and the sums are those of TraceLens after its merge."""
import ast
import collections
import gzip
import json
import os
import re
import subprocess
import unittest

from corpus import CORPUS, PROGRAM, Shelf, has

FOLDER = "wild2/graph-replay"
# capture and replay; of the last pair both are in one file
PAIRS = {
    "sglang": (f"{FOLDER}/sglang_decode_capture_bs32.json.gz", f"{FOLDER}/sglang_decode.json.gz"),
    "vllm": (f"{FOLDER}/vllm_decode_full_capture.json.gz", f"{FOLDER}/vllm_decode_full.json.gz"),
    "flux": ("wild/torch-trace/tracelens-xdit-flux-capture-54mb.json.gz",) * 2,
}
SHARE = {"sglang": (0.01, 0.998), "vllm": (0.03, 1.0), "flux": (0.99, 1.0)}  # of the time of kernels that has an operator: replay alone, with its capture
DEVICE = ("kernel", "gpu_memcpy", "gpu_memset")
RUNTIME = ("cuda_runtime", "cuda_driver")


def events_of(name):
    with gzip.open(os.path.join(CORPUS, name)) as file:
        return [event for event in json.load(file)["traceEvents"] if event["ph"] == "X"]


def correlation(event):
    return event["args"].get("correlation")


def innermost_operator(operators, call):
    around = [op for op in operators if op["tid"] == call["tid"] and op["ts"] <= call["ts"] and call["ts"] + call["dur"] <= op["ts"] + op["dur"]]
    return max(around, key=lambda op: op["ts"])["name"] if around else None


def expected_operators(capture, replay):
    """The name of the operator of each replayed slice, by start: k-th slice and k-th recorded call, whose kernels have the same names in these files."""
    recorded, run = events_of(capture), events_of(replay)
    with_work = {correlation(event) for event in recorded if event.get("cat") in DEVICE}
    calls = sorted((event for event in recorded if event.get("cat") in RUNTIME), key=lambda event: event["ts"])
    begin = next(event for event in calls if "BeginCapture" in event["name"])
    end = next(event for event in calls if "EndCapture" in event["name"])
    calls = [event for event in calls if begin["ts"] <= event["ts"] <= end["ts"] and "Launch" in event["name"] and correlation(event) not in with_work]
    launch = next(event for event in run if event.get("cat") in RUNTIME and "GraphLaunch" in event["name"])
    slices = sorted((event for event in run if event.get("cat") in DEVICE and correlation(event) == correlation(launch)), key=lambda event: event["ts"])
    operators = [event for event in recorded if event.get("cat") == "cpu_op"]
    for call, piece in zip(calls, slices):
        assert call["args"]["kernel"] == piece["name"]
    return [(piece["name"], innermost_operator(operators, call)) for call, piece in zip(calls, slices)]


class GraphReplayTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pairs = {name: pair for name, pair in PAIRS.items() if all(map(has, pair))}
        if not cls.pairs:
            raise unittest.SkipTest("the corpus is not here")
        cls.shelf, cls.runs, cls.alone = Shelf(), {}, {}
        for name, (capture, replay) in cls.pairs.items():
            cls.alone[name] = cls.add(os.path.join(CORPUS, replay))
            cls.runs[name] = cls.alone[name] if capture == replay else cls.add("--merge", os.path.join(CORPUS, replay), os.path.join(CORPUS, capture))

    @classmethod
    def add(cls, *arguments):
        done = subprocess.run([PROGRAM, "add", "--json", "--data", cls.shelf.folder, *arguments], capture_output=True, timeout=600, check=True)
        return json.loads(done.stdout)["id"]

    def rows(self, run, sql):
        done = subprocess.run([PROGRAM, "sql", "--json", "--data", self.shelf.folder, run, sql], capture_output=True, timeout=600, check=True)
        return json.loads(done.stdout)

    def share(self, run):
        (known, of), = ((row["known"], row["ns"]) for row in self.rows(run, "SELECT sum(CASE WHEN operator_id > 0 THEN duration_ns ELSE 0 END) AS known, sum(duration_ns) AS ns FROM slices WHERE kind = 6"))
        return known / of

    def test_operators_are_those_of_the_capture(self):
        for name, run in self.runs.items():
            with self.subTest(name):
                found = self.rows(run, "SELECT s.name AS kernel, o.name AS operator FROM slices s LEFT JOIN slices o ON o.id = s.operator_id WHERE s.flags & 256 ORDER BY s.start_ns")
                self.assertEqual([(row["kernel"], row["operator"]) for row in found], expected_operators(*self.pairs[name]))

    def test_share_of_kernel_time_with_an_operator(self):
        for name, run in self.runs.items():
            with self.subTest(name):
                if run != self.alone[name]:
                    self.assertLess(self.share(self.alone[name]), SHARE[name][0])
                self.assertGreaterEqual(self.share(run), SHARE[name][1])

    def test_sums_are_those_of_tracelens(self):
        for name in ("sglang", "vllm"):
            if name not in self.runs:
                continue
            with gzip.open(os.path.join(CORPUS, self.pairs[name][1]) + ".oracle.json.gz") as file:
                table = json.load(file)["csv"]["ops_unique_args"]
            theirs, ours = collections.Counter(), collections.Counter()
            for row in (dict(zip(table["columns"], row)) for row in table["rows"]):
                if "::" in row["name"]:  # not the work whose launch is in no operator
                    theirs[row["name"], json.dumps(ast.literal_eval(row["Input Dims"] or "()")).replace(" ", "")] += float(row["total_direct_kernel_time_sum"])
            for row in self.rows(self.runs[name], "SELECT o.name AS name, json_extract(o.args, '$.\"Input Dims\"') AS dims, sum(s.duration_ns) AS ns FROM slices s JOIN slices o ON o.id = s.operator_id WHERE s.kind BETWEEN 6 AND 8 AND s.start_ns >= 0 GROUP BY 1, 2"):
                ours[re.sub(r"_\d+$", "", row["name"]), (row["dims"] or "[]").replace(" ", "")] += row["ns"] / 1e3
            with self.subTest(name):  # TraceLens counts sglang_profiler::attention_100 and ..._101 as one, and not the work of the trace of the capture itself, which is before 0
                self.assertEqual(sorted(theirs), sorted(key for key in ours if "::" in key[0]))
                for key, us in theirs.items():
                    self.assertAlmostEqual(ours[key], us, delta=0.1, msg=key)

    def test_costs_are_those_of_tracelens(self):
        """FLOPs and bytes of one call; those of paged attention are of the tokens of the step that replays it."""
        for name in ("sglang", "vllm"):
            if name not in self.runs:
                continue
            with gzip.open(os.path.join(CORPUS, self.pairs[name][1]) + ".oracle.json.gz") as file:
                table = json.load(file)["csv"]["unified_perf_summary"]
            ours, compared = {}, 0
            for row in self.shelf.ask("GET", f"/runs/{self.runs[name]}/roofline")["rows"]:
                ours[re.sub(r"_\d+$", "", row["name"]), (row["shapes"] or "[]").replace(" ", ""), (row["types"] or "[]").replace(" ", "")] = row
            for row in (dict(zip(table["columns"], row)) for row in table["rows"]):
                dims, types = (json.dumps(ast.literal_eval(row[key] or "()")).replace(" ", "") for key in ("Input Dims", "Input type"))
                found = ours.get((row["name"], dims, types))
                if row["GFLOPS"] in ("", None, "nan") or row["Data Moved (MB)"] in ("", None, "nan") or not found or not found["has_model"]:
                    continue
                with self.subTest(name, operator=row["name"], dims=row["Input Dims"]):
                    self.assertAlmostEqual(found["flops"], float(row["GFLOPS"]) * 1e9, delta=1)
                    self.assertAlmostEqual(found["bytes"], float(row["Data Moved (MB)"]) * 2**20, delta=1)
                    compared += 1
            self.assertGreaterEqual(compared, {"sglang": 12, "vllm": 6}[name])


if __name__ == "__main__":
    unittest.main()
