# SPDX-License-Identifier: MIT
"""Jobs of several files: each request, step, part of the time to the first token and offset of a clock, against the oracles of six runs."""
import functools
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from corpus import CORPUS, PROGRAM, needs

HOME = "made3/serving"
RUNS = ("aiperf-before", "aiperf-after", "aiperf-after2", "own-before", "own-after", "own-after2")
SKEW_NS = 1_734_000_000
SAME, IDS, LENGTHS, NAMES, UNKNOWN = range(5)  # how the clock of a file was joined
TIMES = ("start_ns", "arrival_ns", "scheduled_ns", "first_token_ns", "last_token_ns")


def source(run, name):
    return os.path.join(CORPUS, HOME, run, name)


@functools.cache
def oracle(run):
    with open(source(run, "oracle.json"), encoding="utf-8") as file:
        return json.load(file)


def clients_of(run):
    return ("profile_export.jsonl", "profile_export_aiperf.json", "profile_export_aiperf.csv") if run.startswith("aiperf") else ("vllm.json", "sglang.jsonl")


def records_of(run):
    return clients_of(run)[0]


def without_ids(name, text):
    """The file with ids that no other file has and that hold no number."""
    words = {}

    def word(match):
        return f'{match[1]}"{name[:6]}-{words.setdefault(match[2], "abcdefghijklmnopqrstuvwxyz"[len(words)] * 6)}"'
    return re.sub(r'()"(cmpl-[^"]*)"', word, text) if name == "engine.jsonl" else re.sub(r'("x_request_id":)"([^"]*)"', word, text)


class Job:
    """The run of some files of a run of the corpus, and its rows."""

    def __init__(self, shelf, run, files, change=None, rename=None):
        self.shelf, self.run = shelf, run
        self.folder = tempfile.mkdtemp(prefix=run + "-", dir=os.path.join(shelf, "in"))
        for name in files:
            target = os.path.join(self.folder, (rename or {}).get(name, name))
            if change and not name.endswith(".gz"):
                with open(source(run, name), encoding="utf-8") as file, open(target, "w", encoding="utf-8") as out:
                    out.write(change(name, file.read()))
            else:
                shutil.copy(source(run, name), target)
        done = self.call("add", "--json", "--", self.folder)
        self.runs = [json.loads(line) for line in done.splitlines()]
        self.kind = self.runs[0]["kind"]
        self.requests = self.rows("SELECT *, step FROM request LEFT JOIN (SELECT id AS step_id, end_ns AS step_end, number AS step FROM engine_step)"
                                  " ON step_end = first_token_ns ORDER BY request.id")
        self.steps = self.rows("SELECT * FROM engine_step ORDER BY id")
        self.files = {row["name"]: row for row in self.rows("SELECT * FROM serving_file")}

    def call(self, *args):
        done = subprocess.run([PROGRAM, args[0], "--data", os.path.join(self.shelf, "data"), *args[1:]], capture_output=True, text=True, timeout=300)
        if done.returncode:
            raise AssertionError(done.stderr)
        return done.stdout

    def rows(self, query):
        return json.loads(self.call("sql", "--json", self.runs[0]["id"], query))


