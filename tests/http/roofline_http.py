# SPDX-License-Identifier: MIT
"""The roofline of a made trace, whose work follows from its shapes: what is counted, once, and for which peaks."""
import json

from server import RUNS, ServerTest

MATRIX = {"Input Dims": [[64, 32], [32, 16]], "Input type": ["c10::BFloat16", "c10::BFloat16"], "Concrete Inputs": ["", ""]}


def made(device="NVIDIA H100 80GB HBM3", shapes=True, devices=1):
    """aten::linear around aten::mm, which launches two kernels that overlap on two streams; aten::view launches one; one has no launch."""
    def host(name, category, ts, dur, tid=1, **args):
        return {"ph": "X", "cat": category, "name": name, "pid": 1, "tid": tid, "ts": ts, "dur": dur, "args": args}

    def kernel(ts, dur, stream, correlation):
        return {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": stream, "ts": ts, "dur": dur,
                "args": {"device": 0, "stream": stream, "correlation": correlation, "External id": 0}}

    arguments = MATRIX if shapes else {}
    events = [host("aten::linear", "cpu_op", 0, 50, **{"External id": 1}), host("aten::mm", "cpu_op", 5, 40, **{"External id": 2, **arguments}),
              host("aten::view", "cpu_op", 60, 20, **{"External id": 3}),
              *(host("cudaLaunchKernel", "cuda_runtime", ts, 3, correlation=call) for ts, call in ((10, 1), (20, 2), (65, 3))),
              kernel(100, 20, 7, 1), kernel(110, 20, 8, 2), kernel(200, 5, 7, 3), kernel(300, 4, 7, 99)]
    for other in range(1, devices):  # the same product at the same time, one kernel of the same length
        events += [host("aten::mm", "cpu_op", 5, 40, tid=1 + other, **arguments), host("cudaLaunchKernel", "cuda_runtime", 10, 3, tid=1 + other, correlation=100 + other),
                   {**kernel(100, 30, 7, 100 + other), "pid": other, "args": {"device": other, "stream": 7, "correlation": 100 + other}}]
    return json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": n, "name": device} for n in range(devices)], "traceEvents": events}).encode()


class RooflineTest(ServerTest):
    def answer(self, query="", **options):
        run = self.add(made(**options), name="made.json")
        return self.get_json(f"{RUNS}/{run['id']}/roofline{query}")

    def test_work_is_that_of_the_shapes(self):
        answer = self.answer()
        rows = {row["name"]: row for row in answer["rows"]}
        self.assertEqual(set(rows), {"aten::mm", "aten::view"})
        row = rows["aten::mm"]
        self.assertEqual((row["flops"], row["bytes"], row["calls"]), (2 * 64 * 32 * 16, 2 * (64 * 32 + 32 * 16 + 64 * 16), 1))
        self.assertEqual(row["device_ns"], 30_000)  # 100 to 130 us: the kernels overlap
        self.assertAlmostEqual(row["tflops"], row["flops"] / 30e-6 / 1e12)
        self.assertAlmostEqual(row["gbps"], row["bytes"] / 30e-6 / 1e9)
        limit = max(row["flops"] / 989.4e12, row["bytes"] / 3350e9)
        self.assertAlmostEqual(row["limit_ns"], limit * 1e9)
        self.assertEqual((row["bound"], row["units"], row["type"]), ("memory", "matrix", "bf16"))
        self.assertAlmostEqual(row["percent"], 100 * limit / 30e-6)
        self.assertFalse(rows["aten::view"]["has_model"])
        self.assertEqual((answer["device_ns"], answer["modelled_ns"], answer["unattributed_ns"]), (49_000, 30_000, 4_000))
        self.assertEqual(answer["span_ns"], 204_000)
        self.assertAlmostEqual(answer["mbu"], row["bytes"] / 3350e9 / 204e-6)

    def test_rows_have_their_kernels(self):
        """Two kernels of one name: two works of one call, so the operator is not the kernel's alone."""
        rows = {row["name"]: row for row in self.answer()["rows"]}
        kernels = {name: [(kernel["name"], kernel["count"], kernel["device_ns"]) for kernel in row["kernels"]] for name, row in rows.items()}
        self.assertEqual(kernels, {"aten::mm": [("gemm", 2, 40_000)], "aten::view": [("gemm", 1, 5_000)]})
        self.assertEqual({row["kernels_omitted"] for row in rows.values()}, {0})

    def test_many_kernels_of_a_row_are_counted(self):
        events = [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 0, "dur": 500, "args": MATRIX}]
        for i in range(30):
            events += [{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 10 + 10 * i, "dur": 3, "args": {"correlation": i + 1}},
                       {"ph": "X", "cat": "kernel", "name": f"k{i}", "pid": 0, "tid": 7, "ts": 1000 + 100 * i, "dur": 30 + i,
                        "args": {"device": 0, "stream": 7, "correlation": i + 1}}]
        run = self.add(json.dumps({"schemaVersion": 1, "traceEvents": events}).encode(), name="many.json")
        row, = self.get_json(f"{RUNS}/{run['id']}/roofline")["rows"]
        self.assertEqual(([kernel["name"] for kernel in row["kernels"]], row["kernels_omitted"]), ([f"k{i}" for i in range(29, 9, -1)], 10))

    def test_devices_share_the_utilisation(self):
        one, four = self.answer(), self.answer(devices=4)
        self.assertEqual((one["devices"], four["devices"]), (1, 4))
        self.assertEqual(four["flops"], 4 * one["flops"])
        self.assertAlmostEqual(four["mfu"], one["mfu"])
        self.assertAlmostEqual(four["mbu"], one["mbu"])

    def test_an_unknown_device_has_rates_only(self):
        answer = self.answer(device="Some GPU")
        row = answer["rows"][0]
        self.assertIsNone(answer["peaks"])
        self.assertEqual((row["percent"], row["bound"], row["limit_ns"], answer["limit_ns"], answer["mfu"]), (None,) * 5)
        self.assertGreater(row["tflops"], 0)

    def test_peaks_are_given(self):
        answer = self.answer("?peak=matrix_bf16:1,bandwidth:1000", device="Some GPU")
        self.assertEqual((answer["peaks"]["matrix"], answer["peaks"]["bandwidth"], answer["peaks"]["source"]), ({"bf16": 1.0}, 1000.0, "given"))
        self.assertEqual(answer["rows"][0]["bound"], "compute")
        self.assertAlmostEqual(answer["rows"][0]["limit_ns"], 2 * 64 * 32 * 16 / 1e3)

    def test_a_range_has_its_work_only(self):
        answer = self.answer("?from_ns=150000&to_ns=250000")
        self.assertEqual([row["name"] for row in answer["rows"]], ["aten::view"])

    def test_without_shapes_nothing_has_a_model(self):
        answer = self.answer(shapes=False)
        self.assertEqual((answer["modelled_ns"], answer["limit_ns"]), (0, None))
        self.assertEqual({row["name"] for row in answer["rows"]}, {"aten::mm", "aten::view"})

    def test_what_is_refused(self):
        run = self.add(made(), name="made.json")
        for peak in ("x", "bandwidth", "bandwidth:", "bandwidth:0", "bandwidth:-1", "bandwidth:nan", "bandwidth:1e12", "matrix_fp1:3", "matrix:3", "bandwidth:1x"):
            self.assertEqual(self.get(f"{RUNS}/{run['id']}/roofline?peak={peak}").status, 400, peak)
