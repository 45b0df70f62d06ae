# SPDX-License-Identifier: MIT
"""Files of one serving job become one run: from a folder, from an archive, and merged."""
import json
import os
import zipfile

from program import ShelfTest
from made_serving_job import BASE_NS, ORIGIN_US, STEPS, events, trace  # program sets the path

class ServingJob(ShelfTest):
    def write(self, folder, files):
        for name, content in files.items():
            path = os.path.join(self.folder, folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(content)
        return os.path.join(self.folder, folder)

    def add(self, *args):
        done = self.run_verb("add", "--json", *args)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()], done.stderr.decode()

    def rows(self, run, query):
        done = self.run_verb("sql", "--json", run, query)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def check_joined(self, run):
        self.assertEqual(run["kind"], "serving-trace")
        steps = self.rows(run["id"], "SELECT number, step, start_ns FROM engine_step ORDER BY id")
        self.assertEqual([(row["number"], row["step"]) for row in steps], [(i, i + 1) for i in range(len(STEPS))])
        self.assertEqual([row["start_ns"] for row in steps], [(start + 30) * 1000 for _, _, start in STEPS])
        requests = self.rows(run["id"], "SELECT name, arrival_ns, first_token_ns FROM request ORDER BY id")
        self.assertEqual([(row["name"], row["arrival_ns"], row["first_token_ns"]) for row in requests],
                         [("cmpl-a-0", -3_000_000, 9_950_000), ("cmpl-b-0", 50_000_000, 69_950_000)])

    def test_a_folder_is_one_run_of_its_name(self):
        runs, notes = self.add(self.write("night", {"engine.jsonl": events(), "t.json": trace(), "config.json": json.dumps({"requests": 23})}))
        self.assertEqual([run["name"] for run in runs], ["night"])
        self.assertIn("config.json: skipped", notes)
        self.check_joined(runs[0])

    def test_an_archive_is_one_run(self):
        path = os.path.join(self.folder, "job.zip")
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("night/engine.jsonl", events())
            archive.writestr("night/trace.json", trace())
        runs, _ = self.add(path)
        self.assertEqual([run["name"] for run in runs], ["night"])
        self.check_joined(runs[0])

    def test_its_trace_is_that_of_the_trace_alone(self):
        folder = self.write("night", {"engine.jsonl": events(), "trace.json": trace()})
        (job,), _ = self.add(folder)
        (alone,), _ = self.add(os.path.join(folder, "trace.json"))
        self.assertEqual(alone["kind"], "torch-trace")
        for table in ("step", "step_parts", "slices", "operators", "text", "args_template", "track", "chunk"):
            left, right = (self.rows(run["id"], f"SELECT * FROM {table}") for run in (job, alone))
            self.assertEqual(left, right, table)

    def test_files_of_two_folders_and_two_traces_stay_apart(self):
        runs, _ = self.add(self.write("jobs", {"a/engine.jsonl": events(), "a/trace.json": trace(), "b/engine.jsonl": events(1)}))
        self.assertEqual(sorted(run["kind"] for run in runs), ["serving", "serving-trace"])
        runs, _ = self.add(self.write("more", {"engine.jsonl": events(2), "rank0.json": trace(BASE_NS + 1000), "rank1.json": trace(BASE_NS + 2000)}))
        self.assertEqual(sorted(run["kind"] for run in runs), ["serving", "torch-trace", "torch-trace"])

    def test_a_clock_that_differs_is_found_by_the_order_of_steps(self):
        (run,), _ = self.add(self.write("night", {"engine.jsonl": events(1_734_000_000), "trace.json": trace()}))
        (file,) = self.rows(run["id"], "SELECT method, offset_ns, error_ns, pairs FROM serving_file WHERE role = 1")
        self.assertEqual((file["method"], file["offset_ns"], file["pairs"]), (3, -1_734_000_000 + 10_000, len(STEPS)))
        self.assertEqual(file["error_ns"], 40_000)

    def test_files_are_merged_by_name(self):
        paths = [self.write("a", {"trace.json": trace()}) + "/trace.json", self.write("b", {"log.jsonl": events()}) + "/log.jsonl"]
        (run,), _ = self.add("--merge", *paths)
        self.assertEqual(run["name"], "trace.json and 1 more")
        self.check_joined(run)

    def test_traces_of_the_processes_of_an_engine_are_workers_of_the_run(self):
        front = json.dumps({"schemaVersion": 1, "baseTimeNanoseconds": BASE_NS, "traceEvents": [
            {"ph": "X", "cat": "cpu_op", "name": "aten::cat", "pid": 9, "tid": 9, "ts": ORIGIN_US - 5000, "dur": 10}]})
        (run,), _ = self.add(self.write("night", {"front_9.1000.pt.trace.json": front, "rank0_1.1000.pt.trace.json": trace(), "engine.jsonl": events()}))
        self.assertEqual(run["kind"], "serving-trace")
        steps = self.rows(run["id"], "SELECT e.step, e.start_ns - s.host_start_ns AS late FROM engine_step e JOIN step s ON s.id = e.step ORDER BY e.id")
        self.assertEqual([row["late"] for row in steps], [30_000] * len(STEPS))
        self.assertEqual([row["n"] for row in self.rows(run["id"], "SELECT count(*) AS n FROM slices WHERE name = 'aten::cat'")], [1])

    def test_a_version_is_that_of_the_tool(self):
        result = json.dumps({"schema_version": "1.3", "aiperf_version": "0.13.0", "input_config": {}, "request_count": {"unit": "requests", "avg": 1.0},
                             "request_latency": {"unit": "ms", "avg": 20.0, "p99": 20.0}, "time_to_first_token": {"unit": "ms", "avg": 10.0, "p99": 10.0}})
        folder = self.write("night", {"profile_export_aiperf.json": result, "trace.json": trace()})
        for files, told in (((folder,), "PyTorch profiler"), ((os.path.join(folder, "profile_export_aiperf.json"),), "AIPerf 0.13.0")):
            (run,), _ = self.add(*files)
            shown = self.run_verb("show", run["id"]).stdout.decode()
            self.assertIn(told, [line[5:].strip() for line in shown.splitlines() if line.startswith("tool ")])
