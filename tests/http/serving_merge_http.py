# SPDX-License-Identifier: MIT
"""Files of one serving job that were added one by one are merged on the shelf."""
import json

from server import RUNS, ServerTest
from made_serving_job import STEPS, events, trace  # server sets the path


class ServingMergeTest(ServerTest):
    def rows(self, run, statement):
        return self.request("POST", "/api/v1/sql", json.dumps({"run": run["id"], "sql": statement, "format": "rows"})).json

    def merge(self, *runs):
        return self.request("POST", f"/api/v1/merge?ids={','.join(run['id'] for run in runs)}&wait=1")

    def test_a_log_and_a_trace_become_one_run(self):
        log, recorded = self.add(events().encode(), name="engine.jsonl"), self.add(trace().encode(), name="trace.json")
        self.assertEqual((log["kind"], recorded["kind"]), ("serving", "torch-trace"))
        merged = self.merge(log, recorded)
        self.assertEqual((merged.status, merged.json["kind"]), (201, "serving-trace"), merged.body)
        self.assertEqual([row["step"] for row in self.rows(merged.json, "SELECT step FROM engine_step ORDER BY id")],
                         list(range(1, len(STEPS) + 1)))
        with self.subTest("a merged run is merged once more"):
            later = self.add(events(60_000_000_000).encode(), name="later.jsonl")
            again = self.merge(merged.json, later)
            self.assertEqual((again.status, again.json["kind"]), (201, "serving-trace"), again.body)
            self.assertEqual([row["name"] for row in self.rows(again.json, "SELECT name FROM serving_file ORDER BY id")],
                             ["engine.jsonl", "later.jsonl", "trace.json"])

    def test_logs_alone_are_of_kind_serving(self):
        merged = self.merge(self.add(events(1).encode(), name="a.jsonl"), self.add(events(2).encode(), name="b.jsonl"))
        self.assertEqual((merged.status, merged.json["kind"]), (201, "serving"), merged.body)

    def test_the_original_is_the_archive_of_the_files(self):
        merged = self.merge(self.add(events(3).encode(), name="a.jsonl"), self.add(trace(1790857027000000000).encode(), name="t.json"))
        original = self.request("GET", f"{RUNS}/{merged.json['id']}/original")
        self.assertEqual(original.status, 200)
        self.assertIn(b"serving-trace-run/a.jsonl", original.body)
