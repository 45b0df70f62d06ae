# SPDX-License-Identifier: MIT
"""Notes on timelines: no verb that copies or repairs a shelf loses them."""
import glob
import json
import os
import sqlite3
import sys
import tempfile
import unittest

from program import ROOT, ShelfTest, call

sys.path += [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tests", "http")]
import postgres  # noqa: E402
from server import RUNS, Server  # noqa: E402

TEXTS = ['<img src=x onerror=alert(1)> "quoted" \\ </script> \U0001f600\nsecond line', "second"]


class TimelineNotes(ShelfTest):
    def setUp(self):
        super().setUp()
        self.other = os.path.join(self.folder, "other")
        self.serve(self.data, self.fill)
        self.assertEqual([row["text"] for row in self.notes], TEXTS)

    def serve(self, data, act):
        server = Server(data)
        try:
            return act(server)
        finally:
            server.end()
            server.process.stdout.close()

    def fill(self, server):
        trace = json.dumps({"traceEvents": [{"ph": "X", "name": "work", "pid": 1, "tid": 1, "ts": 0, "dur": 100}]}).encode()
        self.path = f"{RUNS}/{server.request('POST', f'{RUNS}?wait=1', trace).json['id']}/timeline_notes"
        for ns, text in enumerate(TEXTS):
            self.assertEqual(server.request("POST", self.path, json.dumps({"t_ns": ns, "text": text})).status, 201)
        self.notes = self.rows(server)

    def rows(self, server):
        return server.request("GET", self.path).json["rows"]

    def perfshelf(self, *words, wanted=0):
        done = call(*words)
        self.assertEqual(done.returncode, wanted, done.stdout + done.stderr)
        return (done.stdout + done.stderr).decode()

    def assert_notes(self, data):
        self.assertEqual(self.serve(data, self.rows), self.notes)
        self.perfshelf("verify", "--data", data)

    def test_backup(self):
        self.perfshelf("backup", self.other, "--data", self.data)
        self.assert_notes(self.other)

    def test_copy(self):
        self.perfshelf("copy", "--from", self.data, "--to", self.other)
        self.assert_notes(self.other)
        self.serve(self.other, lambda server: server.request("DELETE", f"{self.path}/{self.notes[0]['id']}"))
        self.assertIn("kept other notes on its timeline", self.perfshelf("copy", "--from", self.data, "--to", self.other, wanted=1))
        self.assertEqual(len(self.serve(self.other, self.rows)), 1)
        self.assertIn("other notes on its timeline", self.perfshelf("copy", "--from", self.data, "--to", self.other, "--update"))
        self.assert_notes(self.other)

    @postgres.needs_postgresql
    def test_copy_over_postgresql(self):
        with tempfile.TemporaryDirectory() as folder:
            server = postgres.Postgres()
            self.addCleanup(server.close)
            url = server.database()
            self.perfshelf("copy", "--from", self.data, "--to", url)
            self.perfshelf("verify", "--store", url, "--data", folder)
            self.perfshelf("copy", "--from", url, "--to", self.other)
        self.assert_notes(self.other)

    def test_rebuild(self):
        """From a whole catalog, and without one from the label files."""
        self.perfshelf("rebuild", "--data", self.data)
        self.assert_notes(self.data)
        for path in glob.glob(os.path.join(self.data, "catalog.db*")):
            os.unlink(path)
        self.perfshelf("rebuild", "--data", self.data)
        self.assert_notes(self.data)

    def test_verify(self):
        catalog = sqlite3.connect(os.path.join(self.data, "catalog.db"))
        with catalog:
            catalog.execute("INSERT INTO timeline_note VALUES ('0123456789abcdef', 'x', 1, '', 'lost', '', 0)")
        catalog.close()
        self.assertIn("notes on the timeline of run 0123456789abcdef, which does not exist", self.perfshelf("verify", "--data", self.data, wanted=1))


if __name__ == "__main__":
    unittest.main()
