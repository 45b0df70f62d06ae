# SPDX-License-Identifier: MIT
"""Run files of older layouts are read as if they had the tables and columns of schema/run.sql.

tests/layouts/runs/N.tar.xz is a shelf with a run of each kind that the version with layout N read, without the originals: the largest
sample below 40 kB of that version's demo/profiles and tests/golden, added by that version (layout 4: 2026-11-23, the first that called
itself 0.2.0; 5: the parent of "importers: read memory snapshots of PyTorch"; 6: 2026-11-28; 7: 2026-11-30; 8: 2026-12-01). tests/layouts/make_shelf.py writes such
shelves."""
import glob
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import unittest

from answers_http import descriptions, views_of_runs
from server import PROGRAM, ROOT, Server
from wait import wait_until

sys.path.insert(0, os.path.join(ROOT, "schema"))
import row_types  # noqa: E402
import run_tables  # noqa: E402

SHELVES = sorted(glob.glob(os.path.join(ROOT, "tests", "layouts", "runs", "*.tar.xz")))
RUN_SQL = os.path.join(ROOT, "schema", "run.sql")
LACKS = {"torch-trace": [(5, "collectives"), (5, "steps of ranks")], **dict.fromkeys(("hyperfine", "pytest-benchmark", "timeit"), [(8, "parameters and metrics of benchmarks")])}  # by kind: since which layout runs have the part, in the order of run.sql
LACKS_RANKS = "written by a perfshelf that did not compare ranks"


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class OlderRuns(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="perfshelf-layouts-")
        self.addCleanup(shutil.rmtree, self.folder)

    def call(self, *words, status=0):
        done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, status, (words, done.stderr))
        return done.stdout

    def shelves(self):
        """(layout, folder, runs) of each."""
        current = int(re.search(r"user_version = (\d+);", read(RUN_SQL))[1])
        self.assertEqual([os.path.basename(path) for path in SHELVES], [f"{layout}.tar.xz" for layout in range(4, current)],
                         "tests/layouts/make_shelf.py writes a shelf of the layout before")
        for path in SHELVES:
            layout = int(os.path.basename(path)[0])
            data = os.path.join(self.folder, str(layout))
            with tarfile.open(path) as tar:
                tar.extractall(data)
            runs = json.loads(self.call("list", "--data", data, "--json"))
            self.assertGreater(len(runs), 20)
            for run in runs:
                with open(os.path.join(data, "runs", run["id"] + ".db"), "rb") as file:
                    self.assertEqual(file.read(64)[63], layout)
            yield layout, data, runs

    def test_all_views_answer(self):
        views = [name for name in views_of_runs(descriptions.Answers()) if "{" not in name]
        self.assertGreater(len(views), 50)
        for layout, data, runs in self.shelves():
            server = Server(data)
            self.addCleanup(server.end)
            for run in runs:
                answers = {}
                for name in views:
                    answers[name] = server.request("GET", f"/api/v1/runs/{run['id']}/{name}")
                with self.subTest(layout=layout, kind=run["kind"]):
                    for name, answer in answers.items():
                        self.assertIn(answer.status, (200, 400, 404, 409), (name, answer.body))
                        if answer.status == 409:
                            self.assertIn(LACKS_RANKS, answer.body.decode(), name)
                            self.assertLess(layout, 5, name)
                    self.assertEqual(answers["conclusion"].status, 200)

    def lacking(self, layout, kind):
        return [part for since, part in LACKS.get(kind, []) if layout < since]

    def test_says_what_it_lacks(self):
        for layout, data, runs in self.shelves():
            server = Server(data)
            for run in runs:
                found = json.loads(server.request("GET", f"/api/v1/runs/{run['id']}").body)
                self.assertEqual(found["lacks"], self.lacking(layout, run["kind"]), (layout, run["kind"]))
                self.assertNotIn("lacks", run)
            server.end()
            trace = next(run["id"] for run in runs if run["kind"] == "torch-trace")
            shown = self.call("show", trace, "--data", data)
            lacking = self.lacking(layout, "torch-trace")
            says = f"{', '.join(lacking)}: an older perfshelf imported it; `perfshelf renew {trace}` reads its original again"
            self.assertEqual(re.findall(r"^not in this run +(.*)", shown, re.M), [says] if lacking else [])
            os.remove(os.path.join(data, "runs", trace + ".db"))
            server = Server(data)
            known = None if layout < 7 else lacking  # catalogs of older versions do not have the layout of runs
            self.assertEqual(json.loads(server.request("GET", f"/api/v1/runs/{trace}").body)["lacks"], known)
            server.end()

    def test_the_catalog_knows_what_they_lack(self):
        """Without their files: a rebuild reads the layout of each, and so does each import."""
        for layout, data, runs in self.shelves():
            trace = next(run["id"] for run in runs if run["kind"] == "torch-trace")
            self.call("rebuild", "--data", data)
            self.assertNotIn("layout", self.call("verify", "--data", data, status=1))  # the originals are left out
            added = json.loads(self.call("add", os.path.join(ROOT, "tests", "recorded", "torch-cuda", "cuda_graph.trace.json.gz"), "--data", data, "--json"))["id"]
            for run in (trace, added):
                os.remove(os.path.join(data, "runs", run + ".db"))
            server = Server(data)
            self.assertEqual(json.loads(server.request("GET", f"/api/v1/runs/{trace}").body)["lacks"], self.lacking(layout, "torch-trace"))
            self.assertEqual(json.loads(server.request("GET", f"/api/v1/runs/{added}").body)["lacks"], [])
            server.end()

    def test_sql_of_all_public_views(self):
        with sqlite3.connect(":memory:") as db:
            for name, columns in row_types.virtual_tables():
                db.execute(f"CREATE TABLE {name}({', '.join(columns)})")
            views = {match[1]: match[0] for match in run_tables.VIEW.finditer(read(RUN_SQL))}
        db.close()
        self.assertGreater(len(views), 25)
        for layout, data, runs in self.shelves():
            server = Server(data)
            self.addCleanup(server.end)

            def ask(statement, **of):
                answer = server.request("POST", "/api/v1/sql", json.dumps({"sql": statement, **of}))
                self.assertEqual(answer.status, 200, (layout, of, answer.body))
                return json.loads(answer.body)["rows"]
            for run in runs:
                tables = ", ".join(f"(SELECT count(*) FROM (SELECT * FROM {name}))" for name in views)
                [counts] = ask(f"SELECT {tables}", run=run["id"])
                self.assertEqual(len(counts), len(views))
            everyone = [run["id"] for run in runs]
            self.assertEqual(bool(ask("SELECT run, device, events FROM memory_devices", runs=everyone)), layout >= 6)
            ask("SELECT name, dtype FROM collectives", runs=everyone)

    def test_search_reads_all_runs(self):
        for layout, data, runs in self.shelves():
            server = Server(data)
            self.addCleanup(server.end)

            def search():
                answer = server.request("GET", "/api/v1/search?q=e")
                self.assertEqual(answer.status, 200, (layout, answer.body))
                found = json.loads(answer.body)
                return found["scanned"] == found["runs"] and found
            found = wait_until(search, 60, lambda: "all runs in the index")
            self.assertEqual(found["runs"], len(runs))
            self.assertEqual(len(found["rows"]), 20)  # a full page of names

    def test_differences_and_redacted_copies(self):
        for layout, data, runs in self.shelves():
            server = Server(data)
            for run in runs:
                answer = server.request("GET", f"/api/v1/compare?base={run['id']}&new={run['id']}")
                self.assertEqual(answer.status, 200, (layout, run["kind"], answer.body))
            server.end()
            bundle, other = os.path.join(self.folder, f"{layout}.perfshelf"), os.path.join(self.folder, f"other-{layout}")
            redacted = "paths,hosts,people,arguments,source,labels"
            self.call("export", *(run["id"] for run in runs), "--redact", redacted, "-o", bundle, "--data", data)
            self.call("add", bundle, "--data", other)
            copies = json.loads(self.call("list", "--data", other, "--json"))
            self.assertEqual(sorted(run["kind"] for run in copies), sorted(run["kind"] for run in runs))
            trace = next(run["id"] for run in copies if run["kind"] == "torch-trace")
            server = Server(other)
            ranks = server.request("GET", f"/api/v1/runs/{trace}/ranks")
            self.assertEqual(json.loads(server.request("GET", f"/api/v1/runs/{trace}").body)["lacks"], self.lacking(layout, "torch-trace"))
            if self.lacking(layout, "torch-trace"):
                self.assertIn("this copy came without its original", self.call("show", trace, "--data", other))
            server.end()
            self.assertEqual(ranks.status == 409, layout < 5, ranks.body)  # a copy lacks what its run lacks