@needs(HOME)
class ServingJoin(unittest.TestCase):
    maxDiff = 3000

    @classmethod
    def setUpClass(cls):
        cls.shelf = tempfile.mkdtemp(prefix="perfshelf-serving-")
        cls.addClassCleanup(shutil.rmtree, cls.shelf, ignore_errors=True)
        os.makedirs(os.path.join(cls.shelf, "in"))

    def job(self, run, *files, **options):
        return Job(self.shelf, run, files, **options)

    def check_engine(self, job, tolerance_ns=0):
        """Times of the engine, tokens and steps, all after the arrival of the first request."""
        truth = oracle(job.run)
        origin = truth["requests"][0]["server_arrival_unix_ns"] - job.requests[0]["arrival_ns"]
        keys = {"arrival_ns": "server_arrival_unix_ns", "scheduled_ns": "first_scheduled_unix_ns", "first_token_ns": "first_token_unix_ns",
                "last_token_ns": "last_token_unix_ns"}
        self.assertEqual(len(job.requests), len(truth["requests"]))
        for row, true in zip(job.requests, truth["requests"]):
            for key, name in keys.items():
                self.assertLessEqual(abs(row[key] - (true[name] - origin)), tolerance_ns, (job.run, true["n"], key))
            self.assertEqual((row["engine_prompt_tokens"], row["engine_output_tokens"]), (true["prompt_tokens"], true["output_tokens"]))
        self.assertEqual([(step["number"], step["running"], step["waiting"]) for step in job.steps],
                         [(step["iteration"], step["running"], step["waiting"]) for step in truth["iterations"]])
        self.assertEqual([(step["start_ns"], step["end_ns"]) for step in job.steps],
                         [(step["start_unix_ns"] - origin, step["end_unix_ns"] - origin) for step in truth["iterations"]])

    def check_parts(self, job, tolerance_ms):
        """The parts of the time to the first token as the client saw it."""
        for row, true in zip(job.requests, oracle(job.run)["requests"]):
            parts = {"client_to_server": row["arrival_ns"] - row["start_ns"], "queue": row["scheduled_ns"] - row["arrival_ns"],
                     "prefill": row["first_token_ns"] - row["scheduled_ns"],
                     "server_to_client": row["start_ns"] + row["ttft_ns"] - row["first_token_ns"]}
            for part, ns in parts.items():
                self.assertLess(abs(ns / 1e6 - true["ttft_parts_ms"][part]), tolerance_ms, (job.run, true["n"], part))
            self.assertLess(abs(row["ttft_ns"] / 1e6 - true["client_ttft_ms"]), 6e-4)

    def check_trace(self, job):
        """Each step is that of the trace, and begins when its annotation does."""
        alone = self.job(job.run, "trace.json.gz")
        self.assertEqual(alone.kind, "torch-trace")
        query = "SELECT id, name, start_ns, end_ns, host_start_ns, host_end_ns FROM step ORDER BY id"
        self.assertEqual(job.rows(query), alone.rows(query))
        for table in ("chunk", "operators", "track", "text"):
            self.assertEqual(job.rows(f"SELECT * FROM {table}"), alone.rows(f"SELECT * FROM {table}"), table)
        bound = oracle(job.run)["clocks"]["annotation_start_minus_engine_start_us"]
        for step, annotation in zip(job.steps, alone.rows(query), strict=True):
            self.assertEqual((step["step"], step["name"]), (annotation["id"], annotation["name"]))
            late_us = (annotation["host_start_ns"] - step["start_ns"]) / 1e3
            self.assertTrue(bound["min"] - 1 <= late_us <= bound["max"] + 1, late_us)

    def test_all_files_of_a_folder(self):
        for run in RUNS:
            with self.subTest(run):
                job = self.job(run, "engine.jsonl", "engine.log", "trace.json.gz", "workload.jsonl", *clients_of(run))
                self.assertEqual((len(job.runs), job.kind), (1, "serving-trace"))
                self.check_engine(job)
                is_own = run.startswith("own")
                # perf_counter is joined by the engine's times: as near as a request needs from the client to the engine and back
                self.check_parts(job, 2 if is_own else 1e-3)
                self.check_trace(job)
                self.assertEqual({row["is_estimated"] for row in job.requests}, {int(is_own)})
                self.assertEqual(job.files["engine.log"]["method"], NAMES)
                self.assertEqual(job.files["engine.log"]["pairs"], len(job.steps))
                records = job.files[records_of(run)]
                self.assertEqual((records["method"], records["pairs"]), (LENGTHS if is_own else SAME, 23))
                if is_own:
                    true = oracle(run)["clocks"]["perf_counter_plus_ns_is_unix"]
                    self.assertLessEqual(abs(records["offset_ns"] - true), records["error_ns"])
                    self.assertLess(records["error_ns"], 1_000_000)

    def test_the_log_alone(self):
        for run in RUNS:
            job = self.job(run, "engine.jsonl")
            self.assertEqual(job.kind, "serving")
            self.check_engine(job)

    def test_steps_of_a_log_without_times(self):
        for run in RUNS:
            job = self.job(run, "engine.log")
            truth = oracle(run)["iterations"]
            self.assertEqual([step["number"] for step in job.steps], [step["iteration"] for step in truth])
            self.assertEqual([step["context_tokens"] for step in job.steps], [sum(tokens for _, tokens in step["context"]) for step in truth])
            for step, true in zip(job.steps, truth):
                self.assertLessEqual(abs(step["end_ns"] - step["start_ns"] - (true["end_unix_ns"] - true["start_unix_ns"])), 5000)

    def test_log_and_client_without_ids(self):
        for run in RUNS:
            with self.subTest(run):
                job = self.job(run, "engine.jsonl", records_of(run), change=without_ids)
                self.assertEqual(job.kind, "serving")
                self.check_engine(job)
                self.assertEqual({row["is_estimated"] for row in job.requests}, {1})
                self.check_parts(job, 2 if run.startswith("own") else 1e-3)

    def test_client_and_trace(self):
        """Without a log, the first token is that of the last prefill before the client had it."""
        for run in RUNS:
            with self.subTest(run):
                job = self.job(run, "trace.json.gz", records_of(run))
                truth = oracle(run)
                self.assertEqual(job.kind, "serving-trace")
                steps = {step["end_ns"]: i for i, step in enumerate(job.steps)}
                self.assertEqual([steps[row["first_token_ns"]] for row in job.requests],
                                 [true["prefill_iterations"][-1] for true in truth["requests"]])
                records = job.files[records_of(run)]
                if run.startswith("own"):
                    # the annotations name the requests
                    self.assertEqual([row["name"] for row in job.requests], [true["id"] for true in truth["requests"]])
                    served = job.rows("SELECT count(*) AS n FROM packed WHERE family = 9")
                    self.assertGreater(served[0]["n"], 0)
                self.assertEqual(records["pairs"], 23 if run.startswith("own") else 0)
                self.assertEqual({row["is_estimated"] for row in job.requests}, {1})

    def test_a_clock_that_is_wrong(self):
        job = self.job("aiperf-before", "engine.jsonl", "trace.json.gz", "profile_export.skewed.jsonl")
        with open(source("aiperf-before", "profile_export.skewed.oracle.json"), encoding="utf-8") as file:
            bounds = json.load(file)["bounds_from_ids"]
        file = job.files["profile_export.skewed.jsonl"]
        self.assertEqual((file["method"], file["pairs"]), (IDS, 23))
        self.assertLessEqual(abs(file["offset_ns"] + SKEW_NS), file["error_ns"])
        self.assertLessEqual(file["error_ns"], (bounds["upper_ns"] - bounds["lower_ns"]) // 2)
        self.assertTrue(-bounds["upper_ns"] <= file["offset_ns"] <= -bounds["lower_ns"])
        self.check_engine(job)
        for row in job.requests:
            self.assertLessEqual(row["start_ns"], row["arrival_ns"])
            self.assertLessEqual(row["first_token_ns"], row["start_ns"] + row["ttft_ns"])

    def test_requests_of_another_run_are_not_joined(self):
        """Those of the run after the mend have the same lengths and the same order, and nearly the same intervals."""
        for name in ("vllm.json", "profile_export.jsonl"):
            run, other = ("own-before", "own-after") if name == "vllm.json" else ("aiperf-before", "aiperf-after")
            job = self.job(run, "engine.jsonl", f"../{other}/{name}", rename={f"../{other}/{name}": name}, change=without_ids)
            self.assertEqual(len(job.requests), 46)
            self.assertEqual({row["is_estimated"] for row in job.requests}, {0})
            self.assertFalse([row for row in job.requests if row["start_ns"] is not None and row["arrival_ns"] is not None])
