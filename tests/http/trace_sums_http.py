# SPDX-License-Identifier: MIT
"""Overview, utilisation, findings and workers of traces made by hand, each with the numbers they must give."""
import json
import urllib.parse

from server import RUNS, ServerTest

V100 = {"id": 0, "name": "Tesla V100", "totalGlobalMem": 16 << 30, "computeMajor": 7, "computeMinor": 0, "numSms": 80}
DEFINITIONS = ("tensorboard", "hta", "tracelens")


class Trace:
    """Events of one process (pid 100) and device 0, in µs."""

    def __init__(self, properties=V100, start=0):
        self.properties, self.events, self.correlation, self.start = properties, [], 0, start

    def host(self, name, ts, dur, cat="cpu_op", tid=100, **args):
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": 100, "tid": tid, "ts": ts + self.start, "dur": dur, "args": args})

    def step(self, number, ts, dur):
        self.host(f"ProfilerStep#{number}", ts, dur, "user_annotation")

    def device(self, name, ts, dur, cat="kernel", stream=7, **args):
        args = {"device": 0, "stream": stream, "correlation": self.correlation} | args
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": 0, "tid": stream, "ts": ts + self.start, "dur": dur, "args": args})

    def launch(self, name, called, ts, dur, call="cudaLaunchKernel", call_us=1, **args):
        """A call of the host at `called` and the work it starts at `ts`."""
        self.correlation += 1
        self.host(call, called, call_us, "cuda_runtime", correlation=self.correlation)
        self.device(name, ts, dur, **args)

    def memory(self, ts, total, device=0):
        args = {"Device Type": 1, "Device Id": device, "Bytes": 1024, "Addr": 4096, "Total Allocated": total, "Total Reserved": total}
        self.events.append({"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", "pid": 100, "tid": 100,
                            "ts": ts + self.start, "args": args})

    def bytes(self, **headers):
        properties = [self.properties] if self.properties else []
        return json.dumps({"schemaVersion": 1, "deviceProperties": properties, **headers, "traceEvents": self.events}).encode()


