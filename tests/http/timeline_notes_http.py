# SPDX-License-Identifier: MIT
"""Notes that users write on the timeline of a run: rights and limits. tests/cli/timeline_notes_cli.py copies them."""
import json
import unittest

from access_http import AccessTest
from server import RUNS, ServerTest

HOSTILE = '<img src=x onerror=alert(1)> "quoted" \\ </script> \u202eabc \U0001f600\nsecond line'
TRACE = json.dumps({"traceEvents": [{"ph": "X", "name": "work", "pid": 1, "tid": 1, "ts": 0, "dur": 100}]}).encode()


class Notes(ServerTest):
    def setUp(self):
        # An event of its own makes each run another one.
        trace = json.dumps({"traceEvents": [{"ph": "X", "name": self.id(), "pid": 1, "tid": 1, "ts": 0, "dur": 100}]}).encode()
        self.run_id = self.add(trace)["id"]
        self.path = f"{RUNS}/{self.run_id}/timeline_notes"

    def post(self, body, path=None):
        return self.request("POST", path or self.path, body if isinstance(body, (str, bytes)) else json.dumps(body))

    def note(self, **body):
        answer = self.post({"t_ns": 5000, "text": "slow"} | body)
        self.assertEqual(answer.status, 201, answer.body)
        return answer.json["id"]

    def rows(self):
        return self.get_json(self.path)["rows"]

    def test_add_change_remove(self):
        self.assertEqual(self.rows(), [])
        second = self.note(t_ns=90_000, text=HOSTILE, area="90000-95000@1,c2,m1:0")
        first = self.note(t_ns=10)
        self.assertRegex(first, "^[0-9a-f]{12}$")
        rows = self.rows()
        self.assertEqual([(row["id"], row["t_ns"], row["area"], row["text"], row["who"]) for row in rows],
                         [(first, 10, "", "slow", ""), (second, 90_000, "90000-95000@1,c2,m1:0", HOSTILE, "")])
        self.assertRegex(rows[0]["at"], r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        self.assertEqual(self.request("PATCH", f"{self.path}/{second}", json.dumps({"t_ns": 20, "area": ""})).status, 204)
        self.assertEqual(self.request("PATCH", f"{self.path}/{first}", json.dumps({"text": "slower\r\nhere"})).status, 204)
        self.assertEqual([(row["t_ns"], row["area"], row["text"]) for row in self.rows()], [(10, "", "slower\nhere"), (20, "", HOSTILE)])
        self.assertEqual(self.request("DELETE", f"{self.path}/{first}").status, 204)
        self.assertEqual([row["id"] for row in self.rows()], [second])
        self.assertRefused(self.request("DELETE", f"{self.path}/{first}"), 404, "not_found")
        self.assertRefused(self.request("PATCH", f"{self.path}/{first}", '{"text":"x"}'), 404, "not_found")

    def test_activity(self):
        self.note(text="look here")
        event = self.get_json("/api/v1/activity?limit=1")["rows"][0]
        self.assertEqual((event["what"], event["run"], event["text"]), ("noted", self.run_id, "look here"))

    def test_refused(self):
        for body in ("", "[]", "{", '{"t_ns":1}', '{"text":"x"}', {"t_ns": 1, "text": ""}, {"t_ns": 1.5, "text": "x"}, {"t_ns": "1", "text": "x"},
                     {"t_ns": 1e300, "text": "x"}, {"t_ns": 2**53 + 2, "text": "x"}, {"t_ns": 1, "text": 5}, {"t_ns": 1, "text": "a\x00b"},
                     {"t_ns": 1, "text": "a\x1b[31mb"}, {"t_ns": 1, "text": "a\x7f"}, {"t_ns": 1, "text": "a\tb"}, {"t_ns": 1, "text": "x" * 2001},
                     {"t_ns": 1, "text": "é" * 1001}, {"t_ns": 1, "text": "x", "area": "<b>"}, {"t_ns": 1, "text": "x", "area": "1" * 1001},
                     {"t_ns": 1, "text": "x", "area": 5}, {"t_ns": 1, "text": "x", "who": "me"}, b'{"t_ns":1,"text":"\xff"}'):
            self.assertRefused(self.post(body), 400, "bad_request")
        note = self.note()
        for body in ("{", {"text": ""}, {"t_ns": 0.5}, {"id": "x"}, {"text": "\x01"}):
            self.assertRefused(self.request("PATCH", f"{self.path}/{note}", body if isinstance(body, str) else json.dumps(body)), 400, "bad_request")
        self.assertRefused(self.post({"t_ns": 1, "text": "x"}, f"{RUNS}/0123456789abcdef/timeline_notes"), 404, "not_found")
        self.assertEqual([row["text"] for row in self.rows()], ["slow"])

    def test_at_most_200(self):
        for i in range(200):
            self.note(t_ns=i)
        answer = self.post({"t_ns": 1, "text": "one more"})
        self.assertRefused(answer, 413, "too_large")
        self.assertIn("200 notes", answer.error["text"])
        self.assertEqual(len(self.rows()), 200)

    def test_a_deleted_run_keeps_its_notes(self):
        self.note(text=HOSTILE)
        self.assertEqual(self.request("DELETE", f"{RUNS}/{self.run_id}").status, 204)
        self.assertEqual(self.get(self.path).status, 404)
        self.assertEqual(self.request("POST", f"{RUNS}/{self.run_id}/undelete").status, 200)
        self.assertEqual([row["text"] for row in self.rows()], [HOSTILE])

    def test_events(self):
        """Open pages learn of a note by the event of its run."""
        link = self.server.connect()
        link.request("GET", "/api/v1/events")
        stream = link.getresponse()
        self.note()
        lines = []
        while not any(self.run_id in line for line in lines):
            lines.append(stream.readline().decode())
        link.close()


class Rights(AccessTest):
    def test_own_notes(self):
        answer = self.ask("POST", "/runs?wait=1", "admin", TRACE)
        path = f"/runs/{answer.json['id']}/timeline_notes"

        def post(who):
            return self.ask("POST", path, who, json.dumps({"t_ns": 1, "text": f"by {who}"}))

        self.assertEqual([post(None).status, post("viewer").status], [401, 403])
        by_uploader, by_admin = (post(who).json["id"] for who in ("uploader", "admin"))
        for who in ("viewer", "uploader", "admin"):
            self.assertEqual({row["who"] for row in self.ask("GET", path, who).json["rows"]}, {"a uploader", "a admin"})
        self.assertEqual(self.ask("GET", path).status, 401)
        for method, body in (("PATCH", '{"text":"changed"}'), ("DELETE", None)):
            for who, note, wanted in (("viewer", by_uploader, 403), ("uploader", by_admin, 403), ("uploader", by_uploader, 204), ("admin", by_admin, 204)):
                self.assertEqual(self.ask(method, f"{path}/{note}", who, body).status, wanted, (method, who))
        self.assertEqual(self.ask("GET", path, "viewer").json["rows"], [])
        self.assertEqual(self.ask("DELETE", f"{path}/{post('uploader').json['id']}", "admin").status, 204)


if __name__ == "__main__":
    unittest.main()
