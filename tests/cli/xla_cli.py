# SPDX-License-Identifier: MIT
"""Traces of XLA's profiler, as JAX writes them: steps, waits for other threads, marks and repeated lines."""
import json
import os
import sys

from program import ROOT, ShelfTest

sys.path.insert(0, os.path.join(ROOT, "tests"))
from made_xla import PYTHON, WORKER, operator, recording, slice_of, step  # noqa: E402


class Xla(ShelfTest):
    def run_of(self, *events):
        return self.json("add", self.file("host.trace.json.gz", recording(*events)))

    def test_steps_are_steps(self):
        run = self.run_of(*(step(i, 1000.5 + 1100 * i, 300) for i in range(3)))
        self.assertEqual((run["kind"], run["repaired"], run["rejected"]), ("xla-trace", 0, 0))
        rows = self.json("sql", run["id"], "SELECT name, duration_ns FROM steps WHERE counted")
        self.assertEqual(rows, [{"name": f"train {i}", "duration_ns": 1000000} for i in range(3)])
        said = self.ok("show", run["id"])
        self.assertIn("The largest shares of the steps are 28.1 % in sort.0, 18.8 % in dot. All operators take 46.9 %.", said)
        self.assertRegex(said, r"(?m)^headline +1\.000 ms mean step$")
        self.assertRegex(said, r"(?m)^tool +XLA profiler$")
        self.assertNotRegex(said, r"(?m) (train|Await|.*wait for completion.*|end: dot)$")

    def test_a_step_in_a_step_is_none(self):
        inner = [slice_of("eval", PYTHON, 1300, 200, step_num="7")]
        run = self.run_of(step(10, 1000, 0), inner, step(11, 3000, 0))
        self.assertEqual([row["name"] for row in self.json("sql", run["id"], "SELECT name FROM steps")], ["train 10", "train 11"])

    def test_what_a_change_is_made_of(self):
        base, new = (self.run_of(*(step(i, 1100 * i, sort) for i in range(4)))["id"] for sort in (0, 300))
        rows = {row["name"]: row["delta"] for row in self.json("diff", base, new)["rows"]}
        self.assertEqual({name: delta for name, delta in rows.items() if delta}, {"sort.0": 300})

    def test_advice_on_steps_is_that_of_the_recorder(self):
        advice = "No steps are marked. jax.profiler.StepTraceAnnotation around each iteration marks them."
        said = self.ok("show", self.run_of([slice_of("f", PYTHON, 0, 900), *operator("dot", WORKER, 900, 200)])["id"])
        self.assertIn(advice, said)
        self.assertNotIn("NVTX", said)
        self.assertNotIn(advice, self.ok("show", self.run_of(step(1, 0, 300), step(2, 1100, 300))["id"]))
        other = {"traceEvents": [slice_of("f", PYTHON, 0, 900), slice_of("g", PYTHON, 950, 200)]}
        self.assertNotIn("StepTraceAnnotation", self.ok("show", self.json("add", self.file("other.json", json.dumps(other).encode()))["id"]))

    def test_compilation_is_said(self):
        run = self.run_of([slice_of("backend_compile_and_load", PYTHON, 0, 2_000_000), slice_of("f", PYTHON, 2_000_000, 2_000_000)])
        self.assertIn("JAX compiles 1 program while XLA records, which takes 100.0 % of the trace. Record after a warm-up", self.ok("show", run["id"]))

    def test_the_profiler_itself_is_no_cause(self):
        run = self.run_of([slice_of("$profiler.py:271 stop_trace", PYTHON, 3_000_000, 900_000), slice_of("f", PYTHON, 0, 100_000)])
        said = self.ok("show", run["id"])
        self.assertIn("f takes 100.0 % of the recorded work.", said)

    def test_what_is_of_xla(self):
        """The planes of XLA, in either order of the keys; not paths that end like them, nor other texts."""
        event = slice_of("f", 1, 0, 10)
        for process, kind in (("/host:CPU", "xla-trace"), ("/device:TPU:3", "xla-trace"), ("/job:a/task:0/device:CPU:0 Compute", "trace"),
                              ("/device:", "trace"), ("python", "trace")):
            for key in ("name", "args"):
                named = {"ph": "M", "pid": 1, "name": "process_name", "args": {"name": process}}
                ordered = {key: named[key], **named}
                made = {"traceEvents": [ordered, {"ph": "M", "pid": 1, "tid": 1, "name": "thread_name", "args": {"name": "/host:CPU"}}, event]}
                self.assertEqual(self.json("add", self.file("t.json", json.dumps(made).encode()))["kind"], kind, (process, key))

    def test_names_of_other_programs_mean_nothing(self):
        events = [slice_of("Wait: me", 1, 0, 10), slice_of("end: me", 1, 20, 5, step_num="1")]
        run = self.json("add", self.file("other.json", json.dumps({"traceEvents": events}).encode()))
        self.assertIn("Wait: me takes 66.7 % of the recorded work.", self.ok("show", run["id"]))
        self.assertEqual(self.json("sql", run["id"], "SELECT * FROM steps"), [])

    def test_hosts_are_told_apart(self):
        """Two hosts of one recording: the steps of each are its own, and shares are of one host."""
        with open(os.path.join(ROOT, "tests", "golden", "xplane", "ok_planes.pb"), "rb") as file:
            made = file.read()
        for host in ("a", "b"):
            self.file(f"hosts/plugins/profile/2026_12_01_10_00_00/{host}.xplane.pb", made)
        alone = self.json("add", self.file("alone.xplane.pb", made))["id"]
        both = self.json("add", f"{self.folder}/hosts")["id"]
        steps = [row["duration_ns"] for row in self.json("sql", alone, "SELECT duration_ns FROM steps ORDER BY start_ns")]
        rows = self.json("sql", both, "SELECT worker, duration_ns FROM steps ORDER BY worker, start_ns")
        self.assertEqual([(row["worker"], row["duration_ns"]) for row in rows], [(worker, ns) for worker in (0, 1) for ns in steps])
        said = [self.ok("show", run) for run in (alone, both)]
        self.assertIn("2 hosts were recorded. Shares are of worker 0", said[1])
        sentences = [next(line for line in text.splitlines() if " of the steps" in line) for text in said]
        self.assertEqual(sentences[0], sentences[1])

    def test_a_log_folder_is_one_run(self):
        """JAX with create_perfetto_trace=True, after xprof read the recording and left its caches."""
        made, session = recording(step(0, 0, 300)), "log/plugins/profile/2026_11_29_10_00_00"
        for name in ("vm.trace.json.gz", "perfetto_trace.json.gz"):
            self.file(f"{session}/{name}", made + bytes(len(name)))  # the files differ in bytes
        caches = ["ALL_HOSTS.op_stats_v2.pb", "vm.SSTABLE", "jit_f.hlo_proto.pb"]
        for name in caches:
            cache = self.file(f"{session}/{name}", b"\n\x07\x91\x00" + name.encode())
        added = self.run_verb("add", f"{self.folder}/log")
        self.assertEqual([line.split()[2] for line in added.stdout.decode().splitlines()], ["vm.trace.json.gz"])
        self.assertEqual(added.stderr.count(b"cache of xprof"), 0)
        self.assertEqual(added.stderr.count(b"perfetto_trace.json.gz: skipped: the same recording as vm.trace.json.gz"), 1)
        self.assertIn("cache of xprof", self.fails("add", cache))
