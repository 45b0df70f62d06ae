# SPDX-License-Identifier: MIT
"""The steps of a made serving engine (tests/made_serving.py), of which phases, tokens, kernels and times are known."""
import contextlib
import json
import os
import sqlite3
import statistics
import sys
import tempfile

from server import ROOT, RUNS, ServerTest

sys.path.insert(0, os.path.join(ROOT, "tests"))
import made_serving  # noqa: E402

STEPS = 64


class InferenceTest(ServerTest):
    def setUp(self):
        super().setUp()
        trace, self.truth = made_serving.make(STEPS)
        self.run = self.add(json.dumps(trace).encode(), name="serving.json")
        self.path = f"{RUNS}/{self.run['id']}"

    def of_phase(self, phase, key):
        return [step[key] for step in self.truth if step["phase"] == phase]

    def test_steps_are_those_that_were_made(self):
        answer = self.get_json(self.path + "/inference")
        columns = answer["columns"]
        self.assertEqual((answer["engine"], answer["steps"], answer["omitted"], answer["detailed"], answer["assumed"]), ("vLLM", STEPS, 0, True, False))
        self.assertEqual([answer["phase_names"][phase] for phase in columns["phase"]], [step["phase"] for step in self.truth])
        for key in ("requests", "tokens", "kernels"):
            self.assertEqual(columns[key], [step[key] for step in self.truth], key)
        self.assertEqual([a + b for a, b in zip(columns["prefill_context"], columns["decode_context"])], [step["context"] for step in self.truth])
        self.assertEqual(columns["busy_ns"], [step["ns"] for step in self.truth])  # one stream: nothing overlaps
        self.assertEqual([sum(values) for values in zip(*(family["ns"] for family in answer["families"]))], columns["busy_ns"])
        self.assertEqual({family["family"] for family in answer["families"]}, {1, 2, 10})  # matmul, norm, attention
        self.assertIsNone(answer["odd"])
        self.assertEqual(answer["outside_kernels"], 1)  # the copy before the first step
        self.assertEqual(answer["outside_ns"], 5000)
        self.assertEqual(columns["padded"], [None] * STEPS)
        starts = [start for start, count in zip(columns["first_ns"], columns["kernels"]) if count]
        periods = [period for period, count in zip(columns["period_ns"], columns["kernels"]) if count]
        self.assertEqual(periods, [b - a for a, b in zip(starts, starts[1:])] + [None])

    def test_phases_have_the_medians_of_their_steps(self):
        answer = self.get_json(self.path + "/inference")
        phases = {phase["phase"]: phase for phase in answer["phases"]}
        self.assertEqual({name: phase["steps"] for name, phase in phases.items()},
                         {name: len(self.of_phase(name, "ns")) for name in ("idle", "prefill", "mixed", "decode")})
        for name in ("prefill", "mixed", "decode"):
            self.assertEqual(phases[name]["busy_ns"], statistics.median_low(self.of_phase(name, "ns")), name)
            self.assertEqual(phases[name]["tokens"], statistics.median_low(self.of_phase(name, "tokens")), name)
            rates = [round(tokens * 1e9 / ns) for tokens, ns in zip(self.of_phase(name, "tokens"), self.of_phase(name, "ns"))]
            self.assertEqual(phases[name]["tokens_per_busy_s"], statistics.median_low(rates), name)
        self.assertIsNone(phases["idle"]["busy_ns"])

    def test_parts_are_those_of_the_median_steps(self):
        answer = self.get_json(self.path + "/inference/parts?step=13")
        self.assertEqual([column["phase"] for column in answer["steps"]], ["prefill", "mixed", "decode", "decode"])
        self.assertEqual(answer["steps"][3]["name"], self.truth[12]["name"])
        for i, column in enumerate(answer["steps"]):
            self.assertEqual(sum(row["ns"][i] for row in answer["rows"]), column["busy_ns"])
            self.assertEqual(sum(row["calls"][i] for row in answer["rows"]), column["kernels"])
        layer = made_serving.layer(self.truth[12]["tokens"], self.truth[12]["context"])
        self.assertEqual({row["name"]: row["ns"][3] for row in answer["rows"]}, {name: made_serving.LAYERS * ns for name, _, ns in layer})
        operators = self.get_json(self.path + "/inference/parts?by=operator")
        self.assertEqual([(row["name"], row["name_id"]) for row in operators["rows"]], [("", 0)])  # the made file has no operators

    def test_without_device_work_times_are_those_of_the_host(self):
        run = self.add(json.dumps(made_serving.make_cpu()).encode(), name="cpu.json")
        answer = self.get_json(f"{RUNS}/{run['id']}/inference")
        columns, phases = answer["columns"], {phase["phase"]: phase for phase in answer["phases"]}
        lengths = [9_000_000, *(3_000_000 + 10_000 * i for i in range(7)), 800_000_000, 3_500_000]
        self.assertEqual((answer["time"], columns["host_ns"]), ("host", lengths))
        self.assertEqual({family["family"]: family["ns"] for family in answer["families"]},  # attention, matmul without its copy, copy
                         {10: [ns // 2 for ns in lengths], 1: [ns // 5 for ns in lengths], 4: [ns // 20 for ns in lengths]})
        self.assertEqual(columns["period_ns"], [*(ns + 500_000 for ns in lengths[:-1]), None])
        self.assertEqual(answer["odd"], {"step": 8, "ns": 800_000_000, "share": 800_000_000 / sum(lengths), "median_ns": 3_040_000})
        self.assertEqual((phases["decode"]["host_ns"], phases["decode"]["busy_ns"]), (3_030_000, None))
        self.assertEqual(phases["decode"]["median_step"], columns["id"][4])
        parts = self.get_json(f"{RUNS}/{run['id']}/inference/parts?step={columns['id'][7]}")
        self.assertEqual((parts["time"], parts["by"]), ("host", "operator"))
        self.assertEqual([column["host_ns"] for column in parts["steps"]], [9_000_000, 800_000_000, 3_030_000, 3_060_000])
        for i, column in enumerate(parts["steps"]):
            self.assertEqual({row["name"]: (row["calls"][i], row["ns"][i] / column["host_ns"]) for row in parts["rows"]}, {
                "aten::_scaled_dot_product_flash_attention_for_cpu": (1, 0.5), "aten::addmm": (1, 0.2), "aten::copy_": (1, 0.05), "": (0, 0.25)})

    def said_of(self, path):
        answer = self.get_json(path)
        return "".join(part.get("text") or part.get("code") or f"<{part['value']:.4g} {part['unit']}>" for part in answer.get("verdict", []) + answer.get("sentence", []))

    def test_a_step_that_dominates_is_named_with_what_it_did(self):
        decode, prefill = "execute_context_0(0)_generation_1(1)", "execute_context_1(4215)_generation_1(1)"
        runs = {}
        for name, longest in (("odd", 100_000), ("long", 25_000), ("mended", 9_000)):
            trace = made_serving.make_cpu([(decode, 3000)] * 30 + [(prefill, longest)] + [(decode, 3000)] * 20)
            runs[name] = self.add(json.dumps(trace).encode(), name=f"{name}.json")["id"]
        said = self.said_of(f"{RUNS}/{runs['odd']}/conclusion")
        self.assertIn("Step 30 takes <0.1 s> to prefill <4215 count> tokens, <40 percent> of the time of all steps; the median step takes <0.003 s>. "
                      "In it aten::_scaled_dot_product_flash_attention_for_cpu takes <50 percent>, aten::add <25 percent>, aten::addmm <20 percent>. ", said)
        for name in ("long", "mended"):  # 14 % of all steps, 8 median steps long; no longer than others
            self.assertNotIn("median step", self.said_of(f"{RUNS}/{runs[name]}/conclusion"))
        said = self.said_of(f"/api/v1/compare/conclusion?base={runs['odd']}&new={runs['mended']}")
        self.assertIn("The longest step takes <0.1 s> in the base and <0.009 s> in the new run, the median step <0.003 s> and <0.003 s>. "
                      "The mean step is like none of them: the longest is <40 percent> of the time of all steps of the base.", said)
        self.assertNotIn("longest step", self.said_of(f"/api/v1/compare/conclusion?base={runs['long']}&new={runs['mended']}"))

    def test_the_conclusion_names_the_phase_and_its_families(self):
        said = self.get_json(self.path + "/conclusion")["sentence"]
        text = "".join(part.get("text", "") for part in said)
        self.assertIn("A decode step keeps the GPU busy for ", text)
        self.assertIn(" Its largest parts are matrix products ", text)
        self.assertIn(", attention ", text)

    def test_steps_are_in_the_table_of_steps(self):
        table = self.get_json(self.path + "/steps?limit=100&sort=id")
        rows = [dict(zip(table["columns"], row)) for row in table["rows"]]
        self.assertEqual([row["name"] for row in rows], [step["name"] for step in self.truth])
        self.assertEqual([bool(row["counted"]) for row in rows], [step["phase"] != "idle" for step in self.truth])
        self.assertEqual(self.run["summary"]["serving_steps"], sum(step["phase"] != "idle" for step in self.truth))

    def test_a_comparison_without_operators_names_the_kernels(self):
        other = self.add(json.dumps(made_serving.make(STEPS, other=True)[0]).encode(), name="other.json")
        answer = self.get_json(f"/api/v1/compare/conclusion?base={self.run['id']}&new={other['id']}")
        self.assertEqual((answer["of"], answer["rows"][0]["name"], answer["inside"]["of"]), ("step_parts", "kernel", "kernels"))
        self.assertEqual({row["name"] for row in answer["inside"]["rows"]}, {made_serving.ATTENTION, made_serving.OTHER_ATTENTION})

    def test_what_is_refused(self):
        for query, status in (("by=module", 400), ("step=999", 404), ("step=x", 400), ("step=-1", 400)):
            self.assertEqual(self.get(f"{self.path}/inference/parts?{query}").status, status, query)

    def test_detailed_steps_stand_for_all(self):
        trace, _ = made_serving.make(4)
        outer = [dict(event, name="step[DECODE bs=4]", ts=event["ts"] - 1, dur=event["dur"] + 2) for event in trace["traceEvents"]
                 if event["cat"] == "user_annotation"]
        profiler = {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 1, "tid": 1, "ts": 1, "dur": 1e5, "args": {}}
        run = self.add(json.dumps({"traceEvents": trace["traceEvents"] + outer + [profiler]}).encode(), name="both.json")
        answer = self.get_json(f"{RUNS}/{run['id']}/inference")
        self.assertEqual((answer["engine"], answer["steps"]), ("vLLM", 4))

    def add_ranges(self, ranges, calls, kernels):
        """Adds a recording of Nsight Systems. Ranges: (start, end, name); calls: (start, end, id, is of a graph); kernels: (start, ns, call, name)."""
        names = ["cudaLaunchKernel", "cudaGraphLaunch", "gemm", "fmhaSm100"]
        process = 1 << 48 | 7 << 24
        with tempfile.TemporaryDirectory(prefix="perfshelf-nsys-") as folder:
            path = os.path.join(folder, "serving.sqlite")
            with contextlib.closing(sqlite3.connect(path)) as db:
                db.executescript("""
                    CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
                    CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER);
                    CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER,
                        correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER);
                    CREATE TABLE NVTX_EVENTS(start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER);""")
                db.executemany("INSERT INTO StringIds VALUES (?, ?)", enumerate(names))
                db.executemany("INSERT INTO NVTX_EVENTS VALUES (?, ?, 59, ?, ?)", [(*one, process | 7) for one in ranges])
                db.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, ?, ?, ?)",
                               [(start, end, process | 7, call, int(graph)) for start, end, call, graph in calls])
                db.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, 1, 7, ?, ?, ?, ?)",
                               [(start, start + ns, call, process, names.index(name), names.index(name)) for start, ns, call, name in kernels])
                db.commit()
            with open(path, "rb") as file:
                return self.add(file.read(), name="serving.sqlite")

    def test_ranges_of_nsight_systems(self):
        """TensorRT-LLM and Megatron Core: a prefill of two kernels, then a decode that replays a graph of three."""
        for engine, prefill, decode in (
                ("TensorRT-LLM", "[Executor] _forward_step 1: 2 ctx reqs, 800 ctx tokens, 0 gen reqs",
                 "[Executor] _forward_step 2: 0 ctx reqs, 0 ctx tokens, 2 gen reqs"),
                ("Megatron Core", "Prefill", "Decode")):
            run = self.add_ranges([(1000, 1900, prefill), (2000, 2900, decode)], [(1100, 1200, 1, 0), (1300, 1400, 2, 0), (2100, 2200, 3, 1)],
                                  [(1500, 300, 1, "gemm"), (1800, 100, 2, "fmhaSm100"), (2300, 50, 3, "gemm"), (2400, 70, 3, "fmhaSm100"), (2500, 50, 3, "gemm")])
            answer = self.get_json(f"{RUNS}/{run['id']}/inference")
            columns = answer["columns"]
            self.assertEqual((run["kind"], answer["engine"], answer["steps"]), ("nsys", engine, 2))
            self.assertEqual([answer["phase_names"][phase] for phase in columns["phase"]], ["prefill", "decode"])
            self.assertEqual((columns["busy_ns"], columns["kernels"]), ([400, 170], [2, 3]))
            known = engine == "TensorRT-LLM"
            self.assertEqual(columns["requests"], [2, 2] if known else [None, None])
            self.assertEqual((columns["prefill_tokens"], columns["decode_tokens"]), ([800, 0] if known else [None, None], [None, None]))

    def test_micro_batches_of_deepspeed(self):
        run = self.add_ranges([(start + offset, start + offset + ns, f"DeepSpeedEngine.{name}") for start in (1000, 2000, 3000)
                               for offset, ns, name in ((0, 300, "forward"), (400, 300, "backward"))],
                              [(start + 100, start + 150, start, 0) for start in (1000, 2000, 3000)],
                              [(start + 200, 600, start, "gemm") for start in (1000, 2000, 3000)])
        steps = self.get_json(f"{RUNS}/{run['id']}/overview")["steps"]
        self.assertEqual([(step["name"], step["counted"]) for step in steps], [("micro-batch#0", 1), ("micro-batch#1", 1), ("micro-batch#2", 0)])
        self.assertEqual([step["end_ns"] - step["start_ns"] for step in steps[:2]], [1000, 1000])
        self.assertEqual((run["summary"]["steps"], run["summary"]["step_ns"]), (2, 1000))
        self.assertEqual(self.get_json(f"{RUNS}/{run['id']}/inference")["steps"], 0)

    def test_generate_of_transformers(self):
        """Recorded with torch 2.14 and a small stand-in of transformers: generate() of 4 tokens for 2 prompts of 30 tokens, then 3 for one."""
        with open(os.path.join(ROOT, "tests/fuzz/generate.trace.json.gz"), "rb") as file:
            run = self.add(file.read(), name="generate.json.gz")
        answer = self.get_json(f"{RUNS}/{run['id']}/inference")
        columns = answer["columns"]
        self.assertEqual((answer["engine"], answer["steps"], run["summary"]["serving_steps"]), ("transformers", 7, 7))
        self.assertEqual([answer["phase_names"][phase] for phase in columns["phase"]], ["prefill"] + ["decode"] * 3 + ["prefill"] + ["decode"] * 2)
        self.assertEqual(columns["requests"], [2] * 4 + [1] * 3)
        self.assertEqual(columns["tokens"], [60, 2, 2, 2, 30, 1, 1])
        self.assertEqual((columns["prefill_tokens"], columns["decode_tokens"]), ([60, 0, 0, 0, 30, 0, 0], [0, 2, 2, 2, 0, 1, 1]))

    def test_a_trace_without_a_serving_engine(self):
        event = {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 1, "tid": 1, "ts": 1, "dur": 9, "args": {}}
        run = self.add(json.dumps({"traceEvents": [event]}).encode(), name="training.json")
        answer = self.get_json(f"{RUNS}/{run['id']}/inference")
        self.assertEqual((answer["engine"], answer["steps"], answer["phases"], answer["families"]), (None, 0, [], []))
        self.assertNotIn("serving_steps", run["summary"])
        self.assertEqual(self.get_json(f"{RUNS}/{run['id']}/inference/parts")["rows"], [])
