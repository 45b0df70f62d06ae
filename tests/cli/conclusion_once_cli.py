# SPDX-License-Identifier: MIT
"""What a recording has once, or from its own profiler: no cause of the program's steady state."""
import json
import os
import sqlite3
import unittest

from program import ShelfTest

PID = 1 << 48 | 500 << 24


def event(name, cat, ts, dur, tid=1, **args):
    return {"ph": "X", "cat": cat, "name": name, "pid": 0 if cat in ("kernel", "gpu_memcpy") else 100, "tid": tid, "ts": ts, "dur": dur, "args": args}


def launch(ts, correlation, at, dur=80, call=10):
    """A launch and its kernel."""
    return [event("cudaLaunchKernel", "cuda_runtime", ts, call, correlation=correlation),
            event("gemm", "kernel", at, dur, tid=7, device=0, stream=7, correlation=correlation)]


def loop(ts, n, first=1):
    """Kernels that keep the device busy."""
    return [e for i in range(n) for e in launch(ts + 100 * i, first + i, ts + 100 * i + 15)]


class Once(ShelfTest):
    def show(self, events, **head):
        trace = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "A"}], "traceEvents": events, **head}
        return self.ok("show", self.json("add", self.file("made.json", json.dumps(trace).encode()))["id"])

    def test_a_first_step_that_takes_longer_than_all_others(self):
        steps, events = [(0, 9_000)] + [(9_000 + 1_000 * i, 900 + 100 * (i == 3)) for i in range(4)], []
        for i, (start, length) in enumerate(steps):
            events.append(event(f"ProfilerStep#{i}", "user_annotation", start, length))
            events.append(event("aten::first" if i == 0 else "aten::mm", "cpu_op", start + 10, length - 100))
        said = self.show(events)
        self.assertIn("One step takes 9.000 ms, the other 4 take 900.0 µs each (median). No single cause. ", said)
        self.assertIn("The largest share of each other step is 89.2 % in aten::mm. Matrix products, convolutions and attention, forward and backward, take 89.2 % of each other step.", said)
        self.assertNotIn("aten::first", said[:said.index("Parts of a step")] if "Parts of a step" in said else said)
        self.assertIn("Tables and the mean step have all steps.", said)

    def test_the_start_of_the_device(self):
        said = self.show([event("cudaFree", "cuda_runtime", 0, 900, correlation=90)] + loop(1_000, 5))
        self.assertIn("Start-up takes 60.2 % of the trace: the host blocks once in cudaFree. The first calls start the device and load kernels; "
                      "the longest takes 900.0 µs. Of the other 595.0 µs kernels take 400.0 µs.", said)
        self.assertIn("GPU idle, once: the device starts, or kernels are loaded: cudaFree 900.0 µs", said)
        self.assertNotIn("up to 900.0 µs", said)

    def test_the_start_and_first_launches_are_one_cause(self):
        names = ["cudaDeviceGetStreamPriorityRange", "cudaFree", "cuModuleLoadData"]
        events = [event(name, "cuda_runtime", 4_000 * i, 3_000, correlation=90 + i) for i, name in enumerate(names)]
        first = launch(12_000, 80, 14_100, call=2_000)
        said = self.show(events + first + loop(15_000, 20))
        self.assertIn("the host blocks once in cudaDeviceGetStreamPriorityRange and 3 other driver calls.", said)
        self.assertRegex(said, r"11\.00 ms +6\d\.\d % +GPU idle, once: the device starts, or kernels are loaded: 4 calls")
        self.assertNotIn("host blocks in", said)

    def test_each_kernel_and_library_is_loaded_once(self):
        def load(name, ts, i):
            return [event(name, "cuda_runtime", ts, 3_000, correlation=200 + i)]
        kernels = [e for i in range(6) for e in launch(5_000 * i, 80 + i, 5_000 * i + 4_200, call=4_000)]
        for i, kernel in enumerate(e for e in kernels if e["cat"] == "kernel"):
            kernel["name"] = f"gemm_{i}"
        said = self.show(kernels + loop(31_000, 20))
        self.assertIn("the host blocks in 6 calls of cudaLaunchKernel. ", said)
        self.assertNotIn("could save", said)
        said = self.show(loop(0, 3) + [e for i in range(6) for e in load("cuLibraryLoadData", 1_000 + 4_000 * i, i)] + loop(25_000, 20, 500))
        self.assertIn("the host blocks in 6 calls of cuLibraryLoadData. ", said)
        self.assertNotIn("could save", said)

    def test_few_calls_that_take_nearly_all_time_of_their_name_are_no_loop(self):
        calls = [event("cudaFree", "cuda_runtime", 400 + 9_100 * i if i < 2 else 20_000 + 30 * i, 9_000 if i < 2 else 20, correlation=300 + i) for i in range(8)]
        said = self.show(loop(0, 3) + calls + loop(20_300, 20, 500))
        self.assertIn("the host blocks in 2 calls of cudaFree. ", said)
        self.assertNotIn("GPU idle: host blocks", said)
        self.assertNotIn("One call takes much longer", said)

    def test_layers_of_a_model_are_no_loop_over_elements(self):
        def run(names, times, us):
            ops = [name for _ in range(times) for name in names]
            return self.show([event("infer", "user_annotation", 0, len(ops) * us)] + [event(name, "cpu_op", us * i, us - 2) for i, name in enumerate(ops)])
        said = run([f"aten::layer_{i}" for i in range(8)], 41, 20)
        self.assertIn("infer takes 100.0 % of the trace.", said)
        self.assertNotIn("could be saved", said)
        self.assertIn("in a Python loop over small operators", run(["aten::select", "aten::add"], 200, 20))

    def test_few_kernels_are_not_launched_less_often(self):
        said = self.show([event("aten::mm", "cpu_op", 0, 140)] + launch(2, 1, 140, dur=4))
        self.assertNotIn("The host is too slow", said)
        self.assertNotIn("could save", said)

    def test_copies_save_what_the_rest_hides(self):
        def copies(n, us):
            return [e for i in range(n) for e in
                    (event("cudaMemcpyAsync", "cuda_runtime", i * (us + 100), 10, correlation=700 + i),
                     event("Memcpy HtoD (Pageable -> Device)", "gpu_memcpy", i * (us + 100) + 15, us, tid=7, device=0, stream=7, correlation=700 + i, bytes=1 << 20))]
        said = self.show(copies(20, 900) + loop(20_000, 20))
        self.assertRegex(said, r"18\.00 ms +8\d\.\d % +up to 3\.\d+ ms +Copies that nothing overlaps: 20 copies")
        said = self.show(copies(3, 9_000) + loop(28_000, 20))
        self.assertIn("Copies that nothing overlaps: 3 copies", said)
        self.assertNotIn("up to", said[:said.index("Copies that nothing")].splitlines()[-1])

    def test_launches_that_block_often_are_no_start(self):
        events = [e for i in range(5) for e in launch(4_000 * i, 80 + i, 4_000 * i + 3_050, call=3_000)]
        said = self.show(events)
        self.assertIn("because the host blocks in cudaLaunchKernel", said)
        self.assertNotIn("Start-up", said)

    def test_several_calls_that_start_the_device(self):
        said = self.show([event("cudaFree", "cuda_runtime", 0, 4_000, correlation=90), event("cudaFree", "cuda_runtime", 4_500, 5_000, correlation=91)] + loop(10_000, 5))
        self.assertIn("Start-up takes", said)
        self.assertNotRegex(said, "up to .*cudaFree")

    def test_calls_of_several_threads_share_the_time_of_the_start(self):
        calls = [event(name, "cuda_runtime", 1_000 * i, 4_000, tid=i + 1, correlation=90 + i) for i, name in enumerate(["cudaFree", "cudaSetDevice", "cudaStreamCreate"])]
        said = self.show(calls + loop(7_000, 5))
        self.assertRegex(said, r"6\.000 ms +\d\d\.\d % +GPU idle, once: the device starts, or kernels are loaded: 3 calls")
        for call in calls:
            self.assertRegex(said, rf"2\.000 ms +\d\d\.\d % +{call['name']}: 4\.000 ms")

    def test_calls_that_also_block_while_the_device_works_are_no_start(self):
        calls = [event("hostCall", "cuda_runtime", 400 + 3_000 * i, 2_000, tid=2, correlation=300 + i) for i in range(12)]
        work = [e for i in range(3, 12) for e in launch(300 + 3_000 * i, 80 + i, 320 + 3_000 * i, dur=2_900)]
        said = self.show(launch(0, 1, 15) + calls + work)
        self.assertNotIn("Start-up", said)
        self.assertNotIn("GPU idle, once", said)

    def test_what_is_freed_after_the_last_work(self):
        frees = [event("cuModuleUnload", "cuda_driver", 1_000 + 100 * i, 90, correlation=90 + i) for i in range(9)]
        said = self.show(loop(0, 5) + frees)
        self.assertIn("because the host blocks in cuModuleUnload, after its last work.", said)
        self.assertIn("GPU idle, after its last work: host blocks in cuModuleUnload", said)
        self.assertNotRegex(said, "up to .*cuModuleUnload")

    def test_a_range_that_is_shorter_than_the_span_is_named(self):
        outside = {"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "pid": "Spans", "tid": "PyTorch Profiler", "ts": 0, "dur": 100_000}
        said = self.show(loop(1_000, 5) + [outside])
        self.assertRegex(said, r"The trace is here the [\d.]+ µs from the first to the last operator, driver call or work of a device; all events span 100\.0 ms\.")
        self.assertIn("No steps are marked, so the shares are of that time.", said)
        self.assertNotIn("The trace is here", self.show(loop(1_000, 5)))

    def test_work_that_was_launched_before_the_recording(self):
        wait = event("cudaStreamSynchronize", "cuda_runtime", 0, 900, correlation=90)
        said = self.show([wait] + loop(1_000, 5))
        self.assertRegex(said, r"The GPU works on launches from before the recording [\d.]+ % of the trace; the host waits in cudaStreamSynchronize\.")
        self.assertNotIn("up to 900.0 µs", said)
        # after a launch the device is idle
        said = self.show(launch(0, 80, 20, dur=10) + [{**wait, "ts": 100}] + loop(1_000, 5))
        self.assertIn("The GPU is idle", said)
        self.assertIn("because the host blocks in cudaStreamSynchronize", said)

    def test_launched_work_waits_for_work_that_was_not_recorded(self):
        wait = event("hipMemcpyWithStream", "cuda_runtime", 20, 8_980, correlation=90)
        said = self.show(launch(0, 80, 9_000) + [wait] + loop(9_200, 5))
        self.assertRegex(said, r"The GPU is busy with work that was not recorded 9\d\.\d % of the trace\. Launched work waits behind it for 8\.9\d+ ms of ")
        self.assertNotIn("host blocks", said)
        self.assertRegex(said, r"225\.0 µs +2\.\d % +GPU idle, waiting for the CPU")
        self.assertNotIn("up to", said)
        # launched after the wait, the work does not wait
        said = self.show([wait] + launch(9_010, 80, 9_030) + loop(9_200, 5))
        self.assertIn("because the host blocks in hipMemcpyWithStream", said)

    def test_the_gpu_computes_though_earlier_work_was_not_recorded(self):
        said = self.show(launch(0, 80, 5_000, dur=9_000) + loop(14_100, 5))
        self.assertRegex(said, r"The GPU computes 6\d\.\d % of the trace\.")
        self.assertIn("GPU busy with work that was not recorded: launched work waits behind it", said)
        self.assertNotIn("up to", said)

    def test_waits_of_mtia_are_no_work(self):
        def work(name, ts, dur):
            return {"ph": "X", "cat": "mtia_ccp_events", "name": name, "pid": 9, "tid": 4, "ts": ts, "dur": dur, "args": {"sqid": 1}}

        call = event("runFunction - job_prep_and_submit_for_execution", "mtia_runtime", 0, 20, correlation=1)
        said = self.show([call, work("event_wait", 30, 9_000), work("fc-dtype_Float", 9_030, 600), work("event_record", 9_630, 300)])
        self.assertRegex(said, r"600\.0 µs +6\.\d % +GPU kernels: 1 kernel")
        self.assertNotIn("event_wait takes", said)

    def test_devices_are_named_as_the_trace_names_them(self):
        def label(text, pid=0, key="labels"):
            return {"ph": "M", "name": f"process_{key}", "pid": pid, "tid": 0, "args": {key: text}}

        busy = launch(0, 50, 5_000, dur=9_000) + loop(14_100, 5)
        idle = loop(0, 5) + loop(9_000, 5, 20)
        second = [{**each, "pid": 1} for each in launch(0, 50, 5_000, dur=9_000) if each["cat"] == "kernel"]
        for word, marks in (("XPU", [label("XPU 0")]), ("HPU", [label("HPU 3", key="name")]), ("GPU", []), ("GPU", [label("python 7", key="name")]),
                            ("TPU", [label("/device:TPU:0 (pid 3)", key="name")]), ("GPU", [label("XPU 0"), label("NPU 1", pid=1), *second])):
            said = self.show(marks + busy)
            self.assertIn(f"The {word} computes ", said)
            self.assertIn(f"{word} kernels: ", said)
        said = self.show([label("XPU 0")] + idle)
        self.assertIn("The XPU is idle", said)
        self.assertIn("The XPU waits", said)
        self.assertIn("XPU idle, waiting for the CPU", said)
        self.assertNotIn("GPU", said)

    def test_a_comparison_names_the_devices_as_the_traces_do(self):
        def run(word, dur):
            events = [{"ph": "M", "name": "process_labels", "pid": 0, "tid": 0, "args": {"labels": f"{word} 0"}}]
            for step in range(4):
                start = 1_000 * step
                events.append(event(f"ProfilerStep#{step}", "user_annotation", start, 150 + dur))
                events += launch(start + 10, step + 1, start + 40, dur=dur)
            trace = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "A"}], "traceEvents": events}
            return self.json("add", self.file(f"{word}{dur}.json", json.dumps(trace).encode()))["id"]

        for words, kernel in (("XPU", "XPU"), "XPU kernel"), (("GPU", "GPU"), "GPU kernel"), (("GPU", "XPU"), "device kernel"):
            self.assertIn(kernel, self.ok("diff", run(words[0], 200), run(words[1], 600)))

    def test_the_profilers_own_time_is_no_cause_of_torch(self):
        request = {"ph": "X", "cat": "overhead", "name": "Activity Buffer Request", "pid": -1, "tid": 0, "ts": 510, "dur": 900}
        said = self.show(loop(0, 5) + launch(505, 50, 1_430, call=910) + [request] + loop(1_500, 5, 60))
        self.assertNotIn("host blocks", said)
        self.assertIn("The profiler's own work takes 900.0 µs, which is in no cause.", said)

    def test_the_profilers_own_time_is_said_first_if_it_is_most(self):
        request = {"ph": "X", "cat": "overhead", "name": "Activity Buffer Request", "pid": -1, "tid": 0, "ts": 10, "dur": 9_000}
        said = self.show(launch(0, 50, 9_030, call=9_020) + [request] + loop(9_200, 5))
        self.assertRegex(said, r"(?m)^The profiler's own work takes 9\d\.\d % of the trace\. ")

    def show_nsys(self, **tables):
        return self.ok("show", self.add_nsys(**tables))

    def add_nsys(self, **tables):
        """Adds an export of Nsight Systems; names of calls are texts, replaced by ids."""
        path, texts = os.path.join(self.folder, "made.sqlite"), {}
        columns = {
            "PROFILER_OVERHEAD": "start, end, nameId, globalTid, returnValue", "OSRT_API": "start, end, nameId, globalTid",
            "CUPTI_ACTIVITY_KIND_RUNTIME": "start, end, nameId, globalTid, correlationId, returnValue",
            "CUPTI_ACTIVITY_KIND_KERNEL": "start, end, shortName, demangledName, globalPid, deviceId, contextId, streamId, correlationId,"
                                          " gridX, gridY, gridZ, blockX, blockY, blockZ",
            "CUPTI_ACTIVITY_KIND_MEMCPY": "start, end, deviceId, contextId, streamId, correlationId, globalPid, bytes, copyKind, srcKind, dstKind,"
                                          " migrationCause",
            "NVTX_EVENTS": "start, end, text, globalTid, eventType"}
        if os.path.exists(path):
            os.remove(path)
        with sqlite3.connect(path) as db:
            db.executescript("""
                CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
                CREATE TABLE META_DATA_EXPORT(name, value);
                CREATE TABLE ANALYSIS_DETAILS(globalVid, duration, startTime, stopTime);
                INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_VERSION', '2025.1');
            """)
            for table, rows in tables.items():
                db.execute(f"CREATE TABLE {table}({columns[table]})")
                for row in rows:
                    row = [texts.setdefault(v, len(texts) + 1) if isinstance(v, str) and table != "NVTX_EVENTS" else v for v in row]
                    db.execute(f"INSERT INTO {table} VALUES ({','.join('?' * len(row))})", row)
            db.executemany("INSERT INTO StringIds VALUES (?, ?)", [(id, text) for text, id in texts.items()])
        db.close()
        return self.json("add", path)["id"]

    def test_a_longer_wait_for_the_device_is_explained_by_its_work(self):
        def run(us):
            return self.add_nsys(
                CUPTI_ACTIVITY_KIND_RUNTIME=[(1_000, 11_000, "cudaLaunchKernel", PID | 500, 1, 0), (12_000, 20_000 + us * 1000, "cudaStreamSynchronize", PID | 500, 2, 0)],
                CUPTI_ACTIVITY_KIND_KERNEL=[(12_000, 15_000 + us * 1000, "gemm", "gemm", PID, 0, 1, 7, 1, 1, 1, 1, 1, 1, 1)])
        said = self.ok("diff", run(200), run(600))
        self.assertIn("gemm explains +400.0 µs of +400.0 µs. The host waits for it in cudaStreamSynchronize: +400.0 µs of +400.0 µs.", said)

    def show_migrations(self, *migrations, length=60_000):
        """A kernel of 10 ms, with 100 copies for each (copyKind, migrationCause, device)."""
        kernel = (1_000_000, 11_000_000, "gemm", "gemm", PID, 0, 1, 7, 1, 1, 1, 1, 1, 1, 1)
        return self.show_nsys(
            CUPTI_ACTIVITY_KIND_RUNTIME=[(900_000, 950_000, "cudaLaunchKernel", PID | 500, 1, 0)], CUPTI_ACTIVITY_KIND_KERNEL=[kernel],
            CUPTI_ACTIVITY_KIND_MEMCPY=[(1_000_000 + 100_000 * i, 1_000_000 + 100_000 * i + length, device, 1, 4294967295, None, PID, 65536, kind, 4, 4, cause)
                                        for kind, cause, device in migrations for i in range(100)])

    def test_page_faults_of_kernels_move_managed_memory(self):
        said = self.show_migrations((11, 2, 0))
        self.assertIn("Kernels run while page faults move managed memory to the GPU, 59.4 % of the trace. It is 100 migrations of 6.25 MiB, "
                      "during 60.0 % of the time of kernels. The recording does not tell how much of that time kernels wait.", said)
        self.assertIn("cudaMemPrefetchAsync", said)
        self.assertNotIn("up to", said)
        said = self.show_migrations((11, 3, 0), (12, 4, 0))
        self.assertIn("Other pages were evicted, since more is used than fits on the device.", said)
        self.assertNotIn("cudaMemPrefetchAsync", said)

    def test_few_page_faults_are_a_part_of_the_kernels(self):
        said = self.show_migrations((11, 2, 0), length=12_000)
        self.assertIn("The GPU computes 99.0 % of the trace.", said)
        self.assertIn("Managed memory moves to the GPU on page faults: 100 migrations of 6.25 MiB, during 12.0 % of the time of kernels", said)
        self.assertNotIn("anaged memory", self.show_migrations((11, 2, 0), length=9_000))

    def test_other_migrations_are_not_what_kernels_wait_for(self):
        for other in [(11, 1, 0), (11, 5, 0), (11, 0, 0), (11, None, 0), (12, 2, 0), (12, 4, 0), (13, 2, 0), (1, 2, 0), (11, 2, 1)]:
            said = self.show_migrations(other)
            self.assertIn("The GPU computes 99.0 % of the trace.", said, other)
            self.assertNotIn("anaged memory", said, other)

    def test_the_range_of_the_host_is_named_while_the_gpu_is_idle(self):
        ms, thread = 1_000_000, PID | 500
        said = self.show_nsys(
            CUPTI_ACTIVITY_KIND_RUNTIME=[(t * ms, t * ms + 10_000, "cudaLaunchKernel", thread, t, 0) for t in (0, 120)],
            CUPTI_ACTIVITY_KIND_KERNEL=[(t * ms + 20_000, t * ms + 90_000, "gemm", "gemm", PID, 0, 1, 7, t, 1, 1, 1, 1, 1, 1) for t in (0, 120)],
            NVTX_EVENTS=[(5 * ms, 100 * ms, "compile fusion", thread, 59), (10 * ms, 90 * ms, "Nvrtc::CompileProgram", thread, 59)])
        self.assertIn("The GPU is idle 99.9 % of the trace. ", said)
        self.assertIn("Meanwhile the host runs Nvrtc::CompileProgram for 66.7 % of that time.", said)
        self.assertNotIn("too slow", said)
        self.assertNotIn("could be saved", said)
        self.assertNotIn("profiler.step()", said)
        self.assertIn("An NVTX range around each iteration can be chosen as the step.", said)

    def test_repeated_ranges_are_chosen_as_steps(self):
        ms, thread = 1_000_000, PID | 500
        self.show_nsys(
            CUPTI_ACTIVITY_KIND_RUNTIME=[(t, t + 10_000, "cudaLaunchKernel", thread, i, 0) for i, t in enumerate(range(13 * ms, 120 * ms, 20 * ms), 1)],
            CUPTI_ACTIVITY_KIND_KERNEL=[(t + 20_000, t + 2_020_000, "gemm", "gemm", PID, 0, 1, 7, i, 1, 1, 1, 1, 1, 1)
                                        for i, t in enumerate(range(13 * ms, 120 * ms, 20 * ms), 1)],
            NVTX_EVENTS=[(20 * i * ms, (20 * i + 19) * ms, f"iteration {i}", thread, 59) for i in range(6)] +
                        [((20 * i + 2) * ms, (20 * i + 12) * ms, "load_batch", thread, 59) for i in range(6)])
        said = self.ok("show", "@1")
        self.assertIn("iteration 0 and alike run 6 times and cover 95.8 % of the trace: show --step 'iteration' takes them as steps.", said)
        self.assertNotIn("profiler.step()", said)
        self.assertNotIn("An NVTX range around each iteration", said)
        said = self.ok("show", "@1", "--step", "iteration")
        self.assertIn("The GPU is idle 89.9 % of each step. The GPU waits 17.83 ms of the 19.83 ms of a step for the CPU to launch 1 kernel a step. "
                      "Meanwhile the host runs load_batch for 56.1 % of that time.", said)
        self.assertIn("A step begins with a range named iteration, and lasts until the next one.", said)
        self.assertNotIn("No steps are marked", said)
        self.assertIn("17.83 ms of the 19.83 ms of a step", self.ok("show", "@1", "--step", "iteration", "--markdown"))
        self.assertIn("no annotation or NVTX range has the name epoch", self.fails("show", "@1", "--step", "epoch"))

    def test_a_chosen_step_is_no_cause_of_itself(self):
        events = []
        for i in range(4):
            start = 20_000 * i
            events += [event(f"epoch {i}", "user_annotation", start, 19_000), event("augment", "user_annotation", start + 1_000, 15_000),
                       event("aten::mul", "cpu_op", start + 2_000, 9_000), event("aten::add", "cpu_op", start + 17_000, 1_000)]
        said = self.show(events)
        self.assertIn("--step 'epoch'", said)
        said = self.ok("show", "@1", "--step", "epoch")

        self.assertIn("augment takes 75.9 % of each step. Of it aten::mul takes 45.6 %", said)

    def test_the_profilers_own_time_is_no_cause_of_nsys(self):
        said = self.show_nsys(PROFILER_OVERHEAD=[(0, 900_000, "NVTX early profiling initialization", PID | 500, 0)],
                              OSRT_API=[(950_000, 1_000_000, "read", PID | 500)])
        self.assertIn("No work of a GPU was recorded. Of the recorded calls, read takes the most time, 50.00 µs in 1 call. A call may be a wait.", said)
        self.assertIn("The profiler's own work takes 900.0 µs, which is in no cause.", said)
        said = self.show_nsys(PROFILER_OVERHEAD=[(0, 900_000, "NVTX early profiling initialization", PID | 500, 0)])
        self.assertIn("No work of a GPU was recorded. The file has no calls of the program either.", said)

    def test_calls_that_take_little_of_a_trace_do_not_tell_what_it_does(self):
        said = self.show_nsys(OSRT_API=[(0, 1_000_000, "read", PID | 500), (99_000_000, 100_000_000, "open64", PID | 500)])
        self.assertIn("No work of a GPU was recorded. The recorded calls take 2.0 % of the trace: it does not tell what the program does.", said)

    def test_driver_calls_without_work_of_a_device_are_no_steps(self):
        said = self.show_nsys(OSRT_API=[(0, 4_000_000, "poll", PID | 501)],
                              CUPTI_ACTIVITY_KIND_RUNTIME=[(5_000_000, 5_100_000, "cudaMalloc", PID | 500, 1, 0)])
        self.assertIn("Of the recorded calls, poll takes the most time, 4.000 ms in 1 call.", said)
        self.assertNotIn("steps", said)


if __name__ == "__main__":
    unittest.main()
