# SPDX-License-Identifier: MIT
"""SQL that people type, through HTTP: what it answers, what it refuses, what ends it."""
import concurrent.futures
import csv
import io
import json
import marshal
import os
import re
import select
import socket
import unittest

from server import ROOT, ServerTest, cpu_ticks, dump, import_log, sanitized
from long import SHORT, long_test  # where server.py looks
from wait import wait_until

SQL = "/api/v1/sql"
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"


class Sql(ServerTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        shelf = cls("setUp")
        cls.log = shelf.add(import_log(), name="log", tag="branch=main")["id"]
        cls.dump = shelf.add(dump(), name="dump")["id"]

    def ask(self, sql, **more):
        if "runs" not in more:
            more.setdefault("run", self.log)
        return self.request("POST", SQL, json.dumps(dict(more, sql=sql)))

    def rows(self, sql, **more):
        answer = self.ask(sql, **more)
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json["rows"]

    def refused(self, sql, text="", status=400, code="bad_request", **more):
        answer = self.ask(sql, **more)
        self.assertRefused(answer, status, code)
        self.assertIn(text, answer.error["text"])
        return answer.error


class Answers(Sql):
    def test_rows_columns_and_types(self):
        answer = self.ask("SELECT 1 AS one, 2.5 AS two, 'x' AS text, x'00ff' AS blob, NULL AS none UNION ALL SELECT 2, 3, 'y', x'', NULL").json
        self.assertEqual(answer["rows"], [[1, 2.5, "x", "x'00ff'", None], [2, 3, "y", "x''", None]])
        self.assertEqual([(c["name"], c["type"]) for c in answer["columns"]],
                         [("one", "integer"), ("two", "real"), ("text", "text"), ("blob", "blob"), ("none", "null")])
        self.assertIsNone(answer["cut"])
        self.assertGreaterEqual(answer["elapsed_s"], 0)

    def test_the_public_views_are_those_of_the_run(self):
        [[n]] = self.rows("SELECT count(*) FROM imports")
        self.assertEqual(n, self.get_json(f"/api/v1/runs/{self.log}")["summary"]["modules"])
        self.assertEqual(self.rows("SELECT kind FROM run", run=self.dump), [["pstats"]])
        self.assertEqual(self.rows("SELECT kind FROM run", run="dump"), [["pstats"]])
        self.assertTrue(self.rows("SELECT * FROM callers JOIN functions ON id = callee_id", run=self.dump))
        self.assertTrue(self.rows("SELECT name FROM pragma_table_info('imports')"))

    def test_json_windows_and_regular_expressions(self):
        self.assertEqual(self.rows("SELECT value FROM json_each('[3,4]')"), [[3], [4]])
        self.assertEqual(self.rows("SELECT sum(v) OVER (ORDER BY v) FROM (SELECT 1 v UNION SELECT 2)"), [[1], [3]])
        self.assertTrue(self.rows("SELECT module FROM imports WHERE module REGEXP '^json'"))

    def test_what_is_too_much_for_a_page_is_cut_and_said(self):
        answer = self.ask(f"{ENDLESS} SELECT i FROM n").json
        self.assertEqual((len(answer["rows"]), answer["cut"]), (10000, "rows"))
        answer = self.ask(f"{ENDLESS} SELECT i FROM n LIMIT 20", limit=20).json
        self.assertEqual((len(answer["rows"]), answer["cut"]), (20, None))
        answer = self.ask(f"{ENDLESS} SELECT printf('%*s', 2000000, 'x') FROM n").json
        self.assertEqual((len(answer["rows"]), answer["cut"]), (16, "bytes"))

    def test_files_hold_all_rows_or_are_refused(self):
        answer = self.ask(f"{ENDLESS} SELECT i, 'a,\"b' AS t FROM n LIMIT 30000", format="csv")
        rows = list(csv.reader(io.StringIO(answer.body.decode())))
        self.assertEqual((rows[0], rows[1], rows[-1]), (["i", "t"], ["1", 'a,"b'], ["30000", 'a,"b']))
        self.assertIn("result.csv", answer.headers["Content-Disposition"])
        self.assertEqual(self.ask("SELECT 1 AS a", format="rows").json, [{"a": 1}])
        self.assertEqual(self.ask("SELECT 1 AS a WHERE 0", format="rows").json, [])
        self.refused(f"{ENDLESS} SELECT i FROM n LIMIT 101", "100 rows", 413, "too_large", format="csv", limit=100)
        self.refused(f"{ENDLESS} SELECT printf('%*s', 8000000, 'x') FROM n", "exceeds 128 MiB", 413, "too_large", format="csv")

    def test_errors_tell_the_place(self):
        self.assertEqual(self.refused("SELECT module FRM imports", "syntax error")["at"], 18)
        self.assertEqual(self.refused("SELECT modul FROM imports", "no such column")["at"], 7)
        self.refused("SELECT * FROM nowhere", "no such table")
        self.refused("", "no statement")
        self.refused("SELECT 1; SELECT 2", "more than one statement")
        self.refused("SELECT 1", status=404, code="not_found", run="ffffffffffffffff")

    def test_questions_that_are_none(self):
        for body in (b"", b"{", b"[]", b'{"sql":1}', b'{"sql":"SELECT 1"}', b'{"sql":"SELECT 1","run":1}'):
            self.assertRefused(self.request("POST", SQL, body), 400, "bad_request")
        for more in ({"limit": 0}, {"limit": 100001}, {"limit": "x"}, {"format": "xml"}, {"format": 1}):
            self.refused("SELECT 1", **more)
        self.assertRefused(self.request("POST", SQL, b"{}", Origin="http://elsewhere.example"), 403, "forbidden")


class Across(Sql):
    """Over several runs and the catalog."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.other = cls("setUp").add(import_log("import csv"), name="other", series="logs")["id"]

    def ask(self, sql, **more):
        if "run" not in more:
            more.setdefault("runs", [self.log, self.other])
        return self.request("POST", SQL, json.dumps(dict(more, sql=sql)))

    def test_a_time_limit_while_values_are_copied(self):
        """Allocations fail from then on. Of ten such statements one ended the server."""
        for _ in range(3 if SHORT else 12):
            self.refused("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n LEFT JOIN imports a ON a.module = 'x' || i"
                         " LEFT JOIN imports b ON b.module = 'y' || i", "too long", 503, "too_slow", seconds=1)

    def test_views_of_all_runs_are_one(self):
        counts = dict(self.rows("SELECT run, count(*) FROM imports GROUP BY run"))
        self.assertEqual(counts, {run: self.rows("SELECT count(*) FROM imports", run=run)[0][0] for run in (self.log, self.other)})
        mine = self.rows("SELECT * FROM imports WHERE id < 20 ORDER BY id", run=self.other)
        self.assertEqual(self.rows("SELECT * FROM imports WHERE run = ? AND id < 20 ORDER BY id".replace("?", f"'{self.other}'")),
                         [[self.other, *row] for row in mine])
        self.assertEqual(self.rows("SELECT count(*) FROM imports WHERE run = 'x'"), [[0]])

    def test_what_equals_a_value_is_asked_of_each_run(self):
        both = self.rows("SELECT run, module FROM imports WHERE module = 'csv'")
        self.assertEqual(both, [[self.other, "csv"]])
        [[joined, alone]] = self.rows("SELECT (SELECT count(*) FROM imports i JOIN imports p ON p.run = i.run AND p.id = i.parent_id),"
                                      " (SELECT count(*) FROM imports WHERE parent_id IS NOT NULL)")
        self.assertEqual(joined, alone)
        self.assertEqual(self.rows("SELECT count(*) FROM imports WHERE module = 'CSV' COLLATE NOCASE"), [[1]])

    def test_a_name_may_hold_a_comma(self):
        for name in ("one, two", "other"):
            self.assertEqual(self.request("PATCH", f"/api/v1/runs/{self.other}", json.dumps({"name": name})).status, 200)
            self.assertEqual(len(self.rows("SELECT run FROM run", runs=["log", name])), 2)

    def test_kinds_may_be_mixed_and_named(self):
        rows = self.rows("SELECT run, kind FROM run ORDER BY kind", runs=["log", "dump", "series:logs"])
        self.assertEqual(rows, [[self.log, "importtime"], [self.other, "importtime"], [self.dump, "pstats"]])
        self.assertEqual(self.rows("SELECT DISTINCT run FROM nodes ORDER BY 1", runs=[self.dump, self.log]), [[r] for r in sorted([self.dump, self.log])])
        self.assertEqual(self.rows("SELECT DISTINCT run FROM functions", runs=[self.dump, self.log]), [[self.dump]])
        self.refused("SELECT 1", status=404, code="not_found", runs=["nobody"])
        for runs in ("x", [1], {}, 1):
            self.refused("SELECT 1", runs=runs)

    def test_the_catalog_is_there_without_its_secrets(self):
        runs = {run["id"]: run for run in self.get_json("/api/v1/runs")["rows"]}
        columns = "run, kind, name, series, created_at, headline_value, bytes, rows"
        self.assertEqual({row[0]: row for row in self.rows(f"SELECT {columns} FROM runs", runs=[])},
                         {run: [run, r["kind"], r["name"], r["series"], r["created_at"], r["headline"]["value"], r["bytes"], r["rows"]]
                          for run, r in runs.items()})
        self.assertEqual(self.rows("SELECT * FROM tags", runs=[]), [[self.log, "branch", "main"]])
        self.assertEqual(self.rows("SELECT count(*) FROM import_log WHERE run IS NOT NULL", runs=[]), [[3]])
        self.assertEqual(self.rows("SELECT * FROM imports", runs=[]), [])
        for table in ("token", "session", "upload", "doomed", "source", "main.token", "tag", "meta", "import", "ps_slices", "ps_lent"):
            self.refused(f"SELECT count(*) FROM {table} t JOIN runs", runs=[self.log])
        self.refused("SELECT sha256 FROM runs", "no such column", runs=[])
        tables = {name for [name] in self.rows("SELECT name FROM sqlite_schema")}
        self.assertTrue({"runs", "tags", "import_log", "removal_log", "imports", "slices"} <= tables)
        self.assertFalse(tables & {"token", "session"})

    def test_guards_hold_here_too(self):
        for sql in ("ATTACH 'x' AS y", "CREATE TABLE t(a)", "DROP TABLE runs", "DELETE FROM runs", "INSERT INTO tags VALUES(1, 2, 3)",
                    "CREATE VIRTUAL TABLE t USING ps_across(catalog, 'hash')", "PRAGMA database_list", "SELECT load_extension('x')"):
            with self.subTest(sql):
                self.refused(sql)
        answer = self.ask("SELECT a.module FROM imports a, imports b, imports c, imports d").json
        self.assertEqual((len(answer["rows"]), answer["cut"]), (10000, "rows"))
        self.refused("SELECT count(*) FROM imports a, imports b, imports c, imports d WHERE a.id + b.id + c.id + d.id < 0",
                     "too long", 503, "too_slow", seconds=1)


class Examples(Sql):
    """The examples of the page run on real profiles, and lead back to them."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        shelf = cls("setUp")
        profiles = os.path.join(ROOT, "demo", "profiles")
        cls.runs = {}
        for name in sorted(os.listdir(profiles)):
            with open(os.path.join(profiles, name), "rb") as file:
                cls.runs[name] = shelf.add(file.read(), name=name)["id"]
        with open(os.path.join(ROOT, "web", "src", "features", "sql", "examples.ts"), encoding="utf-8") as file:
            source = file.read().split("export const SHELF_EXAMPLES")
        cls.examples, cls.of_shelf = (dict(re.findall(r"title: '([^']+)'.*?sql: `([^`]+)`", part, re.S)) for part in source)

    def test_each_runs_on_each_profile(self):
        self.assertGreater(len(self.examples), 15)
        answered = set()
        for title, sql in self.examples.items():
            for run in self.runs.values():
                answer = self.ask(sql, run=run)
                self.assertEqual(answer.status, 200, (title, answer.body))
                if answer.json["rows"]:
                    answered.add(title)
        without = {"Actions of the profiler", "Measurements", *self.OF_SERVING}  # the demo has no such profiles
        self.assertEqual(set(self.examples) - without - answered, set())
        for title, sql in self.of_shelf.items():
            body = json.dumps({"runs": list(self.runs.values()), "sql": sql})
            self.assertEqual(self.request("POST", SQL, body).status, 200, title)

    OF_SERVING = ("Requests that waited longest for a step", "Longest steps of an engine, with the largest prefill in each")

    def test_requests_steps_and_who_was_served(self):
        """The two requests of a small log: the second waits 10 ms for the step that prefills the first."""
        with open(os.path.join(ROOT, "tests", "golden", "engine_events", "ok_two_requests.jsonl"), "rb") as file:
            run = self.add(file.read(), name="engine.jsonl")["id"]
        waits, steps = (self.rows(self.examples[title], run=run) for title in self.OF_SERVING)
        self.assertEqual([row[:3] for row in waits], [[2, "cmpl-b-0", 9.870815], [1, "cmpl-a-0", 1.258484]])
        self.assertEqual([row[:7] for row in steps], [[1, 10.000001, 2, 0, 4, 2, 4], [0, 9.870794, 1, 1, 5, 1, 5]])
        self.assertEqual(self.rows("SELECT engine_step, request, tokens, computed, phase FROM served ORDER BY 1, 2", run=run),
                         [[1, 1, 5, 0, "prefill"], [2, 1, 1, None, "decode"], [2, 2, 4, 4, "prefill"]])
        self.assertEqual(self.rows("SELECT state, count(*), sum(cached_tokens) FROM requests GROUP BY state", run=run),
                         [["completed", 1, None], ["unfinished", 1, 4]])
        self.assertEqual(self.rows("SELECT role, clock, offset_ns FROM serving_files", run=run), [["engine", "same", 0]])

    def objects(self, title, profile):
        answer = self.ask(self.examples[title], run=self.runs[profile]).json
        return [dict(zip([column["name"] for column in answer["columns"]], row)) for row in answer["rows"]]

    def test_gaps_and_latencies_are_those_of_the_slices(self):
        run = self.runs["training-waits.pt.trace.json.gz"]
        times = self.rows("SELECT id, track, start_ns, duration_ns, launch_id FROM slices WHERE kind BETWEEN 6 AND 8 ORDER BY track, start_ns, id", run=run)
        gaps, end, before = [], 0, None
        for _, track, start, duration, _ in times:
            if track == before and start > end:
                gaps.append(start - end)
            end = max(end, start + duration) if track == before else start + duration
            before = track
        told = self.objects("Largest gaps between kernels of a stream", "training-waits.pt.trace.json.gz")
        self.assertEqual([row["duration_ns"] for row in told], sorted(gaps, reverse=True)[:1000])
        starts = dict(self.rows("SELECT id, start_ns FROM slices WHERE kind = 4 LIMIT 100000", run=run))
        latencies = [start - starts[launch] for _, _, start, _, launch in times if launch in starts]
        told = self.objects("Longest launch latencies", "training-waits.pt.trace.json.gz")
        self.assertEqual([row["latency_us"] for row in told][:10], [ns / 1000 for ns in sorted(latencies, reverse=True)[:10]])

    def test_columns_say_what_they_are_copied_from(self):
        run = self.runs["training.pt.trace.json.gz"]
        def origins(sql, **more):
            return [(column["table"], column["column"]) for column in self.ask(sql, **more).json["columns"]]
        self.assertEqual(origins("SELECT id AS x, name, 1 AS id FROM slices LIMIT 1", run=run), [("ps_slices", "id"), ("text", "text"), (None, None)])
        self.assertEqual(origins("SELECT id, name FROM functions LIMIT 1", run=self.runs["expressions.prof"]), [("function", "id"), ("function", "name")])
        self.assertEqual(origins("SELECT run AS r, module FROM imports LIMIT 1", runs=[self.runs["stdlib.log"]]), [("imports", "run"), ("imports", "module")])


class Saved(Sql):
    def saved(self, kind=""):
        return [(row["name"], row["sql"], row["kind"]) for row in self.get_json(f"/api/v1/queries?kind={kind}")["rows"]]

    def save(self, status=204, **body):
        answer = self.request("POST", "/api/v1/queries", json.dumps(body))
        self.assertEqual(answer.status, status, answer.body)

    def test_they_are_kept_by_kind_and_name(self):
        self.save(name="all", sql="SELECT 1")
        self.save(name="b", sql="SELECT 2", kind="pstats")
        self.save(name="a", sql="SELECT 3", kind="pstats")
        self.save(name="b", sql="SELECT 4", kind="pstats")
        self.assertEqual(self.saved(), [("all", "SELECT 1", "")])
        self.assertEqual(self.saved("pstats"), [("a", "SELECT 3", "pstats"), ("b", "SELECT 4", "pstats")])
        row = self.get_json("/api/v1/queries?kind=pstats")["rows"][0]
        self.assertEqual(list(row), ["id", "kind", "name", "sql", "who", "at"])
        self.assertEqual(self.request("DELETE", f"/api/v1/queries/{row['id']}").status, 204)
        self.assertEqual(self.request("DELETE", f"/api/v1/queries/{row['id']}").status, 404)
        self.assertEqual(len(self.saved("pstats")), 1)
        self.refused("SELECT * FROM saved_query", "no such table", runs=[], run=None)

    def test_what_is_none_is_refused(self):
        for body in ({}, {"name": "x"}, {"sql": "x"}, {"name": "", "sql": "x"}, {"name": 1, "sql": "x"}, {"name": "a\nb", "sql": "x"},
                     {"name": "x" * 500, "sql": "x"}, {"name": "x", "sql": "x", "kind": "a\nb"}):
            self.save(400, **body)
        self.assertEqual(self.request("DELETE", "/api/v1/queries/x").status, 404)


class Refusals(Sql):
    def test_a_statement_with_a_nul(self):
        """cJSON would end it there."""
        for path in ("/api/v1/sql", "/api/v1/queries", "/api/v1/resolve"):
            self.assertRefused(self.request("POST", path, '{"sql":"SELECT 1\\u0000, 2","runs":[],"name":"a","kind":""}'), 400, "bad_request")

    def test_nothing_is_written_or_opened(self):
        for sql in ("DELETE FROM note", "UPDATE meta SET v = 1", "INSERT INTO note VALUES(1)", "DROP TABLE meta", "DROP VIEW imports",
                    "CREATE TABLE t(a)", "CREATE TEMP TABLE t(a)", "CREATE TEMP VIEW v AS SELECT 1", "ALTER TABLE meta RENAME TO m",
                    "CREATE VIRTUAL TABLE t USING fts5(a)", "ATTACH '/etc/passwd' AS p", "ATTACH 'file:../catalog.db?mode=ro' AS c",
                    "DETACH main", "VACUUM INTO '/dev/shm/x'", "REINDEX", "ANALYZE", "BEGIN", "SAVEPOINT s", "COMMIT",
                    "WITH x AS (SELECT 1) DELETE FROM note", "WITH x AS (SELECT 1) INSERT INTO note SELECT * FROM x",
                    "REPLACE INTO meta VALUES('a', 'b')"):
            with self.subTest(sql):
                self.refused(sql)
        self.assertTrue(self.rows("SELECT count(*) FROM meta")[0][0] > 0)

    def test_no_pragma_but_those_that_describe(self):
        for sql in ("PRAGMA database_list", "PRAGMA journal_mode=WAL", "PRAGMA writable_schema=1", "PRAGMA hard_heap_limit=1",
                    "PRAGMA temp_store_directory='/'", "SELECT * FROM pragma_database_list", "SELECT * FROM pragma_function_list",
                    "SELECT * FROM pragma_compile_options"):
            with self.subTest(sql):
                self.refused(sql)
        self.assertTrue(self.rows("PRAGMA table_info(imports)"))

    def test_no_function_that_does_more_than_compute(self):
        for sql in ("SELECT load_extension('/lib/x.so')", "SELECT readfile('/etc/passwd')", "SELECT writefile('/dev/shm/x', 'x')",
                    "SELECT fts3_tokenizer('simple')", "SELECT randomblob(1000000000)", "SELECT sqlite_log(1, 'x')",
                    "SELECT edit('x')", "SELECT sqlite_compileoption_get(1)"):
            with self.subTest(sql):
                self.refused(sql)

    def test_the_catalog_is_out_of_reach(self):
        for table in ("token", "session", "upload", "main.token", "doomed", "dbstat", "sqlite_dbpage", "sqlite_stmt", "ps_lent"):
            with self.subTest(table):
                self.refused(f"SELECT * FROM {table}")

    def test_statements_and_values_without_measure(self):
        self.refused("SELECT " + "(" * 1000 + "1" + ")" * 1000)
        self.refused(" UNION ALL ".join(["SELECT 1"] * 60), "compound SELECT")
        self.refused("SELECT " + ",".join(["1"] * 300), "too many columns")
        self.refused("SELECT length(replace(printf('%*s', 3000, ''), ' ', printf('%*s', 3000, '')))", "too big", 413, "too_large")
        self.refused("SELECT 'a' LIKE '" + "%" * 2000 + "'", "LIKE")
        self.refused("SELECT 1 " + " " * 70000, status=413, code="too_large")


class Ends(Sql):
    def test_an_endless_statement_is_stopped(self):
        self.refused(f"{ENDLESS} SELECT count(*) FROM n", "too long", 503, "too_slow", seconds=1)

    @long_test
    def test_an_endless_statement_is_stopped_without_a_wish(self):
        self.refused(f"{ENDLESS} SELECT count(*) FROM n", "too long", 503, "too_slow")

    def test_memory_is_bounded(self):
        wide = ", ".join(f"c || {i}" for i in range(180))
        self.refused(f"WITH x AS MATERIALIZED (SELECT printf('%*s', 4000000, '') AS c) SELECT {wide} FROM x", "too much memory", 413, "too_large")

    def test_preparing_it_is_bounded_too(self):
        nested = ", ".join(f"c{i} AS (SELECT 1 AS x FROM c{i - 1} a, c{i - 1} b)" for i in range(1, 40))
        answer = self.ask(f"WITH c0 AS (SELECT 1 AS x), {nested} SELECT count(*) FROM c39")
        self.assertIn((answer.status, answer.error["code"]), [(413, "too_large"), (503, "too_slow")])
        if not sanitized():
            # What a statement may hold, and the server; then the memory goes back to the system.
            self.assertLess(self.memory("VmHWM"), 256 + 64)
            self.assertLess(self.memory("VmRSS"), 64)

    def memory(self, what):
        """In MiB."""
        with open(f"/proc/{self.server.process.pid}/status", encoding="ascii") as status:
            return int(re.search(what + r":\s+(\d+) kB", status.read())[1]) // 1024

    def test_paths_of_calls_are_bounded(self):
        """Each function calls all that follow it, so there are 2^98 paths."""
        functions = [("dense.py", i + 1, f"f{i}") for i in range(100)]
        stats = {f: (max(i, 1), max(i, 1), 1.0, 1.0 * (100 - i), {g: (1, 1, 1.0, 1.0 * (100 - i)) for g in functions[:i]})
                 for i, f in enumerate(functions)}
        run = self.add(marshal.dumps(stats), name="dense")["id"]
        self.assertEqual(self.rows("SELECT count(*), max(cut) > 1000000 FROM ps_paths(0, 0, 1000, 4000000000)", run=run), [[1 << 18, 1]])

    def test_functions_of_long_texts_are_stopped(self):
        long = "(SELECT printf('%04000000d', 0) AS a)"
        for call in ("a LIKE '%' || substr(a, 1, 900) || 'b'", "a GLOB '*' || substr(a, 1, 900) || 'b'",
                     "ps_words(substr(a, 1, 2000000) || 'b', a)"):
            with self.subTest(call):
                self.refused(f"SELECT {call} FROM {long}", "too long", 503, "too_slow", seconds=1)
        for call in ("trim(a, a)", "ltrim(a, a)", "rtrim(a, a)"):
            self.assertEqual(self.rows(f"SELECT {call} FROM {long}"), [[""]])
        self.assertEqual(self.rows(f"SELECT instr(a, substr(a, 1, 2000000) || 'b') FROM {long}"), [[0]])
        self.assertEqual(self.rows(f"SELECT length(replace(a, substr(a, 1, 2000000) || 'b', '')) FROM {long}"), [[4000000]])

    def until_it_works(self):
        """For a fifth of a second of a processor."""
        before = cpu_ticks(self.server.process.pid)
        wait_until(lambda: cpu_ticks(self.server.process.pid) - before >= 20, 60, "the server computes")

    def test_it_ends_with_its_client(self):
        body = json.dumps({"run": self.log, "sql": f"{ENDLESS} SELECT count(*) FROM n"}).encode()
        head = f"POST {SQL} HTTP/1.1\r\nHost: {self.server.host}:{self.server.port}\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        links = []
        for _ in range(30):  # on two threads they would take longer than a client waits
            link = socket.create_connection((self.server.host, self.server.port))
            link.sendall(head + body)
            links.append(link)
        self.until_it_works()
        for link in links:
            link.close()
        self.assertEqual(self.rows("SELECT 1"), [[1]])

    def test_views_are_answered_meanwhile(self):
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            slow = [pool.submit(self.ask, f"{ENDLESS} SELECT count(*) FROM n WHERE i % 1000 = 0 AND i > 300000000", seconds=3) for _ in range(2)]
            self.until_it_works()
            self.assertEqual(self.get(f"/api/v1/runs/{self.log}/imports").status, 200)
            self.assertFalse(any(one.done() for one in slow))
            self.assertEqual({one.result().status for one in slow}, {503})

    def test_more_than_may_wait_are_sent_away(self):
        body = json.dumps({"sql": f"{ENDLESS} SELECT count(*) FROM n", "run": self.log}).encode()
        head = b"POST /api/v1/sql HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body)
        links = []
        for _ in range(35):
            link = self.server.socket()
            self.addCleanup(link.close)
            link.sendall(head + body)
            links.append(link)
        [first, *_], _, _ = select.select(links, [], [], 30)  # the others wait for their turn
        answer = first.recv(4096)
        self.assertTrue(answer.startswith(b"HTTP/1.1 503 "), answer)
        self.assertIn(b"\r\nRetry-After: 1\r\n", answer)
        self.assertIn(b'"code":"unavailable","text":"too many SQL statements are waiting"', answer)
        for link in links:
            link.close()
        answer = wait_until(lambda: (got := self.ask("SELECT 1")).status != 503 and got, 30, "an answer")
        self.assertEqual(answer.json["rows"], [[1]])

    def test_many_at_once_have_their_own_answers(self):
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            answers = list(pool.map(lambda i: self.rows(f"SELECT {i}, count(*) FROM imports"), range(16)))
        self.assertEqual([rows[0][0] for rows in answers], list(range(16)))
        self.assertEqual(len({rows[0][1] for rows in answers}), 1)


if __name__ == "__main__":
    unittest.main()
