# SPDX-License-Identifier: MIT
"""The flame graph of device time by Python equals what a walk over the rows of the trace gives."""
import json
import os
import unittest

from server import ROOT, RUNS, ServerTest

import python_flame

PROFILES = os.path.join(ROOT, "demo", "profiles")


class PythonFlame(ServerTest):
    def rows(self, run, sql):
        answer = self.request("POST", "/api/v1/sql", json.dumps({"run": run, "sql": sql, "limit": 100000}))
        self.assertEqual(answer.status, 200, answer.body)
        columns = [column["name"] for column in answer.json["columns"]]
        return [dict(zip(columns, row)) for row in answer.json["rows"]]

    def trace(self, content, name):
        run = self.add(content, name=name)["id"]
        return run, python_flame.Trace(lambda sql: self.rows(run, sql)), lambda text: self.get_json(f"{RUNS}/{run}/flame?{text}")

    def demo(self, name):
        with open(os.path.join(PROFILES, name + ".pt.trace.json.gz"), "rb") as file:
            return self.trace(file.read(), name)

    def test_demo_traces(self):
        for name in ("gpt-h200", "training"):
            with self.subTest(name):
                run, trace, ask = self.demo(name)
                _, sums = python_flame.check(self, trace, ask)
                kernels = self.get_json(f"{RUNS}/{run}/kernels?limit=1000")
                self.assertAlmostEqual(kernels["sums"]["total_us"] * 1000, sums["sum"], delta=1)
                self.assertGreater(sums["backward"], 0.3 * sums["sum"])
                self.assertGreater(sums["modules"], 0.5 * sums["sum"])

    def test_modules_of_a_class(self):
        run, _, ask = self.demo("gpt-h200")
        classes = {row["name"]: row["modules"] for row in ask("on=python")["classes"]}
        for row in self.get_json(f"{RUNS}/{run}/modules?format=rows"):
            self.assertIn(row["name"].rpartition("_")[0], classes)
        self.assertEqual(classes["Block"], 3)
        merged, single = ask("on=python"), ask("on=python&expand=Block")
        total = {name: total for name, total in zip((merged["frames"]["name"][i] for i in merged["frame"]), merged["total"])}["Block"]
        blocks = [t for i, t in zip(single["frame"], single["total"]) if single["frames"]["name"][i].startswith("Block_")]
        self.assertEqual((len(blocks), sum(blocks)), (3, total))

    @staticmethod
    def event(name, cat, start, end, tid=1, **args):
        return {"ph": "X", "name": name, "cat": cat, "pid": 0 if cat == "kernel" else 1, "tid": tid, "ts": start, "dur": end - start, "args": args}

    def made(self, events):
        return self.trace(json.dumps({"schemaVersion": 1, "traceEvents": events}).encode(), "made.pt.trace.json")

    def test_sequence_numbers(self):
        """Without arrows; the number 8 is of two threads, so it says nothing."""
        event = self.event
        events = [
            event("nn.Module: Linear_0", "python_function", 0, 50, **{"Python id": 1, "Python module id": 0}),
            event("aten::linear", "cpu_op", 1, 40, **{"Sequence number": 7, "Fwd thread id": 0}),
            event("aten::addmm", "cpu_op", 2, 39, **{"Sequence number": 7, "Fwd thread id": 0}),
            event("cudaLaunchKernel", "cuda_runtime", 3, 4, correlation=1),
            event("aten::relu", "cpu_op", 41, 45, **{"Sequence number": 8, "Fwd thread id": 0}),
            event("aten::relu", "cpu_op", 41, 45, tid=3, **{"Sequence number": 8, "Fwd thread id": 0}),
            event("AddmmBackward0", "cpu_op", 60, 90, tid=2, **{"Sequence number": 7, "Fwd thread id": 1}),
            event("aten::mm", "cpu_op", 61, 80, tid=2),
            event("cudaLaunchKernel", "cuda_runtime", 62, 63, tid=2, correlation=2),
            event("ReluBackward0", "cpu_op", 91, 99, tid=2, **{"Sequence number": 8, "Fwd thread id": 1}),
            event("cudaLaunchKernel", "cuda_runtime", 92, 93, tid=2, correlation=3),
            event("gemm", "kernel", 100, 110, tid=7, device=0, stream=7, correlation=1),
            event("gemm_t", "kernel", 110, 140, tid=7, device=0, stream=7, correlation=2),
            event("relu_t", "kernel", 140, 145, tid=7, device=0, stream=7, correlation=3),
        ]
        _, trace, ask = self.made(events)
        python_flame.check(self, trace, ask)
        answer = ask("on=python")
        self.assertEqual(python_flame.answer_paths(answer)["Linear", "backward", "AddmmBackward0", "aten::mm", "gemm_t"], (30000, 30000, 1, 0))
        self.assertIn(("ReluBackward0", "relu_t"), python_flame.answer_paths(answer))
        self.assertEqual(answer["attributed"]["backward"], 30000)

    def test_not_attributed(self):
        """Work without a launch, and work that is launched outside of everything, is a frame of its own."""
        event = self.event
        _, trace, ask = self.made([
            event("train.py(3): step", "python_function", 0, 5, **{"Python id": 1}),
            event("cudaLaunchKernel", "cuda_runtime", 1, 2, correlation=1),
            event("cudaLaunchKernel", "cuda_runtime", 7, 8, correlation=2),
            event("gemm", "kernel", 10, 20, tid=7, device=0, stream=7, correlation=1),
            event("copy", "kernel", 20, 50, tid=7, device=0, stream=7, correlation=2),
            event("fill", "kernel", 50, 52, tid=7, device=0, stream=7, correlation=3),
        ])
        python_flame.check(self, trace, ask)
        answer = ask("on=python")
        self.assertEqual(python_flame.answer_paths(answer)["not attributed",], (32000, 0, 2, 0))
        self.assertEqual((answer["sum"], answer["attributed"]["without_launch"], answer["attributed"]["without_frame"]), (42000, 2000, 30000))

    def test_functions_of_the_program_are_no_plumbing(self):
        """Libraries have functions `inner` and `_fn` that only forward calls; those of the program do the work."""
        names = ["app.py(1): inner", "typing.py(2): inner", "app.py(3): _fn", "torch/_dynamo/eval_frame.py(4): _fn", "app/threading.py(5): start", "app.py(6): wrapper"]
        event = self.event
        frames = [event(name, "python_function", i, 90 - i, **{"Python id": i + 1}) for i, name in enumerate(names)]
        _, trace, ask = self.made([*frames, event("cudaLaunchKernel", "cuda_runtime", 20, 21, correlation=1),
                                   event("gemm", "kernel", 100, 110, tid=7, device=0, stream=7, correlation=1)])
        python_flame.check(self, trace, ask)
        self.assertIn((names[0], names[2], names[4], "gemm"), python_flame.answer_paths(ask("on=python")))

    def test_a_checkpoint_inside_the_backward_pass(self):
        """A forward operator that runs in the backward pass, and its own backward operator on the same thread."""
        event = self.event
        flow = {"cat": "fwdbwd", "name": "fwdbwd", "pid": 1, "bp": "e"}
        events = [
            event("model.py(1): block", "python_function", 0, 20, **{"Python id": 1}), event("aten::mul", "cpu_op", 1, 10),
            event("checkpoint.py(9): backward", "python_function", 30, 90, tid=2, **{"Python id": 2}), event("aten::mul", "cpu_op", 31, 40, tid=2),
            event("MulBackward0", "cpu_op", 50, 80, tid=2), event("cudaLaunchKernel", "cuda_runtime", 51, 52, tid=2, correlation=1),
            event("OuterBackward", "cpu_op", 29, 91, tid=2),
            event("mul", "kernel", 100, 110, tid=7, device=0, stream=7, correlation=1),
        ]
        for number, start, forward, end in ((1, 1, 1, 29), (2, 31, 2, 50)):
            events += [flow | {"ph": "s", "id": number, "tid": forward, "ts": start}, flow | {"ph": "f", "id": number, "tid": 2, "ts": end}]
        _, trace, ask = self.made(events)
        python_flame.check(self, trace, ask)
        self.assertIn(("model.py(1): block", "backward", "OuterBackward", "checkpoint.py(9): backward", "backward", "MulBackward0", "mul"),
                      python_flame.answer_paths(ask("on=python")))

    def test_bad_parameters(self):
        run, _, _ = self.demo("training")
        for text in ("on=gpu", "on=python&plumbing=2", "on=python&from_ns=x", "on=python&limit=0", "on=python&tracks=999999"):
            with self.subTest(text):
                self.assertEqual(self.request("GET", f"{RUNS}/{run}/flame?{text}").status, 400)


if __name__ == "__main__":
    unittest.main()
