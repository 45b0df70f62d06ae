# SPDX-License-Identifier: MIT
"""The care of a shelf: verify, rebuild, backup."""
import contextlib
import glob
import gzip
import http.client
import json
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import unittest

from program import DEMO, PROGRAM, ROOT, ShelfTest, call_as_nobody
from long import SHORT  # where program.py looks


class VaultTest(ShelfTest):
    """Each test has a copy of the shelf that the first of its class has filled."""
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.kept = tempfile.mkdtemp(prefix="perfshelf-cli-")
        cls.addClassCleanup(shutil.rmtree, cls.kept)
        cls.given = None

    def setUp(self):
        super().setUp()
        kept, cls = self.kept, type(self)
        if cls.given is None:
            cls.given = self.fill()
            shutil.copytree(self.data, os.path.join(kept, "shelf"))
            shutil.copy(self.dump, kept)
        else:
            shutil.copytree(os.path.join(kept, "shelf"), self.data)
            shutil.copy(os.path.join(kept, os.path.basename(self.dump)), self.dump)
        vars(self).update(cls.given)

    def fill(self):
        """What the tests are to know of the shelf, by name."""
        return {"first": self.json("add", self.log, "--name", "start", "--series", "s", "--tag", "k=v")["id"],
                "second": self.json("add", self.dump)["id"]}

    def path(self, *parts):
        found = glob.glob(os.path.join(self.data, *parts))
        self.assertEqual(len(found), 1, found)
        return found[0]

    def damage(self, path, at, content=b"\xff" * 64):
        with open(path, "r+b") as file:
            file.seek(at)
            file.write(content)

    def findings(self, *args):
        """What verify says, and its exit status is that of its findings."""
        done = self.run_verb("verify", "--json", *args)
        *findings, total = map(json.loads, done.stdout.decode().splitlines())
        self.assertEqual((done.returncode, done.stderr, total["findings"]), (1 if findings else 0, b"", len(findings)), done.stdout)
        for finding in findings:
            self.assertEqual(list(finding), ["what", "file", "text", "hint"])
            self.assertTrue(all(finding.values()), finding)
        return [(finding["what"], finding["file"]) for finding in findings]

    def names(self, run):
        """The files of a run, below the shelf."""
        return [os.path.relpath(self.path(*pattern), self.data) for pattern in (("runs", run + "*"), ("originals", run + "*"))]


