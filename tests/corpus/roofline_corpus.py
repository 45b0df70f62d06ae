# SPDX-License-Identifier: MIT
"""FLOPs, bytes and device time of each operator equal those of TraceLens, except where its formula is wrong; each exception is named here."""
import ast
import gzip
import json
import os
import unittest

from corpus import CORPUS, Shelf, has

FOLDER = "wild2/graph-replay"
SAMPLES = ("sglang_prefill", "h100_bert_small", "normalization", "torch_compile_triton")
# What differs, by name of the operator, and why. "bytes": only the bytes; "time": also the device time; "all": rows that one of them lacks.
NO_WEIGHTS = "TraceLens counts the weights of norms that have none"
EXCEPTIONS = {
    "aten::_fused_rms_norm": ("cost", NO_WEIGHTS), "aten::_fused_rms_norm_backward": ("bytes", NO_WEIGHTS), "aten::batch_norm": ("time", NO_WEIGHTS + ", and leaves out sets"),
    "aten::group_norm": ("bytes", NO_WEIGHTS), "aten::instance_norm": ("bytes", NO_WEIGHTS), "aten::layer_norm": ("bytes", NO_WEIGHTS),
    "aten::native_batch_norm_backward": ("bytes", NO_WEIGHTS),
    "aten::mean": ("time", "TraceLens leaves out the set of memory that the operator launches"),
    "aten::miopen_batch_norm_backward": ("time", "without a record of training, TraceLens takes evaluation; here it has no model"),
    "aten::native_group_norm_backward": ("bytes", "TraceLens takes the number of groups for the number of channels"),
    "aten::sum": ("bytes", "TraceLens counts one result, the recorded dims leave 16"),
    "aten::mse_loss": ("all", "TraceLens names the kernel beside the operator that has a model below it"),
}


def path_of(name):
    return os.path.join(CORPUS, FOLDER, f"{name}.json.gz")


def is_exception(name, kind):
    found = EXCEPTIONS.get(name, ("", ""))[0]
    return found in {"bytes": ("bytes", "cost", "time"), "flops": ("cost", "time"), "time": ("time",)}[kind]


def skipped(name):
    """Rows of TraceLens that name a launch or kernel, and kernels of Inductor, whose cost it takes from their inputs."""
    return "(Synthetic Op)" in name or EXCEPTIONS.get(name, ("",))[0] == "all" or name.startswith(("triton_", "sglang_profiler::"))


def texts(value):
    return json.dumps(ast.literal_eval(value or "()")).replace(" ", "")


class RooflineTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.samples = [name for name in SAMPLES if has(f"{FOLDER}/{name}.json.gz")]
        if not cls.samples:
            raise unittest.SkipTest("the corpus is not here")
        cls.shelf = Shelf()
        cls.shelf.add([path_of(name) for name in cls.samples])

    def answer(self, name, query=""):
        return self.shelf.ask("GET", f"/runs/{self.shelf.of(path_of(name))['id']}/roofline{query}")

    def test_costs_are_those_of_tracelens(self):
        compared = 0
        for name in self.samples:
            with gzip.open(path_of(name) + ".oracle.json.gz") as file:
                table = json.load(file)["csv"]["unified_perf_summary"]
            theirs, ours = {}, {}
            for row in (dict(zip(table["columns"], row)) for row in table["rows"]):
                sums = theirs.setdefault((row["name"], texts(row["Input Dims"]), texts(row["Input type"])), [0, 0.0, None, None])
                sums[0] += int(row["operation_count"])
                sums[1] += float(row["Kernel Time (µs)_sum"] or 0)
                if row["GFLOPS"] not in ("", None, "nan"):
                    sums[2:] = [float(row["GFLOPS"]) * 1e9, float(row["Data Moved (MB)"]) * 2**20]
            for row in self.answer(name)["rows"]:
                sums = ours.setdefault((row["name"], (row["shapes"] or "[]").replace(" ", ""), (row["types"] or "[]").replace(" ", "").replace("longint", "long int")), [0, 0.0, None, None])
                sums[0] += row["calls"]
                sums[1] += row["device_ns"] / 1e3
                if row["has_model"]:
                    sums[2:] = [row["flops"], row["bytes"]]
            for key, (calls, us, flops, moved) in theirs.items():
                if skipped(key[0]):
                    continue
                with self.subTest(name, operator=key[0], shapes=key[1]):
                    found = ours.get((key[0], key[1], key[2].replace(" ", "").replace("longint", "long int")))
                    self.assertIsNotNone(found)
                    self.assertEqual(found[0], calls)
                    if not is_exception(key[0], "time"):
                        self.assertAlmostEqual(found[1], us, delta=0.002 * calls)
                    if found[2] is None and key[0] == "aten::copy_":
                        continue  # TraceLens sets copies between host and device against the memory of the device
                    if flops is not None and not is_exception(key[0], "flops"):
                        self.assertAlmostEqual(found[2], flops, delta=1e-9 * flops + 0.5)
                    if moved is not None and not is_exception(key[0], "bytes"):
                        self.assertAlmostEqual(found[3], moved, delta=1e-6 * moved + 0.5)
                    compared += 1
        self.assertGreater(compared, 60)

    def test_time_is_counted_once(self):
        for name in self.samples:
            answer = self.answer(name)
            self.assertLessEqual(sum(row["device_ns"] for row in answer["rows"]) + answer["unattributed_ns"], answer["device_ns"], name)

    def test_given_peaks_are_used(self):
        known, given = self.answer("h100_bert_small"), self.answer("h100_bert_small", "?peak=matrix_bf16:98.94,bandwidth:335")
        self.assertEqual(known["peaks"]["name"], "H100 SXM")
        rows = {row["name"] + row["shapes"]: row for row in known["rows"] if row.get("percent") is not None and row["units"] == "matrix"}
        self.assertTrue(rows)
        for row in given["rows"]:
            before = rows.get(row["name"] + row["shapes"])
            if before:
                self.assertAlmostEqual(row["percent"], 10 * before["percent"], places=6)
