# SPDX-License-Identifier: MIT
"""The views of traces of XLA's profiler, of made traces whose tables are known."""
from server import RUNS, ServerTest
from made_xla import OPS, POOL, PYTHON, STREAM, WORKER, names, operator, recording, slice_of


class Xla(ServerTest):
    def run_of(self, *events):
        return self.add(recording(*events))["id"]

    def operators(self, run):
        """The name, program, calls, self and total time of each operator, and how long it waits, in us."""
        page = self.get_json(f"{RUNS}/{run}/xla_operators?format=rows&sort=name")
        return [tuple(row[key] for key in ("name", "program", "calls", "self_us", "total_us", "wait_us")) for row in page]

    def test_lines_that_repeat_others(self):
        device = names("/device:GPU:0", 1, (STREAM, "Stream #17(Kernel)"), (OPS, "XLA Ops"))
        run = self.run_of(device, [slice_of("gemm", STREAM, 0, 50, pid=1), slice_of("dot", OPS, 0, 60, pid=1)])
        self.assertEqual(self.operators(run), [("gemm", None, 1, 50, 50, 0)])
        tpu = names("/device:TPU:0", 1, (STREAM, "XLA Modules"), (OPS, "XLA Ops"))
        run = self.run_of(tpu, [slice_of("jit_f", STREAM, 0, 50, pid=1), slice_of("while", OPS, 0, 40, pid=1), slice_of("dot", OPS, 10, 20, pid=1)])
        self.assertEqual(self.operators(run), [("dot", None, 1, 20, 20, 0), ("while", None, 1, 20, 40, 0)])

    def test_operators_of_all_threads(self):
        wait = slice_of("Wait: pending_threads=1/2", WORKER, 610, 80)
        run = self.run_of(operator("dot", WORKER, 0, 100), operator("dot", POOL, 50, 100), operator("all-reduce.1", WORKER, 600, 100), [wait],
                          [slice_of("Wait: inner", WORKER, 620, 10), slice_of("ThunkExecutor::Execute", POOL, 0, 900)])
        self.assertEqual(self.operators(run), [("all-reduce.1", "jit_f", 1, 20, 100, 80), ("dot", "jit_f", 2, 200, 200, 0)])

    def test_what_a_step_is_spent_on(self):
        """Each moment counts for the first part that is active: compilation and dispatch not while operators run."""
        made = []
        for i, length in enumerate((1000, 1400)):
            at = 2000 * i
            made.append([slice_of("train", PYTHON, at, length, step_num=str(i)), slice_of("load", PYTHON, at, 100),
                         slice_of("PjitFunction(f)", PYTHON, at + 100, 300),
                         slice_of("np.asarray(jax.Array)", PYTHON, at + 500, 300), slice_of("CommonPjRtBuffer::Await", PYTHON, at + 850, 50)])
            made.append([slice_of("backend_compile_and_load", PYTHON, at + 150, 50)] if i else [])
            made.append(operator("dot", WORKER, at + 350, 250) + [slice_of("psum.1", POOL, at + 550, 100, hlo_op="psum.1", hlo_module="jit_f")])
        page = self.get_json(f"{RUNS}/{self.run_of(*made)}/xla_steps")
        rows = [dict(zip(page["columns"], row)) for row in page["rows"]]
        parts = ("operators", "collectives", "programs", "compilation", "transfers", "dispatch", "waiting", "outside", "until_next")
        self.assertEqual([row["duration_us"] for row in rows], [1000, 1400])
        self.assertEqual([rows[0][f"{part}_us"] for part in parts], [250, 50, 0, 0, 150, 250, 50, 250, 1000])
        self.assertEqual([rows[1][f"{part}_us"] for part in parts], [250, 50, 0, 250, 150, 0, 50, 650, None])
        self.assertEqual((page["sums"]["mean_us"], round(page["sums"]["deviation_us"], 3)), (1200, 282.843))

    def test_launches_of_kernels(self):
        device = names("/device:GPU:0", 1, (STREAM, "Stream #17(Kernel)"))
        details = " regs:32 static_shared:16 dynamic_shared:1024 grid:16,2,1 block:512,1,1 occ_pct:50"
        run = self.run_of(device, [slice_of("gemm", STREAM, 0, 50, pid=1, kernel_details=details), slice_of("other", STREAM, 60, 5, pid=1)])
        rows = self.get_json(f"{RUNS}/{run}/kernels?format=rows&launch=1&sort=total_us")
        self.assertEqual([[row[key] for key in ("name", "device", "grid", "block", "registers", "shared_bytes", "occupancy_pct")] for row in rows],
                         [["gemm", 0, "16, 2, 1", "512, 1, 1", 32, 1040, 50], ["other", 0, None, None, None, None, None]])

    def test_what_operators_compute_and_move(self):
        """The roofline has the FLOPs and bytes that XLA writes; planes are devices, and the time of an operator is its own."""
        events = []
        for device in (0, 1):
            events.append(names(f"/device:TPU:{device}", device + 1, (OPS, "XLA Ops")))
            events.append([slice_of("while", OPS, 0, 40, pid=device + 1),
                           slice_of("dot", OPS, 10, 20, pid=device + 1, flops="2000000", bytes_accessed="4000")])
        answer = self.get_json(f"{RUNS}/{self.run_of(*events)}/roofline")
        rows = {row["name"]: row for row in answer["rows"]}
        self.assertEqual((answer["devices"], answer["device_ns"], answer["modelled_ns"], answer["flops"], answer["bytes"]),
                         (2, 80_000, 40_000, 4e6, 8000))
        self.assertEqual([rows["dot"][key] for key in ("calls", "device_ns", "intensity")], [2, 40_000, 500])
        self.assertAlmostEqual(rows["dot"]["tflops"], 0.1)
        self.assertFalse(rows["while"]["has_model"])
