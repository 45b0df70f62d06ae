# SPDX-License-Identifier: MIT
"""The critical path of traces made by hand, each with the path it must give. Times in µs."""
import os
import sqlite3
import unittest

from server import RUNS, ServerTest
from trace_sums_http import Trace

MAIN, SIDE = 7, 20  # streams


class CriticalPath(ServerTest):
    def path(self, trace, query=""):
        run = self.add(trace if isinstance(trace, bytes) else trace.bytes())
        answer = self.get_json(f"{RUNS}/{run['id']}/critical_path{query}")
        if not answer["reason"]:
            self.check_sums(answer)
        return answer

    def check_sums(self, answer):
        """Each moment of the step is on the path once."""
        length = answer["to_ns"] - answer["from_ns"]
        path = answer["path"]
        at = answer["from_ns"]
        for start, ns in zip(path["from_ns"], path["ns"]):
            self.assertEqual(start, at)
            at += ns
        self.assertEqual(at, answer["to_ns"])
        self.assertEqual(answer["length_ns"], length)
        self.assertEqual(sum(part["ns"] for part in answer["parts"]), length)
        self.assertEqual(sum(row["ns"] for row in answer["operators"]), length)
        self.assertEqual(sum(track["on_path_ns"] for track in answer["tracks"]), length)

    def parts(self, answer):
        return {part["part"]: part["ns"] // 1000 for part in answer["parts"] if part["ns"]}

    def gains(self, answer, divisor="faster2_ns"):
        return {part["part"]: (answer["length_ns"] - part[divisor]) // 1000 for part in answer["parts"]}

    def kinds(self, answer):
        """(kind, µs) of the path, in order."""
        path = answer["path"]
        return [(path["kinds"][kind], ns // 1000) for kind, ns in zip(path["kind"], path["ns"])]

    def test_one_stream(self):
        """Two kernels are queued and the program waits for the second."""
        trace = Trace()
        trace.step(1, 0, 1000)
        trace.host("aten::mm", 0, 30)
        trace.launch("gemm", 10, 20, 400, call_us=5)
        trace.host("aten::relu", 30, 20)
        trace.launch("elementwise", 40, 430, 500, call_us=5)
        trace.host("cudaDeviceSynchronize", 60, 880, "cuda_runtime", correlation=99)
        answer = self.path(trace)
        self.assertEqual(self.kinds(answer), [("operator", 10), ("launch_delay", 10), ("kernel", 400), ("gap", 10), ("kernel", 500),
                                              ("sync_return", 10), ("python", 60)])
        self.assertEqual(self.parts(answer), {"forward": 910, "launch_delay": 20, "waiting": 10, "other": 60})
        self.assertTrue(answer["inferred_waits"])
        self.assertFalse(answer["has_sync_events"])
        operators = {row["name"]: row for row in answer["operators"] if row["kind"] == "kernel"}
        self.assertEqual({name: (row["ns"], answer["length_ns"] - row["faster2_ns"]) for name, row in operators.items()},
                         {"gemm": (400_000, 200_000), "elementwise": (500_000, 250_000)})
        self.assertEqual(answer["device_busy_ns"], 900_000)
        self.assertEqual(answer["launch_bound_ns"], 20_000)

    def test_half_is_not_the_gain(self):
        """With kernels twice as fast, the CPU takes over: the step gets 1000 - 700 shorter, not 450."""
        trace = Trace()
        trace.step(1, 0, 1000)
        trace.host("aten::mm", 0, 20)
        trace.launch("gemm", 10, 10, 900, call_us=5)
        trace.host("aten::to_device", 20, 650)  # work of the CPU while the kernel runs
        trace.host("cudaDeviceSynchronize", 670, 240, "cuda_runtime", correlation=99)
        trace.host("Optimizer.step#SGD.step", 910, 90, "user_annotation")
        answer = self.path(trace)
        self.assertEqual(self.parts(answer), {"forward": 910, "optimizer": 90})
        gemm, = (row for row in answer["operators"] if row["name"] == "gemm")
        self.assertEqual((gemm["ns"], answer["length_ns"] - gemm["faster2_ns"]), (900_000, 240_000))

    def events(self, with_sync):
        """Stream 20 waits for the copy on stream 7."""
        trace = Trace()
        trace.step(1, 0, 600)
        trace.host("aten::copy_", 0, 30)
        trace.launch("Memcpy HtoD (Pinned -> Device)", 10, 20, 300, "cudaMemcpyAsync", 5, cat="gpu_memcpy", stream=MAIN)
        trace.host("cudaEventRecord", 30, 5, "cuda_runtime", correlation=50)
        trace.host("cudaStreamWaitEvent", 40, 5, "cuda_runtime", correlation=51)
        if with_sync:
            trace.events.append({"ph": "X", "cat": "cuda_sync", "name": "Stream Wait Event", "pid": 0, "tid": SIDE, "ts": 45, "dur": 1, "args": {
                "stream": SIDE, "correlation": 51, "device": 0, "wait_on_stream": MAIN, "wait_on_cuda_event_record_corr_id": 50}})
        trace.host("aten::mm", 50, 20)
        trace.correlation = 60
        trace.launch("gemm", 55, 325, 200, call_us=5, stream=SIDE)
        trace.host("cudaDeviceSynchronize", 80, 450, "cuda_runtime", correlation=99)
        return trace

    def test_two_streams_with_an_event(self):
        for with_sync in (True, False):
            answer = self.path(self.events(with_sync))
            self.assertEqual(self.kinds(answer), [("operator", 10), ("launch_delay", 10), ("kernel", 300), ("event_wait", 5), ("kernel", 200),
                                                  ("sync_return", 5), ("python", 70)], with_sync)
            self.assertEqual((answer["has_sync_events"], self.parts(answer)["copies"]), (with_sync, 310))
            self.assertTrue(answer["inferred_waits"])  # nothing says what cudaDeviceSynchronize waited for

    def test_without_an_event_streams_are_independent(self):
        trace = self.events(False)
        trace.events = [event for event in trace.events if event["name"] != "cudaStreamWaitEvent"]
        answer = self.path(trace)
        self.assertEqual([row["name"] for row in answer["operators"] if row["kind"] == "kernel"], ["gemm"])
        self.assertEqual(self.kinds(answer)[-4:], [("launch_delay", 270), ("kernel", 200), ("sync_return", 5), ("python", 70)])

    def test_launch_bound(self):
        """Kernels of 2 µs, launched every 20 µs: the device waits for launches all the time."""
        trace = Trace()
        trace.step(1, 0, 1000)
        for i in range(50):
            trace.host("aten::add", i * 20, 19)
            trace.launch("elementwise", i * 20 + 5, i * 20 + 12, 2, call_us=4)
        answer = self.path(trace)
        self.assertEqual(self.parts(answer), {"forward": 999, "other": 1})
        self.assertEqual(answer["device_busy_ns"], 100_000)
        device = [track for track in answer["tracks"] if not track["thread"]]
        self.assertEqual([track["on_path_ns"] for track in device], [0])
        rows = {(row["kind"], row["name"]): row for row in answer["operators"]}
        self.assertEqual(rows["operator", "aten::add"]["ns"], 50 * 15_000)
        self.assertNotIn(("kernel", "elementwise"), rows)  # off the path: faster kernels gain nothing

    def test_launch_bound_until_the_end(self):
        """The last kernel is awaited: the path goes to its launch and to the device."""
        trace = Trace()
        trace.step(1, 0, 120)
        for i in range(5):
            trace.host("aten::add", i * 20, 19)
            trace.launch("elementwise", i * 20 + 5, i * 20 + 12, 2, call_us=4)
        trace.launch("last", 101, 108, 6, call_us=3)
        trace.host("cudaDeviceSynchronize", 105, 10, "cuda_runtime", correlation=99)
        answer = self.path(trace)
        self.assertEqual(answer["launch_bound_ns"], 108_000)
        self.assertEqual(answer["launch_bound"], [[0, 108_000]])

    def test_data_loader(self):
        trace = Trace()
        for i in range(3):
            at = i * 1000
            trace.step(i, at, 1000)
            trace.host("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", at, 700, "user_annotation")
            trace.host("aten::mm", at + 710, 100)
            trace.launch("gemm", at + 720, at + 730, 200, call_us=5)
            trace.host("cudaDeviceSynchronize", at + 820, 120, "cuda_runtime", correlation=900 + i)
        answer = self.path(trace, "?step=slowest")
        self.assertEqual(self.parts(answer)["data_loading"], 700)
        self.assertEqual(self.gains(answer)["data_loading"], 350)
        self.assertEqual(self.gains(answer, "removed_ns")["data_loading"], 700)
        self.assertEqual((answer["steps"], answer["step"]["name"]), (3, "ProfilerStep#0"))

    def communication(self, overlapped):
        """A collective on a stream of its own beside 500 µs of computation."""
        trace = Trace()
        trace.step(1, 0, 1000)
        trace.host("aten::mm", 0, 20)
        trace.launch("gemm", 5, 10, 500, call_us=5, stream=MAIN)
        trace.host("nccl:all_reduce", 20, 20, "user_annotation")
        trace.launch("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 25, 30, 300 if overlapped else 900,
                     call_us=5, stream=SIDE)
        trace.host("cudaDeviceSynchronize", 50, 890 if not overlapped else 470, "cuda_runtime", correlation=99)
        return trace

    def test_communication(self):
        exposed, overlapped = self.path(self.communication(False)), self.path(self.communication(True))
        self.assertEqual((exposed["communication_ns"], exposed["exposed_communication_ns"]), (900_000, 900_000))
        # The computation takes over after 500 of 900 µs.
        self.assertEqual(self.gains(exposed)["communication"], 420)
        then, = (part["then"] for part in exposed["parts"] if part["part"] == "communication")
        self.assertEqual(then, "forward")
        self.assertEqual((overlapped["communication_ns"], overlapped["exposed_communication_ns"]), (300_000, 0))
        self.assertEqual(self.gains(overlapped)["communication"], 0)

    def test_graph_replay(self):
        """Four kernels of one cudaGraphLaunch are a chain behind one launch."""
        trace = Trace()
        trace.step(1, 0, 500)
        trace.correlation = 7
        trace.host("cudaGraphLaunch", 10, 15, "cuda_runtime", correlation=7)
        for i in range(4):
            trace.device(f"kernel{i}", 50 + i * 100, 95, stream=MAIN if i % 2 else SIDE)
        trace.host("cudaStreamSynchronize", 30, 420, "cuda_runtime", correlation=8)
        answer = self.path(trace)
        self.assertEqual([kind for kind, ns in self.kinds(answer)],
                         ["python", "launch_delay", "kernel", "gap", "kernel", "gap", "kernel", "gap", "kernel", "sync_return", "python"])
        self.assertEqual(self.parts(answer), {"graph_replay": 395, "launch_delay": 40, "waiting": 5, "other": 60})
        self.assertIn("graph launches", answer["hta"]["reason"])

    def test_backward_thread(self):
        """The thread of the step waits for the autograd thread."""
        trace = Trace()
        trace.step(1, 0, 1000)
        trace.host("aten::linear", 10, 190)
        trace.host("autograd::engine::evaluate_function: AddmmBackward0", 230, 400, tid=101)
        trace.host("autograd::engine::evaluate_function: AccumulateGrad", 640, 60, tid=101)
        trace.host("Optimizer.step#SGD.step", 720, 280, "user_annotation")
        trace.host("aten::_foreach_add_", 730, 270)
        answer = self.path(trace)
        self.assertEqual(self.parts(answer), {"other": 60, "forward": 190, "backward": 470, "optimizer": 280})
        backward, = (part for part in answer["parts"] if part["part"] == "backward")
        self.assertEqual(answer["length_ns"] - backward["removed_ns"], 470_000)
        self.assertEqual([track["on_path_ns"] for track in answer["tracks"]], [530_000, 470_000])
        self.assertEqual(answer["host_ns"], 1_000_000)

    def test_copies_between_host_and_device(self):
        """aten::to is a copy if it launches one, else part of the forward pass."""
        trace = Trace()
        trace.step(1, 0, 100)
        trace.host("aten::to", 0, 30)
        trace.launch("Memcpy HtoD (Pageable -> Device)", 5, 10, 15, "cudaMemcpyAsync", 22, cat="gpu_memcpy")
        trace.host("aten::to", 40, 60)
        trace.launch("Memcpy DtoD (Device -> Device)", 50, 60, 5, "cudaMemcpyAsync", 3, cat="gpu_memcpy")
        self.assertEqual(self.parts(self.path(trace)), {"copies": 23, "launch_delay": 5, "waiting": 2, "forward": 60, "other": 10})

    def test_long_call(self):
        """The first copy initialises the device in its call: this is time of the CPU."""
        trace = Trace()
        trace.step(1, 0, 9000)
        trace.host("aten::copy_", 0, 8100)
        trace.launch("Memcpy HtoD (Pageable -> Device)", 100, 8000, 50, "hipMemcpyWithStream", 7960, cat="gpu_memcpy")
        answer = self.path(trace)
        self.assertEqual(self.parts(answer), {"copies": 8090, "waiting": 10, "other": 900})
        self.assertEqual([track["on_path_ns"] for track in answer["tracks"] if not track["thread"]], [50_000])

    def test_names_of_old_versions(self):
        """Steps are operators, and the autograd engine has no name."""
        trace = Trace()
        trace.host("ProfilerStep#1", 0, 1000, "Operator")
        trace.host("aten::linear", 10, 190, "Operator")
        trace.host("AddmmBackward", 230, 400, "Operator", tid=101)
        trace.host("torch::autograd::AccumulateGrad", 640, 60, "Operator", tid=101)
        trace.host("Optimizer.step#SGD.step", 720, 280, "Operator")
        answer = self.path(trace)
        self.assertEqual(self.parts(answer), {"other": 60, "forward": 190, "backward": 470, "optimizer": 280})
        self.assertEqual(answer["host_ns"], 1_000_000)

    def overlapping(self, name, **launched):
        """The third step of a loop in which the CPU is ahead: 600 µs of the CPU and 1000 µs of the device a step."""
        trace = Trace()
        for i in range(4):
            at = i * 600
            trace.step(i, at, 600)
            trace.host("aten::mm", at, 600)
            trace.launch(name, at + 10, 20 + i * 1000, 1000, call_us=5, **launched)
        answer = self.path(trace, "?step=3")
        self.assertTrue(answer["is_overlapped"])
        self.assertEqual((answer["length_ns"], answer["host_ns"]), (1_000_000, 600_000))
        return answer

    def test_steps_that_overlap(self):
        """Faster kernels help until the CPU takes over, at 600 of 1000 µs."""
        answer = self.overlapping("gemm")
        gemm, = (row for row in answer["operators"] if row["name"] == "gemm")
        self.assertEqual((gemm["ns"], gemm["faster2_ns"]), (1_000_000, 600_000))
        # The part has the operator of the CPU too.
        self.assertEqual([(part["faster2_ns"], part["then"]) for part in answer["parts"] if part["ns"]], [(500_000, None)])
        copies = self.overlapping("Memcpy HtoD (Pinned -> Device)", cat="gpu_memcpy", call="cudaMemcpyAsync")
        self.assertEqual([(part["part"], part["faster2_ns"], part["then"]) for part in copies["parts"] if part["ns"]],
                         [("copies", 597_500, "host")])

    def test_hta_ignores_waits(self):
        """HTA's path weighs waits 0, so it is shorter than the step."""
        answer = self.path(self.events(True))
        self.assertEqual(sum(row["ns"] for row in answer["hta"]["bound_by"]), answer["hta"]["length_ns"])
        self.assertLess(answer["hta"]["length_ns"], answer["length_ns"])
        # copy_ 10, delay 10, copy 300, gemm 200; the edge between streams weighs 0
        self.assertEqual(answer["hta"]["length_ns"], 520_000)

    def test_no_launches(self):
        trace = Trace()
        trace.host("aten::mm", 0, 20)
        trace.device("gemm", 10, 100)
        for event in trace.events:
            event["args"].pop("correlation", None)
        answer = self.path(trace)
        self.assertIn("correlation", answer["reason"])
        self.assertNotIn("path", answer)

    def test_cpu_only(self):
        trace = Trace()
        trace.host("aten::mm", 0, 20)
        trace.host("aten::relu", 30, 10)
        answer = self.path(trace)
        self.assertEqual(self.parts(answer), {"forward": 40})
        self.assertIsNotNone(answer["hta"]["reason"])

    def test_requests(self):
        run = self.add(self.events(True).bytes())
        at = f"{RUNS}/{run['id']}/critical_path"
        for query, status in (("?step=0", 400), ("?step=first", 400), ("?step=99", 404), ("?step=1&from_ns=0", 400), ("?edges=0", 400),
                              ("?from_ns=x", 400)):
            self.assertEqual(self.request("GET", at + query).status, status, query)
        cut = self.get_json(at + "?edges=2")
        self.check_sums(cut)
        self.assertLessEqual(len(cut["path"]["ns"]), 3)
        part = self.get_json(at + "?from_ns=100000&to_ns=200000")
        self.check_sums(part)
        self.assertIsNone(part["step"])
        self.assertEqual(self.parts(part), {"copies": 100})

    def test_launches_that_are_no_calls(self):
        """A run file on the shelf in which annotations launch the work: HTA's graph has no nodes for them."""
        trace = Trace()
        trace.step(1, 0, 1000)
        trace.launch("gemm", 10, 20, 400, call_us=5)
        run = self.add(trace.bytes())
        with sqlite3.connect(os.path.join(self.data, "runs", run["id"] + ".db")) as file:
            file.execute("UPDATE chunk_column SET data = x'000200000000000000' WHERE id % 32 = 7 AND id / 32 IN (SELECT id FROM chunk WHERE kinds & 16)")
            file.execute("UPDATE chunk SET kinds = 4 WHERE kinds & 16")
        self.check_sums(self.get_json(f"{RUNS}/{run['id']}/critical_path"))

    def test_contradicting_times(self):
        """Kernels before their launch, slices that overlap, durations without end: an answer, whatever it is."""
        trace = Trace()
        trace.step(1, 0, 100)
        trace.host("aten::a", 10, 50)
        trace.host("aten::b", 30, 60)
        trace.launch("early", 50, 5, 10, call_us=20)
        trace.launch("late", 20, 10**12, 10**12)
        trace.host("cudaDeviceSynchronize", 40, 10**13, "cuda_runtime", correlation=99)
        answer = self.path(trace)
        self.assertIsNone(answer["reason"])


if __name__ == "__main__":
    unittest.main()
