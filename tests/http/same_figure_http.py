# SPDX-License-Identifier: MIT
"""One figure, one answer: the largest row of a run of each kind, asked of SQL, the table, a comparison, agents and the command line."""
import json
import math
import os
import re
import subprocess

from server import PROGRAM, ROOT, RUNS, ServerTest

DEMO, GOLDEN = (os.path.join(ROOT, *folder) for folder in (("demo", "profiles"), ("tests", "golden")))
INSTANT = 1  # of enum ps_slice_flag
LINES = "SELECT sum({0}) AS v FROM lines GROUP BY file, function, first_line, line ORDER BY v DESC LIMIT 1"
PRINTED = ("SELECT max(f.tottime_s) AS v FROM functions f"
           " JOIN (SELECT * FROM reports ORDER BY last_function - first_function DESC, report LIMIT 1) r"
           " ON f.id BETWEEN r.first_function AND r.last_function")

# Without memory_profiler (its increments in loops are noise, which only SQL has) and benchmarks (units differ by row).
# kind: file; table of comparisons and its metric; statement; view and its column (None: the page reads the comparison's rows)
CASES = {
    "importtime": (f"{DEMO}/stdlib.log", "imports", "self_us", "SELECT max(self_us) AS v FROM imports", ("imports", "self_us")),
    "pstats": (f"{DEMO}/expressions.prof", "functions", "tottime_s", "SELECT max(tottime_s) AS v FROM functions", ("functions", "tottime_s")),
    "pstats-text": (f"{GOLDEN}/pstats_text/ok_cprofile.txt", "functions", "tottime_s", PRINTED, ("functions", "tottime_s")),
    "lightning": (f"{GOLDEN}/lightning/ok_simple.txt", "actions", "total_s", "SELECT max(total_s) AS v FROM actions", ("actions", "total_s")),
    "key-averages": (f"{GOLDEN}/key_averages/ok_cpu.txt", "operators", "self_cpu_us", "SELECT max(self_cpu_us) AS v FROM operators",
                     ("operators", "self_cpu_us")),
    "line_profiler": (f"{DEMO}/events.lprof", "lines", "time_s", LINES.format("time_s"), None),
    "scalene": (f"{GOLDEN}/scalene/ok_v1554.json", "lines", "malloc_mib", LINES.format("malloc_mib"), None),
    "mprof": (f"{GOLDEN}/mprof/ok_children.dat", "processes", "peak_mib", "SELECT max(bytes) / 1048576.0 AS v FROM memory", None),
    "memory-timeline": (f"{GOLDEN}/memory_timeline/ok_sums.json", "categories", "peak_mib", "SELECT max(bytes) / 1048576.0 AS v FROM memory",
                        None),
    "nsys": (f"{GOLDEN}/nsys/ok_full.sqlite", "operators", "self_cpu_us", "SELECT max(self_cpu_us) AS v FROM operators",
             ("operators", "self_cpu_us")),
    "folded": (f"{GOLDEN}/folded/ok_plain.txt", "functions", "self", "SELECT sum(self) AS v FROM nodes GROUP BY frame ORDER BY v DESC LIMIT 1",
               ("stack_functions", "self")),
}


def trace_of(*slices):
    return json.dumps({"traceEvents": [{"ph": "X", "name": name, "cat": cat, "pid": 1, "tid": tid, "ts": ts, "dur": dur}
                                       for name, cat, tid, ts, dur in slices]}).encode()


OTHER = trace_of(("main", "trace", 1, 0, 100), ("load", "memcpy", 1, 10, 30), ("load", "memcpy", 1, 50, 20), ("wait", "", 2, 0, 45))
TORCH = trace_of(("aten::linear", "cpu_op", 1, 0, 100), ("aten::mm", "cpu_op", 1, 10, 30), ("aten::mm", "cpu_op", 1, 50, 25))


