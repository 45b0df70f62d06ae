# SPDX-License-Identifier: MIT
"""Traces of torch 2.15 without a GPU (tests/recorded/torch-cpu): figures of torch-tb-profiler 0.4.3 and of key_averages(), and what `show` says."""
import gzip
import json
import os

from program import ROOT, ShelfTest

RECORDED = os.path.join(ROOT, "tests", "recorded", "torch-cpu")


class TorchCpu(ShelfTest):
    def add(self, name):
        return self.json("add", os.path.join(RECORDED, name + ".json.gz"))["id"]

    def parts(self, run):
        """Microseconds of the mean step, as the TensorBoard plugin divides it."""
        rows = self.rows(run, "SELECT name, avg(ns) / 1000.0 AS us FROM step_parts WHERE definition = 'tensorboard' GROUP BY name")
        return {row["name"]: row["us"] for row in rows if row["us"]}

    def rows(self, run, statement):
        return self.json("sql", run, statement)

    def test_annotations_are_no_operators(self):
        run = self.add("annotation-without-stack")
        self.assertAlmostEqual(self.parts(run)["cpu"], 303.1, delta=0.1)
        said = self.ok("show", run)
        self.assertIn("train_step takes 100.0 % of the trace. In it 98.5 % of the trace is outside of operators; "
                      "with_stack=True records the functions.", said)
        self.assertIn("profiler.step() marks steps if the profiler has a schedule=", said)

    def test_time_outside_operators_has_the_name_of_its_frame(self):
        run = self.add("annotation-with-stack")
        self.assertAlmostEqual(self.parts(run)["cpu"], 311.7, delta=0.1)
        self.assertIn("work (rec4.py:33) sleeps 97.0 % of the trace. Of it sleep takes 97.0 %.", self.ok("show", run))

    def test_parts_of_steps_with_collectives_of_the_host(self):
        for name, known in (("gloo-rank0", {"communication": 98_447.6, "cpu": 10_868.3, "other": 18_556.3}),
                            ("gloo-rank1", {"communication": 26_174.0, "cpu": 28_461.6, "other": 70_902.7})):
            run = self.add(name)
            for part, us in self.parts(run).items():
                self.assertAlmostEqual(us, known[part], delta=0.2)
            said = self.ok("show", run)
            self.assertIn(": 18 collectives", said)  # neither barriers nor what is received
            self.assertIn("Add the recordings of the other ranks, which tell whether one is late.", said)
            self.assertNotRegex(said, r"(?m)up to .*Communication that nothing overlaps")  # another rank may be late
            self.assertEqual("Only this rank was recorded: a wait for a later rank looks the same." in said, name == "gloo-rank0")
            calls, = self.rows(run, "SELECT count(*) AS n, sum(bytes_in) AS bytes FROM collectives WHERE name = 'gloo:all_reduce'")
            self.assertEqual((calls["n"], calls["bytes"]), (9, 1_014_072))

    def test_phases_of_compilation_are_no_operators(self):
        said = self.ok("show", self.add("first-step-compiles"))
        self.assertIn("One step takes 100.1 s, in which torch.compile compiles, the other 4 take 232.5 µs each (median).", said)
        self.assertIn("No single cause. The largest shares of each other step are 6.9 % in aten::normal_, 6.5 % in aten::mm, 3.3 % in aten::random_.", said)

    def test_a_backward_pass_counts_for_the_function_that_ran_forward(self):
        """Its time does, but its operators are no calls of the function."""
        def event(name, cat, ts, dur, **args):
            return {"ph": "X", "name": name, "cat": cat, "pid": 1, "tid": 1, "ts": ts, "dur": dur, "args": args}

        events = [event("app.py(30): learn", "python_function", 110, 9_296), event("app.py(3): score", "python_function", 110, 2_490),
                  event("torch/_tensor.py(500): backward", "python_function", 3_000, 6_406)]
        for i in range(80):
            number = {"Sequence number": i, "External id": i}
            events.append(event("aten::select", "cpu_op", 110 + 25 * i, 20, **number, **{"Fwd thread id": 0}))
            events.append(event("autograd::engine::evaluate_function: SelectBackward0", "cpu_op", 3_010 + 80 * i, 76, **number, **{"Fwd thread id": 1}))
            events.append(event("aten::zeros", "cpu_op", 3_015 + 80 * i, 25, **{"External id": 100 + i}))
        path = os.path.join(self.folder, "backward.pt.trace.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"schemaVersion": 1, "traceEvents": events}, file)
        said = self.ok("show", self.json("add", path)["id"])
        self.assertIn("score (app.py:3) takes 92.2 % of the trace.", said)  # 2.49 ms and 80 times 76 us of 9.296 ms
        self.assertIn("7.8 %  learn (app.py:30): 1 call", said)
        self.assertIn("aten::select: 80 calls", said)

    def test_shares_count_what_is_inside_of_their_base(self):
        """Without steps the base is the time of the operators: what a function does before them is no part of it."""
        def event(name, cat, ts, dur):
            return {"ph": "X", "name": name, "cat": cat, "pid": 1, "tid": 1, "ts": ts, "dur": dur}

        events = [event("app.py(10): main", "python_function", 100, 20_000), event("app.py(20): fit", "python_function", 5_100, 14_000)]
        events += [event("aten::sort", "cpu_op", 6_000 + 1_000 * i, 900) for i in range(13)]
        run = self.json("add", self.file("before.pt.trace.json", json.dumps({"schemaVersion": 1, "traceEvents": events}).encode()))["id"]
        said = self.ok("show", run)
        self.assertIn("fit (app.py:20) takes 100.0 % of the trace.", said)
        self.assertNotIn("main (app.py:10)", said)

    def test_both_exporters_have_the_same_memory(self):
        for name in ("python-exporter", "default-exporter"):
            rows = self.rows(self.add(name), "SELECT name, cpu_bytes, self_cpu_bytes FROM operators WHERE name IN ('aten::mul', 'PowBackward0') ORDER BY 1")
            self.assertEqual([(row["self_cpu_bytes"], row["cpu_bytes"]) for row in rows], [(-512, 256), (504, 512)], name)

    def test_events_at_time_zero_do_not_stretch_the_trace(self):
        events = [{"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": ts, "dur": dur}
                  for name, ts, dur in (("aten::a", 1_750_000_000_000_000, 5), ("aten::a", 1_750_000_000_000_040, 5), ("aten::b", 0.0, 0.0))]
        for order in (events, events[::-1]):
            run = self.json("add", self.file("zero.json", json.dumps({"schemaVersion": 1, "traceEvents": order}).encode()))["id"]
            self.assertIn("Operators take 10.00 µs of the 45.00 µs of the trace.", self.ok("show", run))
            self.assertEqual([row["what"] for row in self.rows(run, "SELECT what FROM notes")],
                             ["events at time 0, long before all others, moved to the start of the trace: 1"])
            self.assertEqual({row["name"]: row["calls"] for row in self.rows(run, "SELECT name, calls FROM operators")}, {"aten::a": 2, "aten::b": 1})

    def test_only_different_ranks_of_one_job_are_joined(self):
        names = sorted(os.listdir(os.path.join(RECORDED, "lightning")))
        runs = self.ok("add", os.path.join(RECORDED, "lightning"))
        self.assertEqual([line.split()[2] for line in runs.splitlines()], names)
        self.assertEqual([len(self.rows(line.split()[0], "SELECT * FROM steps")) for line in runs.splitlines()], [5, 2])
        for ranks, n in (((0, 1), 1), ((0, 0), 2)):
            folder = os.path.join(self.folder, f"log{n}")
            for i, rank in enumerate(ranks):
                with open(os.path.join(RECORDED, f"gloo-rank{rank}.json.gz"), "rb") as file:
                    trace = gzip.decompress(file.read()) + b" " * i  # one trace twice is one run
                self.file(f"log{n}/host_{i}.1727759448000.pt.trace.json", trace)
            self.assertEqual(len(self.ok("add", folder).splitlines()), n)

    def test_a_table_after_megabytes_of_other_output(self):
        with open(os.path.join(ROOT, "tests", "golden", "key_averages", "ok_stack_flops.txt"), "rb") as file:
            table = file.read()
        for n in (20_000, 60_000):
            log = self.file(f"{n}.log", b"".join(b"2025-06-01 12:00:00 INFO epoch 1 step %d loss=0.1234\n" % i for i in range(n)) + table)
            self.assertEqual(self.json("add", log)["kind"], "key-averages")

    def test_categories_at_the_peak_add_up_to_it(self):
        said = self.ok("show", self.add("memory-timeline-unknown"))
        self.assertIn("optimizer state holds 35.6 % of the peak. 196 KiB of 552 KiB.", said)

    def test_collectives_whose_ranks_are_no_list(self):
        for ranks in ("[]", "", "x", "[0, 1]", None, 7):
            args = {"Collective name": "allreduce", "In msg nelems": 10, "Group size": 2, "dtype": "Float", "Process Group Ranks": ranks, "device": 0,
                    "stream": 7, "correlation": 1}
            if ranks is None:
                del args["Process Group Ranks"]
            kernel = {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "pid": 0, "tid": 7, "ts": 10, "dur": 5, "args": args}
            run = self.json("add", self.file("ranks.json", json.dumps({"schemaVersion": 1, "traceEvents": [kernel]}).encode()))["id"]
            self.assertEqual(self.rows(run, "SELECT bytes_in FROM collectives"), [{"bytes_in": 40}], ranks)
