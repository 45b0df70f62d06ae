# SPDX-License-Identifier: MIT
"""The Model Context Protocol: over HTTP with tokens, roles and the activity log; and both transports with the client of the protocol's SDK."""
import json
import os
import shutil
import subprocess
import tempfile
import threading
import unittest

from server import PROGRAM, ROOT, Server, cpu_ticks
from wait import wait_until  # where server.py looks

PROFILES = os.path.join(ROOT, "demo", "profiles")
CURRENT, PREVIOUS = "2025-11-25", "2025-06-18"
CLIENT = os.path.join(ROOT, "web", "test", "mcp_client.mjs")
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
RUNS = (("bookshop-slow.prof", "slow", "shop"), ("bookshop-cached.prof", "cached", "shop"), ("training-waits.pt.trace.json.gz", "waits", ""),
        ("awscli.log", "imports", ""))


def message(number, method, **params):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def call_of(number, tool, **arguments):
    return message(number, "tools/call", name=tool, arguments=arguments)


class McpTest(unittest.TestCase):
    args = ()

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="perfshelf-mcp-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.data = os.path.join(self.folder, "shelf")
        for file, name, series in RUNS:
            subprocess.run([PROGRAM, "add", "--data", self.data, os.path.join(PROFILES, file), "--name", name, "--series", series],
                           capture_output=True, check=True, timeout=60)
        self.tokens = {}
        if self.args:
            self.tokens = {role: self.token(role) for role in ("viewer", "admin")}
        self.server = Server(self.data, *self.args)
        self.addCleanup(self.end)

    def token(self, role):
        done = subprocess.run([PROGRAM, "token", "add", f"a {role}", "--role", role, "--data", self.data], capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def end(self):
        code, said = self.server.end()
        self.server.process.stdout.close()
        self.assertEqual(code, 0, said)

    def post(self, body, who=None, method="POST", **headers):
        if who:
            headers["Authorization"] = "Bearer " + self.tokens.get(who, who)
        return self.server.request(method, "/mcp", body if isinstance(body, (str, bytes, type(None))) else json.dumps(body), headers)

    def sdk(self, *words, revision=CURRENT, n=11):
        """The tools that the client of the SDK called."""
        done = subprocess.run(["node", CLIENT, revision, *words], capture_output=True, text=True, timeout=120, cwd=ROOT)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        called = json.loads(done.stdout)
        self.assertEqual(len(called), n)
        return called

    def text(self, tool, **arguments):
        answer = self.post(call_of(1, tool, **arguments), who="viewer" if self.tokens else None)
        self.assertEqual(answer.status, 200, answer.body)
        result = json.loads(answer.body)["result"]
        self.assertFalse(result["isError"], result)
        return result["content"][0]["text"]


class Http(McpTest):
    def test_messages(self):
        answer = self.post(message(1, "initialize", protocolVersion="2025-06-18", capabilities={}))
        self.assertEqual((answer.status, json.loads(answer.body)["result"]["protocolVersion"]), (200, "2025-06-18"))
        self.assertRegex(answer.headers["Mcp-Session-Id"], "^[0-9a-f]{32}$")
        answer = self.post({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.assertEqual((answer.status, answer.body), (202, b""))
        answer = self.post({"jsonrpc": "2.0", "id": 1, "result": {}})
        self.assertEqual((answer.status, answer.body), (202, b""))
        for body, code in (("x", -32700), ("[]", -32600), (b"\xff", -32700)):
            answer = self.post(body)
            self.assertEqual((answer.status, json.loads(answer.body)["error"]["code"]), (400, code))
        answer = self.post(call_of(1, "rm"))
        self.assertEqual((answer.status, json.loads(answer.body)["error"]["code"]), (200, -32602))
        self.assertEqual(self.post(message(1, "ping"), **{"MCP-Protocol-Version": "1999-01-01"}).status, 400)
        self.assertEqual(self.post(message(1, "ping"), **{"MCP-Protocol-Version": "2025-11-25"}).status, 200)
        for method in ("GET", "DELETE"):
            answer = self.post(None, method=method)
            self.assertEqual((answer.status, answer.headers["Allow"]), (405, "POST"))
        self.assertEqual(self.post("{" + " " * 70_000 + "}").status, 413)

    def test_numbers_and_links(self):
        run = json.loads(self.server.request("GET", "/api/v1/runs/slow").body)["id"]
        text = self.text("summary", run="slow")
        self.assertIn("takes 41.0 % of the time, in 12000 calls of `sqlite3.Cursor.fetchone`", text)
        self.assertIn(f"http://127.0.0.1:{self.server.port}/#/run/{run}", text)
        self.assertIn("| 455 |", self.text("sql", run="slow", sql="SELECT count(*) AS n FROM functions"))

    def test_pages_of_other_sites_are_refused(self):
        ping = message(1, "ping")
        self.assertEqual(self.post(ping, Origin="http://evil.example").status, 403)
        self.assertEqual(self.post(ping, Host="evil.example").status, 403)
        self.assertEqual(self.post(ping, **{"Sec-Fetch-Site": "cross-site"}).status, 403)
        self.assertEqual(self.post(ping, Origin=f"http://127.0.0.1:{self.server.port}").status, 200)

    def test_calls_are_in_the_activity_log(self):
        self.text("summary", run="slow")
        self.text("compare", base="slow", new="cached")
        self.post(call_of(1, "summary", run="nothing"))
        rows = json.loads(self.server.request("GET", "/api/v1/activity?limit=3").body)["rows"]
        self.assertEqual([(row["what"], row["name"], row["code"]) for row in rows],
                         [("called", "summary nothing", "not_found"), ("called", "compare cached", None), ("called", "summary slow", None)])

    def cancel(self, session, other=None):
        """Cancels an endless statement until it ends, and returns the answer: an error of the tool, or of the call if that had not begun."""
        found = []
        thread = threading.Thread(target=lambda: found.append(self.post(call_of(7, "sql", run="slow", sql=ENDLESS), **{"Mcp-Session-Id": session})))
        thread.start()
        while thread.is_alive():  # a notification that comes before the call ends nothing
            self.post({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}, **{"Mcp-Session-Id": other or session})
            thread.join(0.2)
        return found[0].body.decode()

    def test_cancelled(self):
        session = self.post(message(1, "initialize", protocolVersion="2025-06-18")).headers["Mcp-Session-Id"]
        self.assertIn("the client cancelled the call", self.cancel(session))
        self.assertIn("took too long", self.cancel(session, other="0" * 32))  # of another client: not cancelled

    def test_the_server_stops_while_a_tool_runs(self):
        """The server does not wait for the limit of the statement."""
        found = []
        thread = threading.Thread(target=lambda: found.append(self.post(call_of(7, "sql", run="slow", sql=ENDLESS)).body))
        idle = cpu_ticks(self.server.process.pid)
        thread.start()
        wait_until(lambda: cpu_ticks(self.server.process.pid) > idle + 20, 60, "the statement runs")
        self.end()
        thread.join(60)
        self.assertIn(b"is stopping", found[0])
        self.server = Server(self.data)


class Tokens(McpTest):
    args = ("--tokens",)

    def test_a_token_is_needed(self):
        self.assertEqual(self.post(message(1, "ping")).status, 401)
        self.assertEqual(self.post(message(1, "ping"), who="psf_000000000000_" + "A" * 43).status, 401)
        self.assertEqual(self.post(message(1, "ping"), who="viewer").status, 200)

    def test_the_log_names_the_user(self):
        self.text("summary", run="slow")
        answer = self.server.request("GET", "/api/v1/activity?limit=1", None, {"Authorization": "Bearer " + self.tokens["viewer"]})
        self.assertEqual([(row["what"], row["who"]) for row in json.loads(answer.body)["rows"]], [("called", "a viewer")])

    def test_sdk(self):
        url = f"http://127.0.0.1:{self.server.port}/mcp"
        self.sdk("http", url, self.tokens["viewer"])

    def test_an_agent_reports_its_calls(self):
        """`perfshelf mcp --server` runs the tools; the log of the server has them as those of the user."""
        url, token = f"http://127.0.0.1:{self.server.port}", self.tokens["viewer"]
        calls = "".join(json.dumps(call) + "\n" for call in (call_of(1, "summary", run="slow"), call_of(2, "hot", run="\u00e9" * 300 + "\n")))
        subprocess.run([PROGRAM, "mcp", "--server", url], env=dict(os.environ, PERFSHELF_TOKEN=token), input=calls.encode(), capture_output=True, check=True, timeout=60)
        answer = self.server.request("GET", "/api/v1/activity?limit=2", None, {"Authorization": "Bearer " + token})
        rows = json.loads(answer.body)["rows"]
        self.assertEqual([(row["who"], row["name"][:12], row["code"]) for row in rows],
                         [("a viewer", "hot " + "\u00e9" * 8, "not_found"), ("a viewer", "summary slow", None)])

    def test_reports_are_checked(self):
        good = {"tool": "hot", "subject": "slow", "seconds": 0.5, "code": "not_found", "text": "no"}

        def report(body, who="viewer"):
            headers = {"Authorization": "Bearer " + self.tokens.get(who, who), "Content-Type": "application/json"}
            return self.server.request("POST", "/api/v1/agent_calls", json.dumps(body), headers).status
        self.assertEqual(report(good), 204)
        self.assertEqual(report(good, who="none"), 401)
        for name, value in (("tool", "rm"), ("tool", 1), ("tool", None), ("subject", "x" * 401), ("subject", "a\nb"), ("seconds", -1), ("seconds", "1"),
                            ("seconds", 1e300), ("code", "<b>"), ("code", 1), ("text", "x" * 401), ("text", [])):
            with self.subTest(name=name, value=value):
                self.assertEqual(report({**good, name: value}), 400)


class Sdk(McpTest):
    """The client of the protocol's own SDK calls every tool; web/test/mcp_client.mjs has the assertions."""

    def test_stdio(self):
        self.sdk("stdio", PROGRAM, "mcp", "--data", self.data)

    def test_stdio_that_writes(self):
        self.assertEqual(self.sdk("stdio", PROGRAM, "mcp", "--data", self.data, "--allow-write", n=13)[-2:], ["add", "record"])

    def test_stdio_with_a_server(self):
        self.sdk("stdio", PROGRAM, "mcp", "--server", f"http://127.0.0.1:{self.server.port}")

    def test_http(self):
        self.sdk("http", f"http://127.0.0.1:{self.server.port}/mcp")

    def test_the_previous_revision(self):
        self.sdk("stdio", PROGRAM, "mcp", "--data", self.data, revision=PREVIOUS)
        self.sdk("http", f"http://127.0.0.1:{self.server.port}/mcp", revision=PREVIOUS)


if __name__ == "__main__":
    unittest.main()