class Verify(VaultTest):
    def test_a_whole_shelf(self):
        self.assertEqual((self.findings(), self.findings("--quick")), ([], []))
        self.assertRegex(self.ok("verify"), r"^2 runs, 5 files, .*: no problem found\n$")
        self.ok("rm", "start")
        self.assertEqual(self.findings(), [])
        self.ok("rm", self.second)
        self.assertEqual(self.findings(), [])

    def test_no_shelf_is_no_finding(self):
        self.data = os.path.join(self.folder, "nowhere")
        self.assertIn("there is no shelf", self.fails("verify", status=2))
        self.assertFalse(os.path.exists(self.data))

    def test_missing_files(self):
        run, original = self.names(self.first)
        os.unlink(os.path.join(self.data, run))
        os.unlink(os.path.join(self.data, original))
        for args in ((), ("--quick",)):
            self.assertEqual(self.findings(*args), [("run", run), ("original", original)])

    def test_damaged_run_file(self):
        run, _ = self.names(self.first)
        path = os.path.join(self.data, run)
        size = os.path.getsize(path)
        for at, length in ((0, 16), (8192, 32), (size - 8192 * 3, 8192)):
            with open(path, "rb") as file:
                whole = file.read()
            self.damage(path, at, b"\xa5" * length)
            self.assertEqual(self.findings(), [("run", run)], at)
            with open(path, "wb") as file:
                file.write(whole)
        os.truncate(path, size // 2)
        self.assertEqual(self.findings(), [("run", run)])
        os.truncate(path, 0)
        self.assertEqual(self.findings("--quick"), [("run", run)])

    def test_a_run_file_in_place_of_another(self):
        run, _ = self.names(self.first)
        other, _ = self.names(self.second)
        with open(os.path.join(self.data, other), "rb") as source, open(os.path.join(self.data, run), "wb") as target:
            target.write(source.read())
        self.assertEqual(self.findings("--quick"), [("run", run)])

    def test_damaged_original(self):
        _, original = self.names(self.second)
        path = os.path.join(self.data, original)
        with open(path, "rb") as file:
            whole = file.read()
        for bad in (whole[:-10], whole[:100] + b"\xff\xff" + whole[102:], gzip.compress(b"other bytes"), b"plain"):
            with open(path, "wb") as file:
                file.write(bad)
            self.assertEqual(self.findings(), [("original", original)])
        self.assertEqual(self.findings("--quick"), [])

    def test_strays(self):
        for folder, name in (("runs", "0123456789abcdef.db"), ("originals", "0" * 64 + ".gz"), ("sources", "1" * 64 + ".gz"),
                             ("labels", "0123456789abcdef.json"), ("runs", "notes.txt")):
            self.file(os.path.join("shelf", folder, name), b"?")
        self.assertEqual(sorted(file for what, file in self.findings() if what == "stray"),
                         sorted(["runs/0123456789abcdef.db", "runs/notes.txt", "labels/0123456789abcdef.json",
                                 f"originals/{'0' * 64}.gz", f"sources/{'1' * 64}.gz"]))

    def test_labels_and_the_catalog(self):
        self.file(f"shelf/labels/{self.first}.json", b'{"name":')
        self.assertEqual(self.findings(), [("label", f"labels/{self.first}.json")])
        os.unlink(self.path("labels", "*"))
        with sqlite3.connect(os.path.join(self.data, "catalog.db")) as db:
            db.execute("INSERT INTO tag VALUES ('0123456789abcdef', 'a', 'b')")
        db.close()
        self.assertEqual(self.findings(), [("catalog", "catalog.db")] * 2)

    def test_counts_words_and_lists(self):
        """What the catalog keeps beside its rows: wrong, it is told; missing, as in an older shelf, it is made."""
        with sqlite3.connect(os.path.join(self.data, "catalog.db")) as db:
            db.execute("UPDATE tally SET runs = 2 WHERE what = 'tag'")
            db.execute("UPDATE run_text SET text = 'else' WHERE seq = 1")
            db.execute("UPDATE tagged SET created_at = 0")
        self.assertEqual(self.findings(), [("catalog", "catalog.db")] * 4)
        kept = "SELECT type, name FROM sqlite_master WHERE tbl_name IN ('tally', 'run_text', 'tagged') AND name NOT LIKE 'sqlite%' OR type IN ('trigger', 'view')"
        for kind, name in db.execute(kept).fetchall():
            db.execute(f"DROP {kind} IF EXISTS {name}")
        db.execute("PRAGMA user_version = 0")
        db.commit()
        self.assertEqual(self.findings(), [])
        for change in ("UPDATE tag SET v = 'w'", "UPDATE run SET name = 'other', series = '', who = 'mei'", "INSERT INTO tag SELECT id, 'a', 'b' FROM run",
                       "UPDATE run SET created_at = created_at + 1",
                       "DELETE FROM tag WHERE k = 'k'", "DELETE FROM tag"):
            with db:
                self.assertGreater(db.execute(change).rowcount, 0)
                db.execute("PRAGMA user_version = 7")  # a layout without digests: its rows are accepted
            self.assertEqual([finding for finding in self.findings("--quick") if finding[0] == "catalog"], [], change)
        self.assertEqual(db.execute("SELECT what, key, runs FROM tally WHERE what <> 'kind'").fetchall(), [("all", "", 2), ("kept", "originals", 2), ("who", "mei", 2)])
        db.close()

    def test_a_catalog_that_is_damaged_or_gone(self):
        catalog = os.path.join(self.data, "catalog.db")
        self.damage(catalog, 0)
        self.assertEqual(self.findings(), [("catalog", "catalog.db")])
        os.unlink(catalog)
        self.assertEqual(self.findings(), [("catalog", "catalog.db")])
        self.assertIn("perfshelf rebuild", self.fails("list"))
        self.assertFalse(os.path.exists(catalog))


    def test_flipped_bytes_of_a_run_file(self):
        """Wherever a bit changes, also where SQLite's check sees no damage."""
        path = os.path.join(self.data, self.names(self.first)[0])
        with open(path, "rb") as file:
            whole = file.read()
        for place in range(0, len(whole), len(whole) // 12):
            self.damage(path, place, bytes([whole[place] ^ 16]))
            self.assertEqual(self.findings(), [("run", os.path.relpath(path, self.data))], place)
            self.damage(path, place, whole[place:place + 1])
        self.assertEqual(self.findings(), [])

    def test_a_shelf_without_hashes(self):
        """One of an older perfshelf: the first verify records them."""
        self.change_catalog("DELETE FROM kept", "PRAGMA user_version = 7")
        for hashed in (2, 0):
            self.assertEqual(json.loads(self.ok("verify", "--json"))["hashed"], hashed)
        path = os.path.join(self.data, self.names(self.first)[0])
        self.damage(path, os.path.getsize(path) - 1, b"\x7f")
        self.assertEqual([what for what, _ in self.findings()], ["run"])

    def change_catalog(self, *statements):
        with sqlite3.connect(os.path.join(self.data, "catalog.db")) as db:
            for statement in statements:
                db.execute(statement)
        db.close()

    def test_flipped_bits_of_the_catalog(self):
        """Whatever the value means: logs, names of tokens, sizes and definitions have no second copy to be compared with."""
        self.file("bad.txt", b"neither a profile nor a table")
        self.fails("add", os.path.join(self.folder, "bad.txt"))
        self.ok("token", "add", "mei", "--role", "viewer")
        self.ok("edit", self.second, "--name", "another", "--note", "seen")
        self.ok("rm", self.first)
        self.assertEqual(self.findings(), [])
        catalog = os.path.join(self.data, "catalog.db")
        with contextlib.closing(sqlite3.connect(catalog)) as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            names = [name for name, in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")]
            columns = {name: [(row[1], row[2]) for row in db.execute(f"PRAGMA table_info({name})")] for name in names}
        shutil.copy(catalog, self.folder)
        flipped = 0
        for table in names:
            for column, declared in columns[table]:
                shutil.copy(os.path.join(self.folder, "catalog.db"), catalog)
                other = f'CAST("{column}" AS INTEGER) | 1 << 20' if declared == "INTEGER" else f'"{column}" * 2 + 1' if declared == "REAL" else f"\"{column}\" || '\x01'"
                with contextlib.closing(sqlite3.connect(catalog)) as db, db:
                    before = db.execute(f"SELECT * FROM {table}").fetchall()
                    db.execute(f'UPDATE OR IGNORE {table} SET "{column}" = {other}')
                    changed = before != db.execute(f"SELECT * FROM {table}").fetchall()
                if changed:
                    flipped += 1
                    self.assertIn(("catalog", "catalog.db"), self.findings("--quick"), f"{table}.{column}")
        self.assertGreater(flipped, 60)

    def test_values_of_the_catalog_that_no_run_file_has(self):
        self.ok("token", "add", "mei", "--role", "viewer")
        self.change_catalog("UPDATE kept_size SET bytes = bytes + 1")
        self.assertEqual(set(self.findings()), {("catalog", "catalog.db")})
        self.change_catalog("UPDATE kept_size SET bytes = bytes - 1")
        self.assertEqual(self.findings(), [])
        self.change_catalog("DELETE FROM kept_size", "INSERT INTO kept_size VALUES ('originals', 'another', 1)", "PRAGMA user_version = 7")
        self.assertEqual(set(self.findings()), {("catalog", "catalog.db")})
        self.ok("rebuild")
        self.assertEqual(self.findings(), [])
        self.change_catalog("UPDATE token SET role = 'wiewer'", "PRAGMA user_version = 7")
        self.assertEqual(self.findings(), [("catalog", "catalog.db")])

    def test_rebuild_imports_a_changed_run_again(self):
        path = os.path.join("runs", self.first + ".db")
        before = self.total()
        with sqlite3.connect(os.path.join(self.data, path)) as db:
            db.execute("UPDATE import SET self_us = self_us + 1000 WHERE id = 5")
        db.close()
        self.assertNotEqual(self.total(), before)
        self.assertEqual(self.findings(), [("run", path)])
        self.run_verb("rebuild")
        self.assertEqual((self.total(), self.findings()), (before, []))

    def test_a_deleted_run_that_is_damaged(self):
        before = self.total()
        self.ok("rm", self.first)
        self.assertEqual(self.findings(), [])
        path = os.path.join("runs", self.first + ".db")
        with sqlite3.connect(os.path.join(self.data, path)) as db:
            db.execute("UPDATE import SET self_us = self_us + 1000 WHERE id = 5")
        db.close()
        self.assertEqual(self.findings(), [("run", path)])
        self.assertIn("changed after it was written", self.fails("undelete", self.first))
        self.run_verb("rebuild")
        self.assertEqual((self.findings(), self.listed("list")), ([], [self.second]))
        self.ok("undelete", self.first)
        self.assertEqual((self.total(), self.findings()), (before, []))

    def test_a_deleted_run_that_is_lost(self):
        """rebuild imports it again from its original, and deletes it again."""
        self.ok("edit", self.first, "--name", "told")
        self.ok("baseline", self.first)
        self.ok("rm", self.first)
        os.unlink(os.path.join(self.data, "runs", self.first + ".db"))
        self.run_verb("rebuild")
        self.assertEqual((self.findings(), self.listed("list"), self.listed("undelete")), ([], [self.second], [self.first]))
        self.ok("undelete", self.first)
        self.assertEqual((self.findings(), set(self.listed("list"))), ([], {self.first, self.second}))
        self.assertIn("told", self.ok("list"))

    def test_a_deleted_run_of_which_only_the_label_is_left(self):
        """A file that is added again is not deleted, whatever the label said."""
        self.ok("rm", self.first)
        for name in self.names(self.first) + ["catalog.db"]:
            os.unlink(os.path.join(self.data, name))
        self.run_verb("rebuild")
        self.assertEqual((self.listed("list"), self.listed("undelete")), ([self.second], []))
        self.ok("add", self.log)
        self.assertEqual(self.findings(), [])
        self.run_verb("rebuild")
        self.assertEqual((self.findings(), set(self.listed("list"))), ([], {self.first, self.second}))

    def listed(self, command):
        return [run["id"] for run in json.loads(self.ok(command, "--json"))]

    def total(self):
        return self.ok("sql", self.first, "SELECT sum(self_us) FROM imports", "--csv")

    def test_rows_of_deleted_runs(self):
        self.ok("rm", self.first)
        self.change_catalog("UPDATE deleted_run SET headline_value = headline_value * 2")
        self.assertEqual(self.findings(), [("catalog", "catalog.db")] * 2)
        self.change_catalog("UPDATE deleted_run SET headline_value = headline_value / 2")
        self.assertEqual(self.findings(), [])
        self.ok("undelete", self.first)
        self.assertEqual(self.findings(), [])

    def test_a_label_that_a_killed_edit_left_after_a_rebuild(self):
        self.ok("edit", self.first, "--name", "told")
        self.ok("rebuild")
        label = self.path("labels", self.first + ".json")
        with open(label, "r+", encoding="utf-8") as file:  # as an edit writes it before it commits
            text = file.read()
            file.seek(0)
            file.truncate()
            file.write(text.replace("told", "cut"))
        self.assertEqual(self.findings(), [])
        self.assertIn("told", self.ok("list"))

    def test_rows_that_differ_from_the_runs(self):
        catalog = os.path.join(self.data, "catalog.db")
        shutil.copy(catalog, self.folder)
        for change in ("kind = 'trace'", "name = name || 'x'", "series = 'other'", "who = 'mei'", "tool = 'x'", "tool_version = 'x'",
                       "created_at = created_at + 1", "headline_value = headline_value * 2", "headline_unit = 'B'", "headline_label = ''",
                       "bytes = bytes + 1", "rows = rows + 1", "ledger_unit = ''", "read = read + 1", "summary = '{}'", "summary = x'7b'"):
            shutil.copy(os.path.join(self.folder, "catalog.db"), catalog)
            with sqlite3.connect(catalog) as db:
                db.execute(f"UPDATE run SET {change} WHERE id = ?", [self.first])
            db.close()
            self.assertIn(("catalog", "catalog.db"), self.findings(), change)
        shutil.copy(os.path.join(self.folder, "catalog.db"), catalog)
        with sqlite3.connect(catalog) as db:  # a bit of the layout changed: no statement finds the column
            db.execute("PRAGMA writable_schema = ON")
            db.execute("UPDATE sqlite_schema SET sql = replace(sql, 'ledger_unit TEXT NOT NULL', 'ledger_unix TEXT NOT NULL') WHERE name = 'run'")
        db.close()
        self.assertIn(("catalog", "catalog.db"), self.findings())
        shutil.copy(os.path.join(self.folder, "catalog.db"), catalog)
        with sqlite3.connect(catalog) as db:
            db.execute("UPDATE tag SET v = 'w'")
        db.close()
        self.assertEqual(set(self.findings()), {("catalog", "catalog.db")})


@unittest.skipIf(os.geteuid() != 0 or not shutil.which("setpriv"), "needs root and setpriv, to become another user")
class ReadOnly(VaultTest):
    """A shelf as a user sees it who may not write to it."""
    def as_nobody(self, *args):
        return call_as_nobody(*args, "--data", self.data, env=dict(os.environ, TMPDIR="/tmp"))

    def setUp(self):
        super().setUp()
        os.chmod(self.folder, 0o755)
        self.before = self.tree()

    def tree(self):
        return sorted(os.path.join(root, name) for root, _, files in os.walk(self.data) for name in files)

    def test_it_is_read(self):
        for args in (["list", "--json"], ["show", self.first, "--json"], ["sql", self.first, "SELECT * FROM imports", "--json"],
                     ["verify", "--json"], ["undelete", "--json"], ["export", self.first, "--redact", "all", "-o", "-"]):
            done = self.as_nobody(*args)
            self.assertEqual((done.returncode, done.stderr), (0, b""), args)
            if args[0] != "export":
                self.assertEqual(done.stdout.decode(), self.ok(*args), args)
        self.assertEqual(self.tree(), self.before)

    def test_while_it_is_served(self):
        with subprocess.Popen([PROGRAM, "serve", "--data", self.data, "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE) as server:
            server.stdout.readline()
            self.ok("rm", self.first)
            done = self.as_nobody("list", "--json")
            self.assertEqual((done.returncode, [run["id"] for run in json.loads(done.stdout)]), (0, [self.second]))
            server.terminate()

    def test_served_it_shows_what_others_write(self):
        served = [["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", PROGRAM], [PROGRAM]]
        with contextlib.ExitStack() as stack:
            ports = []
            for program in served:  # nobody writes when the first opens the shelf
                server = stack.enter_context(subprocess.Popen([*program, "serve", "--data", self.data, "--listen", "127.0.0.1:0"], text=True,
                                                              env=dict(os.environ, TMPDIR="/tmp"), stdout=subprocess.PIPE))
                stack.callback(server.terminate)
                ports.append(int(server.stdout.readline().rstrip("/\n").rsplit(":", 1)[1]))
                self.assertEqual(self.ask(ports[0], "GET", "/api/v1/runs")["total"], 2)
            self.ok("rm", self.first)
            self.assertEqual([run["id"] for run in self.ask(ports[0], "GET", "/api/v1/runs")["rows"]], [self.second])
            rows = self.ask(ports[0], "POST", "/api/v1/sql", {"runs": [self.second], "sql": "SELECT count(*) AS n FROM runs", "format": "rows"})
            self.assertEqual(rows, [{"n": 1}])

    def ask(self, port, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request(method, path, body and json.dumps(body))
        said = connection.getresponse().read()
        connection.close()
        return json.loads(said)

    def test_changes_are_refused(self):
        for args in (["rm", self.first], ["baseline", self.first], ["add", "/etc/hostname"]):
            done = self.as_nobody(*args)
            self.assertEqual(done.returncode, 1, args)
            self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)
        self.assertIn(b"no permission to write to the shelf", self.as_nobody("rm", self.first).stderr)

    def test_no_permission_is_no_damage(self):
        for path in (self.path("runs", self.first + ".db"), self.path("originals", self.second + "*"), os.path.join(self.data, "runs"),
                     os.path.join(self.data, "catalog.db"), self.data):
            mode = os.stat(path).st_mode
            os.chmod(path, 0)
            done = self.as_nobody("verify")
            os.chmod(path, mode)
            self.assertEqual((done.returncode, done.stdout), (2, b""), path)
            self.assertIn(b"Permission denied", done.stderr)


class Rebuild(VaultTest):
    """The shelf shows the same after the catalog was lost."""
    def setUp(self):
        super().setUp()
        self.catalog = os.path.join(self.data, "catalog.db")

    def fill(self):
        given = super().fill()
        third = self.json("add", os.path.join(DEMO, "events.lprof"), "--source-root", os.path.join(ROOT, "demo", "workloads"),
                          "--series", "s")["id"]
        self.ok("baseline", "start")
        return dict(given, third=third, before=self.shown())

    def shown(self):
        """All that is told of the runs."""
        return {run["id"]: (run, self.json("show", run["id"])) for run in self.json("list")}

    def order(self):
        return [run["id"] for run in self.json("list")]

    def rebuild(self, *said, runs=3, again=0, aside=0):
        done = self.run_verb("rebuild", "--json")
        *_, total = map(json.loads, done.stdout.decode().splitlines())
        self.assertEqual((done.returncode, total), (0, {"runs": runs, "imported_again": again, "set_aside": aside}), done.stderr)
        lines = done.stderr.decode().splitlines()
        self.assertEqual(len(lines), len(said), lines)
        for line, words in zip(sorted(lines), sorted(said)):
            self.assertIn(words, line)

    def assert_as_before(self):
        self.assertEqual(self.shown(), self.before)
        self.assertEqual(self.findings(), [])

    def ask(self, *requests):
        """(method, path, body) to a server of the shelf; the last answer."""
        with subprocess.Popen([PROGRAM, "serve", "--data", self.data, "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE) as server:
            address = server.stdout.readline().decode().rsplit("http://", 1)[1].strip("/\n")
            for method, path, body in requests:
                connection = http.client.HTTPConnection(address, timeout=30)
                connection.request(method, f"/api/v1/{path}", body and json.dumps(body))
                reply = connection.getresponse()
                self.assertEqual(reply.status // 100, 2)
                said = reply.read()
                connection.close()
            server.terminate()
        return said

    def edit(self, run, **fields):
        """As people rename runs."""
        self.ask(("PATCH", f"runs/{run}", fields))

    def test_saved_queries(self):
        def queries():
            return [{key: row[key] for key in ("kind", "name", "sql", "who", "at")} for row in json.loads(self.ask(("GET", "queries?kind=pstats", None)))["rows"]]

        words = [("a", "SELECT 1"), ("b", "SELECT '\u2603\n\"' -- x"), ("gone", "SELECT 3")]
        self.ask(*(("POST", "queries", {"name": name, "sql": sql, "kind": "pstats"}) for name, sql in words))
        [gone] = [row["id"] for row in json.loads(self.ask(("GET", "queries?kind=pstats", None)))["rows"] if row["name"] == "gone"]
        self.ask(("DELETE", f"queries/{gone}", None))
        before = queries()
        self.assertEqual([(row["name"], row["sql"]) for row in before], words[:2])
        self.assertEqual(self.findings(), [])
        for lose in (os.unlink, lambda path: self.damage(path, 4096, b"\x5a" * (os.path.getsize(path) - 4096)), lambda path: None):
            lose(self.catalog)
            self.run_verb("rebuild")
            self.assertEqual(queries(), before)
        target = os.path.join(self.folder, "copy")
        self.ok("backup", target)
        os.unlink(os.path.join(target, "catalog.db"))
        self.data = target
        self.run_verb("rebuild")
        self.assertEqual(queries(), before)
        self.assertEqual(self.findings(), [])

    def test_a_lost_catalog(self):
        order = self.order()
        os.unlink(self.catalog)
        self.rebuild("catalog.db: note: it is missing")
        self.assert_as_before()
        self.assertEqual(self.order(), order)

    def test_what_was_said_later(self):
        self.edit(self.second, name="renamed \u2603 \"x\"", series="t", tags={"a": "1", "b'": ""})
        self.edit(self.first, tags={})
        self.ok("baseline", self.second)
        self.before = self.shown()
        self.assertEqual(self.before[self.second][0]["name"], "renamed \u2603 \"x\"")
        for suffix in ("", "-wal", "-shm"):
            if os.path.exists(self.catalog + suffix):
                os.unlink(self.catalog + suffix)
        self.rebuild("catalog.db")
        self.assert_as_before()

    def test_damaged_catalogs(self):
        size = os.path.getsize(self.catalog)
        for at, length in ((0, 100), (4096, 4096), (size // 2, size // 2), (20, 80)):
            self.damage(self.catalog, at, b"\x5a" * length)
            self.rebuild("catalog.db")
            self.assert_as_before()
        with open(self.catalog, "wb") as file:
            file.write(b"not a database at all")
        self.rebuild("catalog.db")
        self.assert_as_before()
        self.assertGreaterEqual(len(os.listdir(os.path.join(self.data, "lost"))), 1)

    def test_a_whole_catalog_stays_as_it_is(self):
        self.rebuild()
        self.assert_as_before()
        with sqlite3.connect(self.catalog) as db:
            self.assertEqual(db.execute("SELECT count(*) FROM import_log").fetchone(), (3,))
        db.close()

    def test_a_damaged_run_is_imported_again(self):
        self.edit(self.second, name="mine", tags={"k": "v"})
        self.before = self.shown()
        for lost in (False, True):
            self.damage(self.path("runs", self.second + ".db"), 8192, b"\xa5" * 2000)
            self.damage(self.path("runs", self.third + ".db"), 0, b"")
            if lost:
                os.unlink(self.catalog)
            self.rebuild(*["catalog.db"] * lost, f"runs/{self.second}.db", runs=2, again=1, aside=1)
            self.assert_as_before_but_for_the_file(self.second)

    def assert_as_before_but_for_the_file(self, run):
        now = self.shown()
        self.assertEqual(self.findings(), [])
        self.assertEqual(set(now), set(self.before))
        for key in ("name", "series", "tags", "who", "created_at", "headline", "summary", "ledger"):
            self.assertEqual(now[run][0][key], self.before[run][0][key], key)

    def test_a_run_without_a_row(self):
        """A whole catalog that lacks a row: the run comes back from its file."""
        with sqlite3.connect(self.catalog) as db:
            db.execute("DELETE FROM tag WHERE run = ?", [self.first])
            db.execute("DELETE FROM run WHERE id = ?", [self.first])
        db.close()
        self.rebuild("catalog.db")
        self.assertEqual(set(self.shown()), set(self.before))
        self.assertEqual(self.findings(), [])

    def test_a_missing_run_comes_back_from_its_original(self):
        os.unlink(self.path("runs", self.first + ".db"))
        os.unlink(self.catalog)
        self.rebuild("catalog.db", runs=2, again=1)
        self.assertEqual(set(self.shown()), set(self.before))
        self.assertEqual(self.findings(), [])

    def test_removed_runs_stay_away(self):
        self.ok("rm", "start")
        os.unlink(self.catalog)
        self.rebuild("catalog.db", runs=2)
        self.assertEqual(set(self.shown()), {self.second, self.third})

    def test_not_while_it_is_in_use(self):
        with subprocess.Popen([PROGRAM, "serve", "--data", self.data, "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE) as server:
            server.stdout.readline()
            self.assertIn("another process has the shelf open", self.fails("rebuild"))
            server.terminate()
        self.assert_as_before()

    def test_no_row_is_lost_on_a_full_disk(self):
        with contextlib.closing(sqlite3.connect(self.catalog)) as catalog, catalog:
            catalog.execute("INSERT INTO removal_log(at, run, kind, name, who) SELECT value, printf('%016x', value), 'log', hex(zeroblob(200)), ''"
                            " FROM (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 20000) SELECT value FROM n)")
            catalog.execute("PRAGMA user_version = 7")

        def fill_the_disk():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (2 << 20, 2 << 20))

        self.assertIn("catalog.db: disk I/O error", self.fails("rebuild", preexec_fn=fill_the_disk))
        self.ok("rebuild")
        with contextlib.closing(sqlite3.connect(self.catalog)) as catalog:
            self.assertEqual(catalog.execute("SELECT count(*) FROM removal_log").fetchone(), (20000,))

    def test_no_shelf(self):
        self.data = os.path.join(self.folder, "nowhere")
        self.assertIn("there is no shelf", self.fails("rebuild"))
        self.assertFalse(os.path.exists(self.data))


class Backup(VaultTest):
    def setUp(self):
        super().setUp()
        self.target = os.path.join(self.folder, "backups", "shelf")

    def backup(self, **expected):
        told = self.json("backup", self.target)
        self.assertEqual({key: told[key] for key in expected}, expected)
        return told

    def of_target(self, verb, *args):
        shelf, self.data = self.data, self.target
        try:
            return self.json(verb, *args) if verb != "verify" else self.findings(*args)
        finally:
            self.data = shelf

    def assert_same(self):
        self.assertEqual(self.of_target("list"), self.json("list"))
        self.assertEqual(self.of_target("verify"), [])

    def test_a_backup_is_a_shelf(self):
        self.ok("add", os.path.join(DEMO, "events.lprof"), "--source-root", os.path.join(ROOT, "demo", "workloads"))
        self.ok("baseline", "start")
        told = self.backup(runs=3, removed=0)
        self.assertGreater(told["bytes"], 100000)
        self.assert_same()
        for run in self.json("list"):
            self.assertEqual(self.of_target("show", run["id"]), self.json("show", run["id"]))
        self.assertEqual(self.of_target("sql", "start", "SELECT * FROM imports"), self.json("sql", "start", "SELECT * FROM imports"))

    def test_the_next_copies_what_is_new(self):
        self.backup(runs=2, files=4)
        self.backup(runs=2, files=0, bytes=0, removed=0)
        self.ok("add", self.file("more.log", b"import time: self [us] | cumulative | imported package\nimport time: 1 | 1 | a\n"))
        self.backup(runs=3, files=2, removed=0)
        self.ok("rm", "start")
        self.backup(runs=2, files=0, removed=2)
        self.assert_same()
        self.assertEqual(self.findings(), [])

    def test_a_damaged_copy_is_replaced(self):
        self.backup(runs=2)
        path = glob.glob(os.path.join(self.target, "runs", self.first + ".db"))[0]
        os.truncate(path, 5000)
        self.backup(files=1)
        self.assert_same()

    def test_folders_that_are_no_backup(self):
        self.file("backups/shelf/letter.txt", b"dear")
        self.assertIn("is not a backup of a shelf", self.fails("backup", self.target))
        self.assertEqual(os.listdir(self.target), ["letter.txt"])
        for inside in (self.data, os.path.join(self.data, "b")):
            self.assertIn("is the shelf itself, or inside it", self.fails("backup", inside))
        shelf = self.data
        self.target = os.path.join(self.folder, "b")
        self.backup(runs=2)
        self.data = os.path.join(self.folder, "other")
        self.ok("add", self.log)
        self.assertIn("the backup of another shelf, " + shelf, self.fails("backup", self.target))
        self.data = os.path.join(self.folder, "nowhere")
        self.assertIn("there is no shelf", self.fails("backup", self.target))

    def test_a_shelf_with_a_missing_file(self):
        self.backup(runs=2)
        os.unlink(self.path("originals", self.first + "*"))
        self.ok("add", self.file("more.log", b"import time: self [us] | cumulative | imported package\nimport time: 1 | 1 | a\n"))
        self.assertIn("a file of run " + self.first + " is missing; `perfshelf verify`", self.fails("backup", self.target))
        self.assertEqual(len(self.of_target("list")), 2)  # the backup before
        # What was copied already is taken up by the next, or by nobody.
        self.assertEqual({what for what, _ in self.of_target("verify")} - {"stray"}, set())

    def test_while_it_is_served_and_changed(self):
        import threading
        from http.client import HTTPConnection
        with subprocess.Popen([PROGRAM, "serve", "--data", self.data, "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE) as server:
            address = server.stdout.readline().decode().rsplit("http://", 1)[1].strip("/\n")
            enough, faults = threading.Event(), []

            def change(who):
                link = HTTPConnection(address, timeout=60)
                for number in range(100000):
                    if enough.is_set():
                        break
                    body = f"import time: self [us] | cumulative | imported package\nimport time: 1 | 1 | a{who}.{number}\n"
                    link.request("POST", "/api/v1/runs?wait=1", body.encode())
                    answer = link.getresponse()
                    run = json.loads(answer.read())
                    link.request("DELETE", f"/api/v1/runs/{run['id']}") if number % 3 else link.request("GET", "/api/v1/shelf")
                    status = link.getresponse()
                    status.read()
                    if answer.status != 201 or status.status not in (200, 204):
                        faults.append((answer.status, status.status))
                link.close()

            clients = [threading.Thread(target=change, args=(i,)) for i in range(3)]
            for client in clients:
                client.start()
            try:
                for _ in range(2 if SHORT else 6):
                    told = self.backup()
                    self.assertEqual(self.of_target("verify"), [])
                    self.assertEqual(self.findings(), [])
                    self.assertEqual(len(self.of_target("list")), min(told["runs"], 10 ** 6))
            finally:
                enough.set()
                for client in clients:
                    client.join()
                server.terminate()
        self.assertEqual(faults, [])
        self.backup()
        self.assert_same()


if __name__ == "__main__":
    unittest.main()