def worked_example():
    """One step; every figure of it follows by hand."""
    trace = Trace()
    trace.step(1, 0, 100)
    trace.host("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 1, 8, "user_annotation")
    trace.host("aten::linear", 10, 40)
    trace.host("aten::addmm", 15, 30)
    trace.launch("gemm", 20, 30, 25, call_us=5, **{"blocks per SM": 0.5, "est. achieved occupancy %": 40})
    trace.host("aten::copy_", 55, 20)
    trace.launch("Memcpy HtoD (Pageable -> Device)", 60, 62, 10, "cudaMemcpyAsync", 4, cat="gpu_memcpy")
    trace.host("aten::relu", 76, 3)
    trace.launch("elementwise", 77, 80, 10, stream=20, **{"blocks per SM": 3.0, "est. achieved occupancy %": 80})
    trace.host("cudaDeviceSynchronize", 80, 15, "cuda_runtime", correlation=9)
    return trace


def training(steps=10, loader=0, work=9_400, gap=0, **more):
    """A loop of 10 ms a step whose device is busy for `work` µs of it; `loader` µs go before."""
    trace = Trace(**more)
    for i in range(steps):
        begin = i * 10_000
        trace.step(i, begin, 10_000)
        if loader:
            trace.host("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", begin, loader, "user_annotation")
        trace.host("aten::mm", begin + loader, 200)
        trace.launch("volta_h884gemm", begin + loader + 10, begin + loader + 200, work // 2)
        trace.host("aten::relu", begin + loader + 210, 200)
        trace.launch("elementwise", begin + loader + 220 + gap, begin + loader + 200 + work // 2 + gap, work // 2)
    return trace


class Sums(ServerTest):
    def view(self, trace, view, **params):
        body = trace if isinstance(trace, bytes) else trace.bytes()
        run = self.add(body)
        query = "&".join(f"{key}={value}" for key, value in params.items())
        return self.get_json(f"{RUNS}/{run['id']}/{view}" + ("?" + query if query else ""))

    def rules(self, trace):
        return [row["rule"] for row in self.view(trace, "findings")["rows"]]


class WorkedExample(Sums):
    PARTS = {"tensorboard": {"kernel": 35, "memcpy": 10, "memset": 0, "communication": 0, "runtime": 13, "dataloader": 8, "cpu": 25, "other": 9},
             "hta": {"compute": 35, "non-compute": 10, "idle": 55},
             "tracelens": {"computation": 35, "exposed communication": 0, "exposed memcpy": 10, "idle": 55}}

    def assertParts(self, parts):
        for definition in DEFINITIONS:
            self.assertEqual({name: ns / 1000 for name, ns in parts[definition]}, self.PARTS[definition], definition)
            self.assertEqual(sum(ns for _, ns in parts[definition]), 100_000)

    def test_overview(self):
        overview = self.view(worked_example(), "overview")
        step, = overview["steps"]
        self.assertEqual(overview["steps_total"], 1)
        self.assertEqual((step["name"], step["start_ns"], step["end_ns"], step["counted"]), ("ProfilerStep#1", 0, 100_000, 1))
        self.assertParts(step["parts"])
        self.assertParts(overview["mean"])
        device, = overview["devices"]
        self.assertEqual(device["name"], "Tesla V100")
        self.assertEqual(json.loads(device["json"]), V100)
        self.assertEqual([device["hta_" + word + "_ns"] for word in ("kernel_time", "compute", "non_compute", "idle")],
                         [60_000, 35_000, 10_000, 15_000])
        self.assertEqual((device["span_ns"], device["busy_ns"], device["kernel_ns"], device["kernels"], device["copies"]),
                         (100_000, 35_000, 35_000, 2, 1))
        self.assertAlmostEqual(device["sm_efficiency"], 0.225)
        self.assertAlmostEqual(device["occupancy"], 1800 / 35)
        gaps = overview["gaps"]
        self.assertEqual((gaps["count"], gaps["total_ns"]), (2, 15_000))
        self.assertEqual(gaps["by_cause"], [["host wait", 15_000, 2], ["kernel wait", 0, 0], ["other", 0, 0]])
        self.assertEqual([(gap["start_ns"], gap["end_ns"], gap["cause"]) for gap in gaps["longest"]],
                         [(72_000, 80_000, "host wait"), (55_000, 62_000, "host wait")])
        self.assertEqual((gaps["of"], gaps["total_ns"]), ("device", device["hta_idle_ns"]))
        self.assertEqual([row["name"] for row in overview["top"]["operators"][:3]], ["aten::addmm", "aten::copy_", "aten::relu"])
        self.assertEqual([(row["name"], row["total_us"]) for row in overview["top"]["kernels"]],
                         [("gemm", 25), ("Memcpy HtoD (Pageable -> Device)", 10), ("elementwise", 10)])

    def test_utilisation(self):
        use = self.view(worked_example(), "utilisation", px=10)
        self.assertEqual((use["from_ns"], use["to_ns"]), (0, 100_000))
        self.assertParts(use["parts"])
        device, = use["devices"]
        self.assertAlmostEqual(device["busy"], 0.35)
        self.assertAlmostEqual(device["sm_efficiency"], 0.225)
        self.assertAlmostEqual(device["occupancy"], 1800 / 35)
        self.assertEqual(device["idle_ns"], 55_000)
        self.assertEqual(device["share"], [0, 0, 0, 255, 255, 128, 0, 0, 255, 0])

    def test_annotations_on_streams_are_rows_of_their_own(self):
        trace = worked_example()
        for step, ts, dur in ((1, 29, 62), (2, 95, 2)):
            trace.device(f"ProfilerStep#{step}", ts, dur, "gpu_user_annotation")
        host, device, annotation = (self.view(trace, "operators", on=on) for on in ("host", "device", "annotation"))
        row = dict(zip(annotation["columns"], annotation["rows"][0]))
        self.assertEqual((annotation["total"], row["name"], row["calls"], row["self_device_us"]), (1, "ProfilerStep*", 2, 64))
        self.assertEqual(device["sums"]["self_device_us"], 45)
        self.assertEqual(self.view(trace, "operators")["total"], sum(table["total"] for table in (host, device, annotation)))

    def test_a_range_cuts_slices_at_its_ends(self):
        use = self.view(worked_example(), "utilisation", from_ns=40_000, to_ns=85_000)
        device, = use["devices"]
        self.assertAlmostEqual(device["busy"], 20 / 45)
        self.assertEqual(device["idle_ns"], (45 - 20 - 10) * 1000)
        for definition in DEFINITIONS:
            self.assertEqual(sum(ns for _, ns in use["parts"][definition]), 45_000)
        self.assertEqual(dict(use["parts"]["tensorboard"])["kernel"], 20_000)

    def test_parts_over_time(self):
        """With a pixel for each µs the parts of all pixels add up to those of the range."""
        parts = self.view(worked_example(), "parts", from_ns=0, to_ns=100_000, px=100)
        self.assertEqual((parts["from_ns"], parts["to_ns"], parts["px"]), (0, 100_000, 100))
        sums = dict.fromkeys(parts["names"], 0)
        for part, length in zip(parts["part"], parts["len"], strict=True):
            sums[parts["names"][part]] += length
        self.assertEqual(sums, self.PARTS["tensorboard"])
        start = [(parts["names"][part], length) for part, length in zip(parts["part"], parts["len"])][:4]
        self.assertEqual(start, [("other", 1), ("dataloader", 8), ("other", 1), ("cpu", 10)])
        rough = self.view(worked_example(), "parts", from_ns=30_000, to_ns=60_000, px=2)
        self.assertEqual([rough["names"][part] for part in rough["part"]], ["kernel"])
        self.assertEqual(self.view(worked_example(), "parts", from_ns=5, to_ns=8, px=1000)["px"], 3)

    def test_bad_windows_of_parts(self):
        run = self.add(worked_example().bytes())
        for query in ("from_ns=5&to_ns=5", "px=0", "px=8193", "from_ns=x"):
            self.assertRefused(self.get(f"{RUNS}/{run['id']}/parts?{query}"), 400, "bad_request")

    def test_bad_ranges(self):
        run = self.add(worked_example().bytes())
        for query in ("from_ns=5&to_ns=4", "px=0", "from_ns=x"):
            self.assertRefused(self.get(f"{RUNS}/{run['id']}/utilisation?{query}"), 400, "bad_request")

    def test_steps_are_recomputed_alike(self):
        """The parts of a step equal those of its range."""
        run = self.add(training(4, loader=300, work=8_000).bytes())
        for step in self.get_json(f"{RUNS}/{run['id']}/overview")["steps"]:
            use = self.get_json(f"{RUNS}/{run['id']}/utilisation?from_ns={step['start_ns']}&to_ns={step['end_ns']}")
            self.assertEqual(use["parts"], step["parts"])


class Kernels(Sums):
    def test_all_kernels_of_a_slice_are_counted(self):
        trace = Trace()
        trace.host("aten::graph", 0, 1_000)
        for i in range(60):
            trace.launch("elementwise", 10 + 5 * i, 15 + 5 * i, 3)
        run = self.add(trace.bytes())
        hit = self.get_json(f"{RUNS}/{run['id']}/find?q=graph")["hit"]
        found = self.get_json(f"{RUNS}/{run['id']}/slices/{hit['id']}")
        self.assertEqual((len(found["kernels"]), found["kernels_total"], found["kernels_ns"]), (50, 60, 60 * 3_000))

    def test_a_link_to_a_name_with_a_leading_minus_finds_it(self):
        events = [{"ph": "X", "name": name, "pid": 1, "tid": 1, "ts": ts, "dur": dur} for name, ts, dur in (("-drop", 0, 90), ("keep", 100, 10))]
        run = self.add(json.dumps(events).encode())["id"]
        links = [part["link"] for cause in self.get_json(f"{RUNS}/{run}/conclusion")["causes"] for part in cause["title"] if part.get("link")]
        found = [self.get_json(f"{RUNS}/{run}/slices?" + urllib.parse.urlencode(link["params"])) for link in links if link["tab"] == "slices"]
        self.assertEqual([row[rows["columns"].index("name")] for rows in found for row in rows["rows"]], ["-drop", "keep"])

    def test_communication_is_coloured_and_counted_alike(self):
        """Kernels of symmetric memory; and a copy that an operator with the name of a collective launched."""
        name = "void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(c10::BFloat16*)"
        trace = Trace()
        trace.step(1, 0, 1_000)
        trace.host("symm_mem::multimem_all_reduce_", 10, 100)
        trace.launch(name, 20, 30, 300)
        trace.launch("void at::native::elementwise_kernel<128, 2, copy>(int)", 40, 400, 50)
        run = self.add(trace.bytes())
        kernels = self.get_json(f"{RUNS}/{run['id']}/kernels?sort=first_ns")
        family, first = (kernels["columns"].index(column) for column in ("family", "name"))
        families = {row[first]: row[family] for row in kernels["rows"]}
        communication = 6
        self.assertEqual([name for name, family in families.items() if family == communication], [name])
        device, = self.get_json(f"{RUNS}/{run['id']}/overview")["devices"]
        self.assertEqual(device["communication_ns"], 300_000)

    def test_unknown_use_of_tensor_cores(self):
        names = {"bmm_MxE4m3_MxE2m1MxE4m3_Fp32_t128x8x512_sm100f": None, "volta_h884gemm": 1, "volta_sgemm": 0,
                 "void at::native::elementwise_kernel<128, 2>(int)": 0}
        trace = Trace()
        for i, name in enumerate(names):
            trace.launch(name, 10 + 20 * i, 15 + 20 * i, 10)
        run = self.add(trace.bytes())
        kernels = self.get_json(f"{RUNS}/{run['id']}/kernels")
        name, use = (kernels["columns"].index(column) for column in ("name", "tensor_core"))
        self.assertEqual({row[name]: row[use] for row in kernels["rows"]}, names)
        self.assertEqual(self.get_json(f"{RUNS}/{run['id']}/overview")["tensor_cores"],
                         {"kernel_ns": 40_000, "known_ns": 30_000, "used_ns": 10_000})


class Conclusions(Sums):
    def causes(self, trace):
        """The conclusion, and rule -> (amount in ms of a step, rules of its parts)."""
        found = self.view(trace, "conclusion")
        causes = {}
        for cause in found["causes"]:
            if cause["level"] == 0:
                parts = causes.setdefault(cause["rule"], (round(cause["amount"] * 1000, 3), {}))[1]
            else:
                parts[cause["rule"]] = cause["amount"] and round(cause["amount"] * 1000, 3)
        return found, causes

    def test_blocking_calls_are_named_once(self):
        """The device works for 6 of 10 ms; four calls of 600 µs wait in the rest."""
        trace = training(work=6_000)
        for i in range(10):
            for k in range(4):
                trace.host("cudaStreamSynchronize", i * 10_000 + 6_500 + 800 * k, 600, "cuda_runtime")
        found, causes = self.causes(trace)
        self.assertEqual(causes, {"kernels": (6.0, {"kernels": 3.0}), "blocking": (2.4, {}),
                                  "host_bound": (1.6, {"host_operators": 0.199, "host_other": 1.4})})
        self.assertNotIn("Synchronising calls", found["checked"])

    def test_synchronising_calls_are_a_part_of_the_idle_time(self):
        """Calls of two names, of which the shorter one is no cause of its own."""
        trace = training(work=6_000)
        for i in range(10):
            trace.host("cudaMemcpy", i * 10_000 + 6_500, 1_100, "cuda_runtime")
            for k in range(2):
                trace.host("cudaStreamSynchronize", i * 10_000 + 8_000 + 800 * k, 500 + 50 * k, "cuda_runtime")
        _, causes = self.causes(trace)
        self.assertEqual(causes, {"kernels": (6.0, {"kernels": 3.0}), "blocking": (1.1, {}),
                                  "host_bound": (2.9, {"host_other": 1.65, "synchronisation": 1.05})})

    def test_captures_of_graphs_are_a_cause_of_their_own(self):
        """From the begin to the end on one thread; what blocks in them is not counted again. One without an end is unknown."""
        trace = training(work=6_000)
        trace.host("model.py(7): capture", 6_400, 3_300, "python_function")
        for i in range(10):
            at = i * 10_000 + 6_500
            trace.host("cudaStreamBeginCapture_v10000", at, 10, "cuda_runtime")
            trace.host("cudaMalloc", at + 100, 2_000, "cuda_runtime")
            trace.host("cudaStreamEndCapture_v10000", at + 2_980 + 10 * i, 20, "cuda_runtime")
        trace.host("cudaStreamBeginCapture_v10000", 99_700, 10, "cuda_runtime")
        trace.host("cudaStreamEndCapture_v10000", 99_800, 10, "cuda_runtime", tid=102)
        found, causes = self.causes(trace)
        self.assertEqual(causes, {"kernels": (6.0, {"kernels": 3.0}), "graph_capture": (3.045, {}), "host_bound": (0.955, {"host_operators": 0.199, "host_other": 0.753})})
        cause = next(cause for cause in found["causes"] if cause["rule"] == "graph_capture")
        said = "".join(part.get("text") or part.get("code") or f"{part['value']:g}" for part in cause["evidence"])
        self.assertEqual(said, "10 captures, the longest 0.00309")

    def test_a_capture_explains_an_idle_device(self):
        trace = training(work=1_000)
        trace.host("model.py(7): capture", 1_400, 8_100, "python_function")
        trace.host("cudaStreamBeginCapture_v10000", 1_500, 10, "cuda_runtime")
        trace.host("cudaStreamEndCapture_v10000", 94_000, 10, "cuda_runtime")
        found, causes = self.causes(trace)
        self.assertEqual(list(causes)[0], "graph_capture")
        self.assertIn("A graph is captured", "".join(part["text"] for part in found["verdict"] if "text" in part))

    def test_a_note_for_what_is_not_time(self):
        trace = training()
        trace.memory(5_000, 15 << 30)
        found, causes = self.causes(trace)
        self.assertEqual(list(causes), ["kernels", "host_bound"])
        self.assertIn("Device 0 used 15.00 of 16.00 GiB at its peak, 93.8 %. A larger batch may not fit.", found["notes"])
        self.assertEqual(len(found["checked"]), 13)

    def test_copies_have_what_was_found_about_them(self):
        trace = training(work=8_000)
        for i in range(10):
            at = i * 10_000 + 8_210
            trace.launch("Memcpy HtoD (Pageable -> Device)", at - 5_000, at, 1_500, "cudaMemcpyAsync", cat="gpu_memcpy")
        _, causes = self.causes(trace)
        self.assertEqual(causes["copies"], (1.5, {"pageable_copies": None}))


class Places(Sums):
    def test_the_main_thread_stands_first_and_the_profiler_has_a_name(self):
        trace = Trace()
        for i in range(3):
            trace.host("MmBackward0", 10 + 5 * i, 4, tid=102)
        trace.host("aten::mm", 0, 9)
        trace.host("Buffer Flush", 2, 3, "overhead", tid=0)
        trace.events[-1]["pid"] = -1
        timeline = self.view(trace, "timeline", px=100)
        named = {process["id"]: process["labels"] or process["pid"] for process in timeline["processes"]}
        self.assertEqual([(named[track["process"]], track["name"]) for track in timeline["tracks"]],
                         [("100", "thread 100"), ("100", "thread 102"), ("Profiler", "profiler overhead")])


class Findings(Sums):
    def test_a_clean_trace_has_none(self):
        answer = self.view(training(), "findings")
        self.assertEqual(answer["rows"], [])
        self.assertEqual(len({rule["rule"] for rule in answer["checked"]}), 14)

    def test_the_data_loader_alone(self):
        row, = self.view(training(loader=800, work=9_000), "findings")["rows"]
        self.assertEqual((row["rule"], row["base"], row["severity"]), ("dataloader", "of step", "low"))
        self.assertAlmostEqual(row["share"], 0.08)
        self.assertAlmostEqual(row["speedup"], 1.087, places=3)
        self.assertEqual(row["link"]["view"], "operators")
        self.assertIn("8.000 ms of 100.000 ms, 8.0 %", row["text"])
        self.assertEqual((row["from_ns"], row["to_ns"]), (0, 100_000_000))

    def test_waiting_for_launches(self):
        rules = self.rules(training(work=6_000, gap=2_500))
        self.assertEqual(rules[0], "launch_bound")
        self.assertNotIn("gpu_utilisation", rules)

    def test_little_use_is_bound_by_the_cpu(self):
        trace = training(work=2_000)
        for i in range(10):
            trace.host("aten::slow", i * 10_000 + 4_000, 5_000)
        self.assertEqual(set(self.rules(trace)) & {"gpu_utilisation", "cpu_bound"}, {"gpu_utilisation", "cpu_bound"})

    def test_copies(self):
        trace = training(work=8_000)
        for i in range(10):
            at = i * 10_000 + 8_210
            trace.launch("Memcpy HtoD (Pageable -> Device)", at - 5_000, at, 1_500, "cudaMemcpyAsync", cat="gpu_memcpy")
        self.assertEqual(self.rules(trace), ["pageable_copies"])

    def test_tiny_kernels_and_an_optimizer_that_is_not_fused(self):
        trace = training(work=5_000)
        for i in range(10):
            begin = i * 10_000 + 500
            trace.host("Optimizer.step#Adam.step", begin, 2_500, "user_annotation")
            for k in range(200):
                trace.host("aten::add_", begin + 12 * k, 11)
                trace.launch("elementwise", begin + 12 * k + 1, i * 10_000 + 5_210 + 12 * k, 4, call_us=10)
        self.assertEqual(set(self.rules(trace)) & {"tiny_kernels", "optimizer"}, {"tiny_kernels", "optimizer"})

    def test_operators_outside_of_an_optimizer_step_are_not_its_own(self):
        trace = training(work=5_000)
        for i in range(10):
            begin = i * 10_000 + 500
            for k in range(200):
                trace.host("aten::add_", begin + 12 * k, 11)
                trace.launch("elementwise", begin + 12 * k + 1, i * 10_000 + 5_210 + 12 * k, 4, call_us=10)
            trace.host("Optimizer.step#Adam.step", begin + 3_000, 2_500, "user_annotation")
        self.assertEqual(set(self.rules(trace)) & {"tiny_kernels", "optimizer"}, {"tiny_kernels"})

    def test_synchronising(self):
        trace = training(work=6_000)
        for i in range(10):
            for k in range(4):
                trace.host("cudaStreamSynchronize", i * 10_000 + 6_500 + 800 * k, 600, "cuda_runtime")
        self.assertIn("synchronisation", self.rules(trace))

    def test_tensor_cores(self):
        for name in ("volta_sgemm", "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize64x64x8_stage3_warpsize1x4x1_ffma_aligna4"):
            trace = training()
            for event in trace.events:
                event["name"] = event["name"].replace("volta_h884gemm", name)
            row, = self.view(trace, "findings")["rows"]
            self.assertEqual((row["rule"], row["speedup"]), ("tensor_cores", None))
            self.assertIn("is known for 50.0 % of kernel time", row["text"])
        trace.properties = V100 | {"computeMajor": 6}
        self.assertEqual(self.rules(trace), [])

    def test_memory(self):
        trace = training()
        trace.memory(5_000, 15 << 30)
        row, = self.view(trace, "findings")["rows"]
        self.assertEqual((row["rule"], row["base"], row["speedup"]), ("memory", "of device memory", None))
        self.assertAlmostEqual(row["share"], 15 / 16)

    def test_communication(self):
        trace = training(work=6_000)
        for i in range(10):
            trace.launch("ncclKernel_AllReduce_RING_LL_Sum_float", i * 10_000 + 6_250, i * 10_000 + 6_300, 2_000, stream=20)
        self.assertIn("communication", self.rules(trace))

    def test_a_trace_of_the_host(self):
        trace = Trace(None)
        for i in range(3):
            trace.step(i, i * 1000, 1000)
            trace.host("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", i * 1000, 600, "user_annotation")
            trace.host("aten::mm", i * 1000 + 600, 400)
        row, = self.view(trace, "findings")["rows"]
        self.assertEqual((row["rule"], row["severity"]), ("dataloader", "high"))
        overview = self.view(trace, "overview")
        self.assertEqual(overview["devices"], [])
        self.assertEqual(overview["mean"]["hta"], [])


class Workers(Sums):
    def test_one(self):
        trace = training(3)
        trace.launch("ncclKernel_AllReduce_RING_LL_Sum_float", 9_000, 9_700, 100, stream=20)
        answer = self.view(trace.bytes(distributedInfo={"backend": "nccl", "rank": 3}), "workers")
        row, = answer["rows"]
        self.assertEqual((row["worker"], row["rank"], row["steps"], row["communication_ns"]), (0, 3, 3, 100_000))
        self.assertEqual(sum(ns for _, ns in row["parts"]["hta"]), row["step_ns"])
        call, = answer["collectives"]
        self.assertEqual((call["calls"], call["total_ns"], call["wait_ns"]), (1, 100_000, None))

    def test_two(self):
        runs = []
        for rank, durations in enumerate(((100, 300), (200, 200))):
            trace = training(2, start=1_000_000 + 500 * rank)
            for i, duration in enumerate(durations):
                trace.launch("ncclKernel_AllReduce_RING_LL_Sum_float", i * 10_000 + 9_000, i * 10_000 + 9_650, duration, stream=20)
            runs.append(self.add(trace.bytes(distributedInfo={"backend": "nccl", "rank": rank}), name=f"host_{rank}.pt.trace.json")["id"])
        merged = self.request("POST", f"/api/v1/merge?ids={','.join(runs)}&wait=1")
        self.assertEqual(merged.status, 201, merged.body)
        path = f"{RUNS}/{merged.json['id']}"
        answer = self.get_json(path + "/workers")
        self.assertEqual([(row["worker"], row["rank"], row["steps"]) for row in answer["rows"]], [(0, 0, 2), (1, 1, 2)])
        call, = answer["collectives"]
        self.assertEqual([call[key] for key in ("calls", "total_ns", "transfer_ns", "wait_ns")], [4, 800_000, 600_000, 200_000])
        use = self.get_json(path + "/utilisation")
        self.assertEqual([(row["worker"], row["device"]) for row in use["devices"]], [(0, 0), (1, 0)])
        for definition in DEFINITIONS:
            self.assertAlmostEqual(sum(ns for _, ns in use["parts"][definition]), use["to_ns"] - use["from_ns"], delta=1)
        self.assertEqual(len(self.get_json(path + "/overview")["devices"]), 2)
