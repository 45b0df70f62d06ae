# SPDX-License-Identifier: MIT
"""`perfshelf mcp --allow-write`: the tools add and record."""
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
import unittest

from mcp_cli import INITIALIZE, INITIALIZED, Agent, call_of, fact_of, table_of
from program import DEMO, PROGRAM

SLOW = os.path.join(DEMO, "bookshop-slow.prof")


def processes(word):
    """Processes that have a word among their arguments."""
    found = []
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{number}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue
        found += [number] * (word.encode() in words)
    return found


class Writing(Agent):
    def setUp(self):
        super().setUp()
        self.ok("add", os.path.join(DEMO, "awscli.log"), "--name", "first")

    def result(self, tool, **arguments):
        return self.send(INITIALIZE, INITIALIZED, call_of(1, tool, arguments), options=("--allow-write",))[1]["result"]

    def runs(self):
        return {run["id"]: run for run in self.json("list")}

    def program(self, text):
        return self.file("app.py", text.encode())

    def test_they_exist_only_if_allowed(self):
        for options, extra in (((), set()), (("--allow-write",), {"add", "record"})):
            found = self.send(INITIALIZE, {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, call_of(2, "add", {"files": [SLOW]}), options=options)
            tools = {tool["name"]: tool["annotations"] for tool in found[1]["result"]["tools"]}
            self.assertEqual({name for name, about in tools.items() if not about["readOnlyHint"]}, extra)
            self.assertEqual("record" in found[0]["result"]["instructions"], bool(extra))
            self.assertEqual(found[2].get("error", {}).get("code"), None if extra else -32602)
            self.assertEqual(len(self.runs()), 1 + bool(extra))
        self.assertEqual((tools["record"]["destructiveHint"], tools["add"]["destructiveHint"]), (True, False))

    def test_add(self):
        answer = self.data_of("add", files=[SLOW], name="--json", series="a b", note="two\nlines", tags=["k=v", "who=--me"])
        row = table_of(answer, "runs")["rows"][0]
        run = self.runs()[row[0]]
        self.assertEqual((row[1:], run["name"]), (["pstats", {"value": 455, "unit": ""}, {"value": 0, "unit": ""}, "added", "--json"], "--json"))
        self.assertEqual((run["series"], run["note"], run["tags"]["k"], run["tags"]["who"]), ("a b", "two\nlines", "v", "--me"))
        self.assertIn("was on the shelf", self.text("add", files=[SLOW]))

    def test_add_of_several(self):
        """Paths begin at the folder; what is no profile is said beside the runs."""
        bad = self.program("print(1)\n")
        answer = self.data_of("add", files=["bookshop-slow.prof", "bookshop-cached.prof", bad], folder=DEMO)
        self.assertEqual([row[1] for row in table_of(answer, "runs")["rows"]], ["pstats", "pstats"])
        self.assertEqual(fact_of(answer, "exit status"), "1")
        self.assertIn("is not a supported profile", table_of(answer, "end of the output")["rows"][0][0])

    def test_add_refuses(self):
        for arguments, said in (({"files": []}, "files is empty"), ({"files": ["-"]}, "name a file"), ({"files": ["--help"]}, "No such file"),
                                ({"files": [SLOW], "folder": "/nowhere"}, "/nowhere"), ({"files": [SLOW], "tags": ["x"]}, "KEY=VALUE"),
                                ({"files": [SLOW], "merge": "yes"}, "is not true or false"), ({"files": [SLOW], "timeout_s": 1e9}, "larger than 86400")):
            with self.subTest(arguments):
                self.assertIn(said, self.failure("add", **arguments))
        self.assertEqual(len(self.runs()), 1)

    def test_merge(self):
        lines = [os.path.join(DEMO, "events.lprof")]
        answer = self.data_of("add", files=lines, merge=False)
        self.assertEqual(len(table_of(answer, "runs")["rows"]), 1)
        traces = [os.path.join(DEMO, name) for name in sorted(os.listdir(DEMO)) if name.endswith(".pt.trace.json.gz")][:2]
        merged = self.data_of("add", files=traces, merge=True)
        self.assertEqual(len(table_of(merged, "runs")["rows"]), 1)

    def test_record(self):
        path = self.program("import sys\nsys.stdin.read()\ndef work(): return sum(range(300000))\nwork()\nprint('done', sys.argv[1:])\nsys.exit(3)\n")
        answer = self.data_of("record", recorder="cprofile", command=[sys.executable, path, "--name=x", "; rm -rf /"], name="app")
        self.assertEqual(fact_of(answer, "exit status"), "3")
        run = self.runs()[table_of(answer, "runs")["rows"][0][0]]
        self.assertEqual((run["kind"], run["name"]), ("pstats", "app"))
        lines = [row[0] for row in table_of(answer, "end of the output")["rows"]]
        self.assertIn("done ['--name=x', '; rm -rf /']", lines)
        self.assertIn("`work`", self.text("hot", run="app", search="work"))

    def test_record_several(self):
        answer = self.data_of("record", recorder="time", command=["true"], repeat=3, folder=self.folder)
        self.assertEqual([row[1] for row in table_of(answer, "runs")["rows"]], ["time"] * 3)
        self.assertEqual(len({run["series"] for run in self.runs().values() if run["kind"] == "time"}), 1)

    def test_recorders_are_those_of_the_command(self):
        text = subprocess.run([PROGRAM, "help", "record"], capture_output=True, text=True, check=True, timeout=60).stdout
        named = re.findall(r"^    (\w+)  ", text.split("RECORDER      one of")[1].split("COMMAND...")[0], re.M)
        found = self.send({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, options=("--allow-write",))[1]["result"]["tools"]
        record = next(tool for tool in found if tool["name"] == "record")
        self.assertEqual(record["inputSchema"]["properties"]["recorder"]["enum"], named)

    def test_record_refuses(self):
        for arguments, said in (({"recorder": "cprofile", "command": []}, "command is empty"), ({"recorder": "ab", "command": ["x"]}, "must be one of"),
                                ({"recorder": "time", "command": ["no-such-program"]}, "no-such-program"),
                                ({"recorder": "cprofile", "command": [sys.executable, "nowhere.py"]}, "No run was added")):
            with self.subTest(arguments):
                self.assertIn(said, self.failure("record", **arguments))
        self.assertEqual(len(self.runs()), 1)

    def test_output_is_quoted_and_bounded(self):
        path = self.program("print('\\x1b[31mred ` | # head\\u202e')\nfor i in range(100000): print('line', i)\nprint('x' * 10000)\n")
        text = self.text("record", recorder="time", command=[sys.executable, path])
        self.assertNotRegex(text, "[\x1b\u202e]")
        self.assertIn("`line 99999`", text)
        self.assertNotIn("`line 99980`", text)
        self.assertIn("bytes]xxx", text)
        self.assertIn("The beginning of the output was not kept.", text)

    def test_time_limit(self):
        """The program is stopped, with those that it started."""
        path = self.program("import subprocess, sys\nsubprocess.run(['sleep', '371.5'])\n")
        said = self.result("record", recorder="time", command=[sys.executable, path], timeout_s=1)
        self.assertIn("longer than timeout_s", said["content"][0]["text"])
        self.assertEqual(processes("371.5"), [])

    def wait_for(self, word, there):
        for _ in range(600):
            if bool(processes(word)) == there:
                return
            time.sleep(0.05)
        self.fail(f"{word} is {'not ' if there else 'still '}there")

    def test_cancelled(self):
        self.interrupted("372.5", lambda program, send: send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}), 0)

    def test_a_signal_ends_the_command_too(self):
        self.interrupted("373.5", lambda program, send: program.send_signal(signal.SIGTERM), -signal.SIGTERM)

    def interrupted(self, word, end, status):
        with subprocess.Popen([PROGRAM, "mcp", "--data", self.data, "--allow-write"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
            def send(message):
                program.stdin.write(json.dumps(message).encode() + b"\n")
                program.stdin.flush()
            send(call_of(1, "record", {"recorder": "time", "command": ["sleep", word]}))
            self.wait_for(word, True)
            end(program, send)
            program.stdin.close()
            self.assertEqual(program.stdout.read(), b"")
            self.assertEqual(program.wait(timeout=30), status)
        self.wait_for(word, False)

    def test_calls_are_logged(self):
        """What was cancelled too: the program had begun to run."""
        self.text("add", files=[SLOW])
        self.interrupted("374.5", lambda program, send: send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}), 0)
        self.assertEqual(self.logged(), [("add", SLOW, None), ("record", "sleep 374.5", "cancelled")])
        self.text("record", recorder="time", command=["true", "--api-key", "s3cr3t", "TOKEN=hidden", "two words"])
        self.assertEqual(self.logged()[-1][1], "true --api-key (masked) TOKEN=(masked) 'two words'")

    def logged(self):
        with sqlite3.connect(os.path.join(self.data, "catalog.db")) as db:
            rows = db.execute("SELECT tool, run, code FROM agent_call ORDER BY id").fetchall()
        db.close()
        return rows


if __name__ == "__main__":
    unittest.main()