class Generated(unittest.TestCase):
    """A table and columns that were added to run.sql are found in older files, by the temporary views that run_tables.py writes."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="perfshelf-layouts-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.text = read(RUN_SQL)
        self.layout = int(re.search(r"user_version = (\d+);", self.text)[1])

    def with_changes(self, *changes, raise_layout=True):
        text = self.text
        if raise_layout:
            text = text.replace(f"user_version = {self.layout};", f"user_version = {self.layout + 1};")
        for old, new in changes:
            self.assertEqual(text.count(old), 1, old)
            text = text.replace(old, new)
        path = os.path.join(self.folder, "run.sql")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def refused(self, said, *changes, **how):
        done = subprocess.run([sys.executable, run_tables.__file__, "layouts", self.with_changes(*changes, **how), self.folder],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn(said, done.stderr)

    def columns(self, tag, kind="INTEGER"):
        return ("counted INTEGER NOT NULL", f"scratch {kind}, -- {tag}\n    counted INTEGER NOT NULL")

    def test_tags_that_are_refused(self):
        newer = self.layout + 1
        self.refused(f"step.scratch is of layout {newer + 1}, but the layouts that are read are 3 to {newer}", self.columns(f"[since {newer + 1}, lacks scratch of torch]"))
        self.refused(f"needs a value for older files, because it is NOT NULL: [since {newer} as VALUE]", self.columns(f"[since {newer}, lacks scratch of torch]", "INTEGER NOT NULL"))
        self.refused("cannot have the value 5, which is out of its range", self.columns(f"[0..4, since {newer} as 5, lacks scratch of torch]", "INTEGER NOT NULL"))
        self.refused("may be NULL, so it is NULL in older files", self.columns(f"[since {newer} as 1, lacks scratch of torch]"))
        self.refused("has an unknown tag: [since seven]", self.columns("[since seven, lacks scratch of torch]"))
        self.refused("step.scratch needs [lacks WORDS of DATA]", self.columns(f"[since {newer}]"))
        self.refused("step.scratch needs a tag [since N]", self.columns("[lacks scratch of torch]"))
        self.refused("step.scratch lacks scratch of steps, which importers/kinds.c does not have", self.columns(f"[since {newer}] [lacks scratch of steps]"))
        self.refused("collective needs [lacks WORDS of DATA]", ("collective( -- [since 5, lacks collectives of torch]", "collective( -- [since 5]"))
        self.refused("and its table of layout 5", ("dtype TEXT NOT NULL        -- [redact as code]", "dtype TEXT NOT NULL -- [redact as code, since 5 as '', lacks scratch of torch]"))
        self.refused("cannot be newer than its table, because it is the key",
                     ("CREATE TABLE step(\n    id INTEGER PRIMARY KEY,", f"CREATE TABLE step(\n    id INTEGER PRIMARY KEY, -- [since {newer}, lacks scratch of torch]"))
        self.refused("is 0 in older files, like each column of slices", ("--   op [-> slice or 0 of OP", f"--   more [since {newer} as 1, lacks scratch of torch]\n--   op [-> slice or 0 of OP"))
        self.refused("table_that is of layout 99", ("CREATE TABLE step(", "CREATE TABLE table_that( -- [since 99, lacks scratch of torch]\n    n INTEGER NOT NULL\n);\nCREATE TABLE step("))

    def test_statements_find_what_is_new(self):
        newer = self.layout + 1
        path = self.with_changes(self.columns(f"[since {newer} as 7, lacks scratch of torch]", "INTEGER NOT NULL"),
                                 ("line INTEGER NOT NULL      -- [0..]\n", f"guess REAL, -- [since {newer}, lacks scratch of torch]\n    line INTEGER NOT NULL      -- [0..]\n"),
                                 ("end_s REAL NOT NULL, start_mib", f"\n    word TEXT NOT NULL, -- [redact as code, since {newer} as '', lacks scratch of torch]\n    end_s REAL NOT NULL, start_mib"),
                                 ("CREATE TABLE step_part(", f"CREATE TABLE scratch( -- [since {newer}, lacks scratch of torch] of this test\n    id INTEGER PRIMARY KEY,\n    n INTEGER NOT NULL\n);\nCREATE TABLE step_part("))
        new = read(path)
        tables = [run_tables.Table(*match) for match in run_tables.TABLE.findall(new)]
        for older in range(3, newer):
            db = sqlite3.connect(":memory:")
            for name, n in (("ps_words", -1), ("regexp", 2), ("ps_frame_function", 1), ("ps_frame_group", 2), ("ps_case_numbers", 1), ("ps_command_failed", 3)):
                db.create_function(name, n, lambda *_: None)
            for name, columns in row_types.virtual_tables():
                db.execute(f"CREATE TABLE {name}({', '.join(columns)})")
            for table in tables:  # as the older version wrote them
                columns = [column.name + " INTEGER PRIMARY KEY" * column.is_id for column in table.columns if column.since <= older]
                if table.since <= older:
                    db.execute(f"CREATE TABLE {table.name}({', '.join(columns)})")
            db.execute("INSERT INTO step(id, worker, name, start_ns, end_ns, host_start_ns, host_end_ns, counted) VALUES (3, 0, 'a', 1, 2, 1, 2, 1)")
            db.executemany("INSERT INTO span(id, name, start_s, end_s) VALUES (?, 'f', 0, 1)", [(1,), (5,)])
            db.executescript(run_tables.older_layout_sql([table for table in tables if not table.is_constant], older))
            self.assertEqual(db.execute("SELECT scratch, id FROM step").fetchall(), [(7, 3)])
            self.assertEqual(db.execute("SELECT word, level FROM span WHERE id = 5").fetchall(), [("", None)])
            self.assertEqual(db.execute("SELECT count(*), max(n) FROM scratch").fetchall(), [(0, None)])
            for view in run_tables.VIEW.finditer(new):
                db.execute(row_types.plain(re.sub("^CREATE VIEW", "CREATE TEMP VIEW", view[0])))
                db.execute(f"SELECT * FROM {view[1]} LIMIT 1").fetchall()
            db.close()

    def test_rowid_of_tables_without_a_key(self):
        newer = self.layout + 1
        path = self.with_changes(("CREATE TABLE step_part(\n", f"CREATE TABLE step_part(\n    extra INTEGER, -- [since {newer}, lacks scratch of torch]\n"))
        tables = [run_tables.Table(*match) for match in run_tables.TABLE.findall(read(path))]
        part = next(table for table in tables if table.name == "step_part")
        db = sqlite3.connect(":memory:")
        db.execute(f"CREATE TABLE step_part({', '.join(column.name for column in part.columns if not column.since)})")
        db.executemany("INSERT INTO step_part(step) VALUES (?)", [(4,), (9,)])
        db.executescript(run_tables.older_layout_sql([part], self.layout))
        self.assertEqual(db.execute("SELECT rowid, step, extra FROM step_part WHERE rowid BETWEEN 2 AND 2").fetchall(), [(2, 9, None)])
        plan = db.execute("EXPLAIN QUERY PLAN SELECT step FROM step_part WHERE rowid BETWEEN 2 AND 2").fetchall()
        self.assertIn("SEARCH", plan[0][3])
        db.close()


if __name__ == "__main__":
    unittest.main()
