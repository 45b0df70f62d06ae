# SPDX-License-Identifier: MIT
"""perfshelf record serving: a client of an engine, whose profiler is started and stopped, and the files of both as one recording."""
import http.server
import json
import os
import sys
import tarfile
import threading
import unittest

from program import ROOT
import record_cli
from record_cli import PYTHON

sys.path.insert(0, os.path.join(ROOT, "tests"))
import made_serving  # noqa: E402

# A result that is none of a serving job: each such file is a run of its own.
OTHER = {"results": [{"command": "load", "mean": 0.5, "stddev": 0.1, "median": 0.5, "user": 0.1, "system": 0.1, "min": 0.4, "max": 0.6,
                       "times": [0.4, 0.5, 0.6], "exit_codes": [0, 0, 0]}]}
with open(os.path.join(ROOT, "tests", "golden", "vllm", "ok_details_failures.json"), "rb") as vllm:
    RESULT = json.load(vllm)
# Asks the engine once, writes the result into a folder and ends with a status.
CLIENT = f"""import json, os, sys, urllib.request
url, folder, status = sys.argv[1:4]
if url != "none":
    urllib.request.urlopen(url + "/v1/completions").read()
if folder != "none":
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "result.json"), "w") as file:
        file.write({json.dumps(RESULT)!r})
    with open(os.path.join(folder, "notes.txt"), "w") as file:
        file.write("no result\\n")
sys.exit(int(status))
""".encode()
with open(os.path.join(ROOT, "tests", "golden", "engine_events", "ok_two_requests.jsonl"), "rb") as events:
    EVENTS = events.read()


class Engine:
    """An engine whose profiler writes a trace when it is stopped, and whose log gains lines with each request."""

    def __init__(self, test, statuses=None, delay=0):
        self.asked, self.statuses = [], statuses or {}
        self.traces, self.log = os.path.join(test.folder, "traces"), os.path.join(test.folder, "engine.jsonl")
        with open(self.log, "wb") as file:
            file.write(EVENTS)
        engine = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self):
                length = int(self.headers.get("Content-Length", 0))
                engine.asked.append(f"{self.command} {self.path}" + (" with a body" if self.rfile.read(length) else ""))
                engine.act(self.path)
                self.send_response(engine.statuses.get(self.path, 200))
                self.end_headers()
                self.wfile.write(b"said by the engine\nmore")
            do_GET = do_POST = answer

            def log_message(self, *words):
                pass
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.delay = delay
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        test.addCleanup(self.server.server_close)
        test.addCleanup(self.server.shutdown)

    def write_trace(self):
        os.makedirs(self.traces, exist_ok=True)
        with open(os.path.join(self.traces, "rank0.pt.trace.json"), "w", encoding="utf-8") as file:
            json.dump(made_serving.make_cpu(), file)

    def act(self, path):
        if path == "/stop_profile" and self.delay:
            threading.Timer(self.delay, self.write_trace).start()
        elif path == "/stop_profile":
            self.write_trace()
        elif path == "/v1/completions":
            with open(self.log, "ab") as file:
                file.write(EVENTS)


class ServingTest(record_cli.RecordTest):
    def setUp(self):
        super().setUp()
        self.file("work/client.py", CLIENT)

    def packed(self, path):
        with tarfile.open(path) as archive:
            return {member.name: archive.extractfile(member).read() for member in archive.getmembers()}


