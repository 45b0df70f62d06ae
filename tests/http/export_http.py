# SPDX-License-Identifier: MIT
"""Runs and comparisons as files for people outside: what each role gets, and what is refused."""
import io
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
import unittest

from access_http import token
from server import RUNS, Server, import_log

API = "/api/v1"


class ExportTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="perfshelf-export-")
        cls.data = os.path.join(cls.folder, "shelf")
        Server(cls.data).end()  # a shelf
        cls.tokens = {role: token(cls.data, "add", f"a {role}", "--role", role)[1] for role in ("viewer", "uploader", "admin")}
        cls.server = Server(cls.data, "--tokens")
        cls.content = import_log()
        answer = cls.ask("uploader", "POST", f"{RUNS}?wait=1&name=start&tag=host%3Dbuild7", cls.content)
        cls.run_id = answer.json["id"]
        other = cls.ask("uploader", "POST", f"{RUNS}?wait=1", import_log("import argparse"))
        cls.other_id = other.json["id"]

    @classmethod
    def tearDownClass(cls):
        code, said = cls.server.end()
        cls.server.process.stdout.close()
        shutil.rmtree(cls.folder)
        assert code == 0, said

    @classmethod
    def ask(cls, role, method, path, body=None):
        headers = {"Authorization": f"Bearer {cls.tokens[role]}"} if role else {}
        return cls.server.request(method, path, body, headers)

    def bundle(self, role, path):
        """What bundle.json says, and the members by name."""
        answer = self.ask(role, "GET", path)
        self.assertEqual(answer.status, 200, answer.body[:300])
        plain = subprocess.run(["tar", "--zstd", "-xOf", "-", "bundle.json"], input=answer.body, capture_output=True, check=True)
        listed = subprocess.run(["tar", "--zstd", "-tf", "-"], input=answer.body, capture_output=True, check=True)
        return json.loads(plain.stdout), listed.stdout.decode().split(), answer

    def test_originals_go_to_admins(self):
        about, members, answer = self.bundle("admin", f"{RUNS}/{self.run_id}/export")
        self.assertEqual(members, ["bundle.json", "0/original"])
        self.assertTrue(about["runs"][0]["sha256"].startswith(self.run_id))
        self.assertIn('filename="start.perfshelf"', answer.headers["Content-Disposition"])
        for role in ("viewer", "uploader"):
            about, members, _ = self.bundle(role, f"{RUNS}/{self.run_id}/export?as=bundle")
            self.assertEqual((members, about["runs"][0]["sha256"]), (["bundle.json", "0/run"], None))

    def test_nobody_gets_nothing(self):
        for path in (f"{RUNS}/{self.run_id}/export", f"{RUNS}/{self.run_id}/reveals", f"{API}/compare/export?new={self.run_id}"):
            self.assertEqual(self.ask(None, "GET", path).status, 401, path)

    def test_what_it_reveals(self):
        told = self.ask("viewer", "GET", f"{RUNS}/{self.run_id}/reveals").json["reveals"]
        self.assertEqual([row["what"] for row in told], ["paths", "hosts", "people", "arguments", "source", "labels"])
        by_name = {row["what"]: row for row in told}
        self.assertEqual(by_name["hosts"]["examples"], [{"value": "build7", "becomes": "host1"}])
        self.assertIn({"value": "start", "becomes": "importtime"}, by_name["labels"]["examples"])

    def test_a_comparison(self):
        about, members, answer = self.bundle("viewer", f"{API}/compare/export?base={self.run_id}&new={self.other_id}&redact=labels")
        self.assertEqual((about["base"], about["new"], len(members)), ([0], [1], 3))
        self.assertEqual([run["name"] for run in about["runs"]], ["importtime", "importtime"])
        self.assertIn("comparison.perfshelf", answer.headers["Content-Disposition"])
        told = self.ask("viewer", "GET", f"{API}/compare/reveals?base={self.run_id}&new={self.other_id}").json
        self.assertEqual(len(told["reveals"]), 6)

    def test_it_is_uploaded_elsewhere(self):
        _, _, answer = self.bundle("viewer", f"{RUNS}/{self.run_id}/export?redact=hosts")
        told = self.ask("uploader", "POST", f"{RUNS}?wait=1", answer.body).json
        [run] = told["runs"]
        self.assertEqual((run["name"], run["tags"], run["who"]), ("start", {"host": "host1"}, "a uploader"))
        self.assertEqual(run["summary"]["redacted"], ["hosts"])
        self.assertEqual(self.ask("admin", "DELETE", f"{RUNS}/{run['id']}").status, 204)

    def test_wrong_questions(self):
        for path, status in ((f"{RUNS}/{self.run_id}/export?as=zip", 400), (f"{RUNS}/{self.run_id}/export?redact=path", 400),
                             (f"{RUNS}/{self.run_id}/export?redact=", 400),
                             (f"{RUNS}/nothing/export", 404), (f"{API}/compare/export", 400), (f"{API}/compare/export?base={self.run_id}", 400)):
            self.assertEqual(self.ask("admin", "GET", path).status, status, path)
        self.assertEqual(os.listdir(os.path.join(self.data, "spool")), [])

    def test_a_member_under_a_path_is_only_a_name(self):
        packed = io.BytesIO()
        about = {"format": 1, "perfshelf": "0", "runs": [{"file": "../../../etc/x", "kind": "importtime", "name": "n"}]}
        with tarfile.open(fileobj=packed, mode="w") as tar:
            for name, content in (("bundle.json", json.dumps(about, separators=(",", ":")).encode()), ("../../../etc/x", self.content)):
                info = tarfile.TarInfo(name)
                info.size = len(content)
                tar.addfile(info, io.BytesIO(content))
        told = self.ask("uploader", "POST", f"{RUNS}?wait=1", packed.getvalue()).json
        self.assertEqual([run["id"] for run in told["runs"]], [self.run_id])


if __name__ == "__main__":
    unittest.main()