class SameFigure(ServerTest):
    def sql(self, run, text):
        answer = self.request("POST", "/api/v1/sql", json.dumps({"run": run, "sql": text})).json
        return answer["rows"][0][0]

    def view(self, run, view, column):
        answer = self.get_json(f"{RUNS}/{run}/{view}?sort={column}&desc=1&limit=1")
        return answer["rows"][0][answer["columns"].index(column)]

    def compared(self, run, table, metric):
        answer = self.get_json(f"/api/v1/compare/{table}?base={run}&new={run}&metric={metric}&per=run&sort=new&desc=1&limit=1")
        row = dict(zip(answer["columns"], answer["rows"][0]))
        self.assertEqual((row["base"], row["delta"]), (row["new"], 0))
        return row["new"]

    def hot(self, run, table, metric):
        """What agents get: the value, and its text in Markdown."""
        answers = [self.request("POST", "/mcp", json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "hot", "arguments": {"run": run, "table": table, "metric": metric, "format": format_}}}),
            Content_Type="application/json", Accept="application/json, text/event-stream").json["result"]["content"][0]["text"]
            for format_ in ("json", "markdown")]
        rows = next(part for part in json.loads(answers[0])["parts"] if "table" in part)["rows"]
        value = rows[0][0]
        return value["value"] if isinstance(value, dict) else value, re.search(r"^\|[-:| ]+\|\n\| ([^|]*) \|", answers[1], re.M)[1]

    def shown(self, run, table, metric):
        done = subprocess.run([PROGRAM, "show", "--data", self.data, run, "--of", table, "--metric", metric, "--rows", "1"],
                              capture_output=True, text=True, check=True)
        lines = done.stdout.splitlines()
        head = max(i for i, line in enumerate(lines) if re.match(r"\S.* by \S", line))
        return re.match(r" *(\S+(?: \S+)*?)(?:  |$)", lines[head + 2])[1]

    def all_equal(self, content, table, metric, sql, view):
        run = self.add(content)["id"]
        value, text = self.hot(run, table, metric)
        answers = {"compare": self.compared(run, table, metric), "sql": self.sql(run, sql)}
        if view:
            answers["view"] = self.view(run, *view)
        for asked, answer in answers.items():
            self.assertTrue(math.isclose(answer, value, rel_tol=1e-9), (asked, answer, value))
        self.assertEqual(self.shown(run, table, metric), text)

    def test_each_kind_gives_one_answer(self):
        for kind, (path, *question) in CASES.items():
            with self.subTest(kind), open(path, "rb") as file:
                self.all_equal(file.read(), *question)

    def test_traces(self):
        slices = "SELECT sum(self_ns) / 1000.0 AS v FROM slices GROUP BY name ORDER BY v DESC LIMIT 1"
        for content, sql in (OTHER, slices), (TORCH, slices), (TORCH, "SELECT max(self_cpu_us) AS v FROM operators"):
            with self.subTest(sql, content=content):
                self.all_equal(content, "operators", "self_cpu_us", sql, ("operators", "self_cpu_us"))

    def host_rows(self, run):
        """(own time, time, calls) by name, which the table, a comparison and the SQL view of operators agree on."""
        answer = self.get_json(f"/api/v1/compare/operators?base={run}&new={run}&metric=self_cpu_us&per=run&limit=1000")
        compared = {row["name"]: (row["new"], row["new_cpu_total_us"], row["new_calls"])
                    for row in (dict(zip(answer["columns"], values)) for values in answer["rows"])}
        answer = self.get_json(f"{RUNS}/{run}/operators?on=host&limit=1000")
        listed = {row["name"]: (row["self_cpu_us"], row["cpu_total_us"], row["calls"])
                  for row in (dict(zip(answer["columns"], values)) for values in answer["rows"])}
        rows = self.request("POST", "/api/v1/sql", json.dumps({"run": run, "sql": (
            "SELECT name, sum(self_cpu_us), sum(cpu_total_us), sum(calls) FROM operators WHERE kind NOT BETWEEN 6 AND 11 GROUP BY name")}))
        viewed = {name: tuple(values) for name, *values in rows.json["rows"]}
        self.assertEqual(compared, listed)
        self.assertEqual(viewed, listed)
        return listed

    def test_rows_of_the_profiler_and_of_annotations(self):
        """As the tool's own table has them: key_averages() of torch lists both."""
        slices = (("epoch", "user_annotation", 1, 0, 90), ("aten::mm", "cpu_op", 1, 10, 30), ("Activity Buffer Request", "overhead", 1, 60, 20))
        events = json.loads(trace_of(*slices))["traceEvents"]
        run = self.add(json.dumps({"schemaVersion": 1, "deviceProperties": [], "traceEvents": events}).encode())["id"]
        self.assertEqual({name: values[1:] for name, values in self.host_rows(run).items()},
                         {"epoch": (90, 1), "aten::mm": (30, 1), "Activity Buffer Request": (20, 1)})

    def test_calls_and_their_waits_count_once(self):
        """Each host row of an export of Nsight Systems: SQL, the table and a comparison have the same calls and times."""
        with open(f"{GOLDEN}/nsys/ok_full.sqlite", "rb") as file:
            run = self.add(file.read())["id"]
        rows = self.request("POST", "/api/v1/sql", json.dumps({"run": run, "sql": (
            f"SELECT name, sum(self_ns) / 1000.0, sum(duration_ns) / 1000.0, count(*) FROM slices WHERE kind NOT BETWEEN 6 AND 11 AND NOT flags & {INSTANT} GROUP BY name")}))
        recorded = {name: tuple(values) for name, *values in rows.json["rows"]}
        del recorded["CUPTI flush"]  # the profiler's own work, which reports of Nsight Systems do not list
        self.assertEqual(self.host_rows(run), recorded)
        self.assertNotIn("Context sync", recorded)

    def test_unknown_counts_are_not_zero(self):
        """The older reports of Lightning have no counts, yappi none of the functions that it does not list."""
        with open(f"{GOLDEN}/lightning/ok_old_short.txt", "rb") as file:
            run = self.add(file.read())["id"]
        answer = self.get_json(f"/api/v1/compare/actions?new={run}&metric=total_s")
        self.assertEqual([row[answer["columns"].index("median_calls")] for row in answer["rows"]], [None, None])
        answer = self.get_json(f"/api/v1/compare/actions?base={run}&new={run}&metric=calls")
        self.assertEqual([dict(zip(answer["columns"], row))[key] for row in answer["rows"] for key in ("base", "new", "delta")], [None] * 6)
        self.assertEqual(self.hot(run, "actions", "calls")[1], "")
        done = subprocess.run([PROGRAM, "show", "--data", self.data, run], capture_output=True, text=True, check=True)
        self.assertRegex(done.stdout, r"(?m)^ +25\.00 s +500\.0 ms +model_forward")

    def test_reports_of_one_function_are_added_up(self):
        """Two printed reports of a recursive function: the table and the conclusion have the same time, and the recursion is named."""
        report = ("Timer unit: 1e-09 s\n\nTotal time: 0.2 s\nFile: app.py\nFunction: fib at line 6\n\n"
                  "Line #      Hits         Time  Per Hit   % Time  Line Contents\n"
                  "==============================================================\n"
                  "     6                                           def fib(n):\n"
                  "     7       100   50000000.0      1.0     25.0      if n < 2: return n\n"
                  "     8        50  150000000.0      1.0     75.0      return fib(n - 1) + fib(n - 2)\n\n")
        run = self.add((report + report.replace("     8        50", "     8        70")).encode())["id"]
        said = self.get_json(f"{RUNS}/{run}/conclusion")
        self.assertEqual([round(cause["amount"], 9) for cause in said["causes"]], [0.3, 0.1])
        self.assertAlmostEqual(self.compared(run, "lines", "time_s"), 0.3)
        self.assertEqual(self.compared(run, "lines", "hits"), 200)
        self.assertTrue(any("fib calls itself at line 8" in note for note in said["notes"]), said["notes"])