class Recordings(ServingTest):
    def test_results_trace_and_log_are_one_recording(self):
        engine, out = Engine(self, delay=0.3), os.path.join(self.folder, "out.tar")
        self.record("serving", "--engine", engine.url + "/v1/", "--traces", engine.traces, "--engine-log", engine.log, "-o", out, "--",
                    PYTHON, "client.py", engine.url, "artifacts/run", "0")
        self.assertEqual(engine.asked, ["POST /start_profile", "GET /v1/completions", "POST /stop_profile"])
        found = {name.rpartition("/")[2]: bytes_ for name, bytes_ in self.packed(out).items()}
        self.assertEqual(set(found), {"result.json", "rank0.pt.trace.json", "engine.jsonl"})
        self.assertEqual(found["engine.jsonl"], EVENTS)  # not the lines from before
        self.assertEqual(json.loads(found["result.json"]), RESULT)
        self.assertIn("serving-trace-run/artifacts/run/result.json", self.packed(out))
        run = self.newest()
        self.assertEqual((run["kind"], len(self.json("list"))), ("serving-trace", 1))
        self.assertEqual(self.rows("SELECT role, count(*) FROM serving_files GROUP BY role ORDER BY role"),
                         [{"role": role, "count(*)": 1} for role in ("client", "engine", "trace")])

    def test_results_of_no_serving_job_are_runs_of_their_own(self):
        engine = Engine(self)
        self.file("work/other.py", f"import json\nwith open('a.json', 'w') as file:\n    json.dump({OTHER!r}, file)\n".encode())
        self.record("serving", "--engine", engine.url, "--traces", engine.traces, "--", PYTHON, "other.py")
        self.assertEqual(sorted(run["kind"] for run in self.json("list")), ["hyperfine", "torch-trace"])

    def test_a_result_alone_is_added_as_it_is(self):
        with open(os.path.join(self.work, "old.json"), "w", encoding="utf-8") as file:
            json.dump(OTHER, file)
        self.record("serving", "--", PYTHON, "client.py", "none", ".", "0")
        run = self.newest()
        self.assertEqual((run["kind"], len(self.json("list"))), ("serving", 1))  # the old result is no part of it
        self.assertIn("client.py none . 0", run["tags"]["command"])

    def test_results_in_a_folder_that_the_command_or_an_option_names(self):
        elsewhere = os.path.join(self.folder, "elsewhere")
        self.record("serving", "--", PYTHON, "client.py", "none", elsewhere, "0")
        self.assertEqual(len(self.json("list")), 1)
        self.assertIn("elsewhere", self.refused("serving", "--results", elsewhere, "--", PYTHON, "client.py", "none", "here", "0"))

    def test_the_status_is_that_of_the_client(self):
        engine = Engine(self)
        done = self.record("serving", "--engine", engine.url, "--", PYTHON, "client.py", engine.url, "out", "3", status=3)
        self.assertIn(b"the command exited with status 3; its profile is on the shelf", done.stderr)
        self.assertEqual(engine.asked[-1], "POST /stop_profile")
        done = self.record("serving", "--engine", engine.url, "--", PYTHON, "client.py", engine.url, "none", "4", status=4)
        self.assertIn(b"the client wrote no result that perfshelf reads", done.stderr)
        self.assertEqual(engine.asked[-1], "POST /stop_profile")

    def test_a_trace_without_a_result(self):
        engine = Engine(self)
        done = self.record("serving", "--engine", engine.url, "--traces", engine.traces, "--", PYTHON, "client.py", engine.url, "none", "0")
        self.assertIn(b"note: the client wrote no result into the current folder", done.stderr)
        self.assertEqual(self.newest()["kind"], "torch-trace")


class Refusals(ServingTest):
    def test_no_engine_and_no_profiler(self):
        engine = Engine(self, {"/start_profile": 404})
        said = self.refused("serving", "--engine", engine.url, "--", PYTHON, "client.py", engine.url, "out", "0")
        self.assertIn(f"the engine at {engine.url} has no profiler: it answered 404 to POST /start_profile; start vLLM with --profiler-config", said)
        self.assertEqual(engine.asked, ["POST /start_profile"])
        engine.statuses = {"/start_profile": 500}
        self.assertIn("answered 500 to POST /start_profile: said by the engine", self.refused(
            "serving", "--engine", engine.url, "--", PYTHON, "client.py", engine.url, "out", "0"))
        engine.statuses = {"/stop_profile": 500}
        engine.write_trace = lambda: None
        done = self.record("serving", "--engine", engine.url, "--traces", engine.traces, "--", PYTHON, "client.py", engine.url, "out", "0")
        self.assertIn(b"note: the profiler of the engine may still run: ", done.stderr)
        self.assertNotIn(b"wrote no trace", done.stderr)  # and it is not waited for
        engine.server.shutdown()
        engine.server.server_close()
        said = self.refused("serving", "--engine", engine.url, "--", PYTHON, "client.py", "none", "other", "0")
        self.assertIn(f"no answer to POST {engine.url}/start_profile: ", said)
        self.assertFalse(os.path.exists(os.path.join(self.work, "other")), "the client ran")

    def test_options(self):
        self.assertIn("--engine works only with the recorder serving", self.refused("cprofile", "--engine", "http://h", "--", PYTHON, "-c", "", status=2))
        self.assertIn("--engine is an address such as", self.refused("serving", "--engine", "localhost", "--", PYTHON, "-c", "", status=2))
        self.assertIn("cannot read", self.refused("serving", "--engine-log", "nope.log", "--", PYTHON, "-c", ""))


class Signals(ServingTest):
    on_terminal = record_cli.Signals.on_terminal

    def test_ctrl_c_ends_the_client_and_stops_the_profiler(self):
        engine = Engine(self)
        status, said = self.on_terminal("serving", "--engine", engine.url, "--traces", engine.traces, PYTHON)
        self.assertEqual((status, engine.asked), (130, ["POST /start_profile", "POST /stop_profile"]), said)
        self.assertIn("the command was interrupted; its profile is on the shelf", said)


if __name__ == "__main__":
    unittest.main()
