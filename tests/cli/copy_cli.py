# SPDX-License-Identifier: MIT
"""A shelf into another one: folders, and stores that many servers share."""
import glob
import hashlib
import http.client
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import unittest

from program import DEMO, PROGRAM, ROOT, ShelfTest, call, sanitized

sys.path.insert(0, os.path.join(ROOT, "tests"))
from long import long_test  # noqa: E402
from postgres import Postgres, needs_postgresql  # noqa: E402

# What belongs to the servers of a shelf, and what follows from other tables.
STAYS = {"session", "deleted_run", "upload", "partial", "removed_since", "doomed", "kept", "kept_size", "tally", "run_text", "tagged", "row_digest", "mirror", "sqlite_sequence", "job"}
NUMBERED = {"import_log", "removal_log", "saved_query"}


def tables(folder):
    with sqlite3.connect(os.path.join(folder, "catalog.db")) as db:
        db.text_factory = bytes
        names = [name.decode() for name, in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        rows = {name: sorted(map(repr, db.execute(f"SELECT * FROM {name}"))) for name in names if name not in STAYS}
    db.close()
    return rows


class CopyTest(ShelfTest):
    def setUp(self):
        super().setUp()
        self.other = os.path.join(self.folder, "other")

    def shelve(self, *paths):
        """A shelf with everything that people may say of runs."""
        self.ok("add", *(paths or (self.log, self.dump, os.path.join(DEMO, "awscli.log"))), "--series", "s", "--tag", "k=v", "--tag", "\u00e9=\u2603")
        self.lines = self.json("add", os.path.join(DEMO, "events.lprof"), "--source-root", os.path.join(ROOT, "demo", "workloads"))["id"]
        gone = self.json("add", self.file("gone.log", b"import time: self [us] | cumulative | imported package\nimport time:         7 |          7 | gone\n"))["id"]
        self.ok("rm", gone)
        self.run_verb("add", self.file("no.profile", b"nothing of the kind"))
        self.ok("baseline", "@2")
        self.ok("token", "add", "mei", "--role", "admin")
        with sqlite3.connect(os.path.join(self.data, "catalog.db")) as db:  # as the page does it
            db.execute("INSERT INTO saved_query(kind, name, sql, who, at) VALUES ('pstats', 'mine', 'SELECT 1', 'mei', 5)")
        db.close()

    def copy(self, source, target, status=0, options=(), **expected):
        """The findings that a copy told, and what it updated."""
        done = call("copy", "--from", source, "--to", target, "--json", *options)
        self.assertEqual((done.returncode, done.stderr), (status, b""), done.stdout)
        *findings, total = map(json.loads, done.stdout.decode().splitlines())
        updated = sum(finding["what"] == "updated" for finding in findings)
        self.assertEqual((total["updated"], total["findings"]), (updated, len(findings) - updated))
        self.assertEqual({key: total[key] for key in expected}, expected, done.stdout)
        return sorted((finding["what"], finding["file"], finding["text"]) for finding in findings)

    def edit(self, run, data=None, **said):
        """As a page does it."""
        data = data or self.data
        run = json.loads(call("show", run, "--data", data, "--json").stdout)["id"]
        with subprocess.Popen([PROGRAM, "serve", "--data", data, "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE) as server:
            host = server.stdout.readline().decode().split("http://")[1].strip().rstrip("/")
            link = http.client.HTTPConnection(host, timeout=30)
            link.request("PATCH", f"/api/v1/runs/{run}", json.dumps(said), {"Content-Type": "application/json"})
            self.assertEqual(link.getresponse().status, 200)
            link.close()
            server.terminate()

    def refused(self, *args, status=1, **options):
        done = call("copy", *args, **options)
        lines = done.stderr.decode().splitlines()
        self.assertEqual((done.returncode, done.stdout, len(lines)), (status, b"", 1), lines)
        self.assertTrue(lines[0].startswith("perfshelf: "))
        return lines[0]

    def shown(self, folder):
        def ask(*args):
            done = call(*args, "--data", folder, "--json")
            self.assertEqual((done.returncode, done.stderr), (0, b""), args)
            return json.loads(done.stdout)

        listed = ask("list")
        return listed, [ask("show", run["id"]) for run in listed], [ask("sql", run["id"], "SELECT * FROM run") for run in listed]

    def assert_whole(self, folder):
        done = call("verify", "--data", folder)
        self.assertEqual((done.returncode, done.stderr), (0, b""), done.stdout)

    def assert_same(self, source, target):
        self.assertEqual(self.shown(source), self.shown(target))
        self.assertEqual(tables(source), tables(target))
        self.assert_whole(target)

    @staticmethod
    def files_of(folder):
        return len(glob.glob(os.path.join(folder, "runs", "*"))) + len(glob.glob(os.path.join(folder, "originals", "*")))

    def one(self, *parts, data=None):
        [path] = glob.glob(os.path.join(data or self.data, *parts))
        return path


class Folders(CopyTest):
    def files(self):
        found = {}
        for folder, _, names in os.walk(self.data):
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    found[os.path.join(folder, name)] = hashlib.sha256(file.read()).hexdigest()
        return found

    def test_all_of_it(self):
        self.shelve()
        self.ok("list")
        before = self.files()
        self.assertEqual(self.copy(self.data, self.other, runs=4, already=0, files=9, waiting=0), [])
        self.assertEqual(self.files(), before)
        self.assert_same(self.data, self.other)
        self.assertEqual(self.copy(self.data, self.other, runs=0, already=4, files=0, bytes=0, rows=0), [])
        self.assert_same(self.data, self.other)
        self.assertRegex(call("copy", "--from", self.data, "--to", self.other).stdout.decode(), r"^0 runs copied .*4 already there: the copy is complete\n$")

    def test_what_came_later_comes_with_the_next(self):
        self.shelve()
        self.copy(self.data, self.other)
        self.ok("add", os.path.join(DEMO, "stdlib.log"))
        self.assertEqual(self.copy(self.data, self.other, runs=1, already=4), [])
        self.assert_same(self.data, self.other)

    def test_labels_are_there_when_the_catalog_is_lost(self):
        self.shelve()
        self.edit("@3", name="said later", series="t", tags={"a": "1"})
        self.edit("@4", tags={})
        self.assertEqual(self.copy(self.data, self.other, runs=4), [])
        for name in glob.glob(os.path.join(self.other, "catalog.db*")):
            os.unlink(name)
        self.assertEqual(call("rebuild", "--data", self.other).returncode, 0)
        self.assertEqual(self.shown(self.other), self.shown(self.data))

    def test_uploads_that_wait_stay(self):
        self.shelve()
        with sqlite3.connect(os.path.join(self.data, "catalog.db")) as db:
            columns = [row[1] for row in db.execute("PRAGMA table_info(upload)")]
            for n in range(3):
                db.execute(f"INSERT INTO upload({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})", [n + 1] + ["1"] * (len(columns) - 1))
        db.close()
        self.assertEqual(self.copy(self.data, self.other, runs=4, waiting=3), [])
        self.assertIn("3 waiting uploads not copied", call("copy", "--from", self.data, "--to", self.other).stdout.decode())

    @long_test
    def test_killed_at_any_moment_it_goes_on(self):
        paths = [self.file(f"many/{n}.log", b"import time: self [us] | cumulative | imported package\n" +
                           b"import time:        %4d |       %4d | mod%d\n" % (n, n, n) * 20) for n in range(50)]
        self.shelve(*paths)
        rng = random.Random(8)
        enough, killed, rounds = 1 if sanitized() else 3, 0, 0
        while killed < enough:
            rounds += 1
            self.assertLess(rounds, 50)  # some end before the signal
            with subprocess.Popen([PROGRAM, "copy", "--from", self.data, "--to", self.other], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                most = self.files_of(self.other) + rng.randrange(40)
                while process.poll() is None and self.files_of(self.other) < most:
                    pass
                time.sleep(rng.uniform(0, 0.02))  # so the moment is random
                process.kill()
                ended = process.wait() != -signal.SIGKILL
            killed += not ended
            if os.path.exists(os.path.join(self.other, "catalog.db")):
                for run in json.loads(call("list", "--data", self.other, "--json").stdout):  # each that is there is there whole
                    self.assertTrue(os.path.exists(os.path.join(self.other, "runs", run["id"] + ".db")))
                    self.one("originals", run["sha256"] + "*", data=self.other)
            if ended:
                shutil.rmtree(self.other)
        self.assertEqual(self.copy(self.data, self.other), [])
        self.assert_same(self.data, self.other)
        self.assertEqual(os.listdir(os.path.join(self.other, "spool")), [])

    def test_two_at_once(self):
        self.shelve(*(self.file(f"many/{n}.log", b"import time: self [us] | cumulative | imported package\n" +
                                b"import time:        %4d |       %4d | mod%d\n" % (n, n, n)) for n in range(30)))
        call("add", os.devnull, "--data", self.other)  # of two that make a shelf at once one may see half of it
        both = [subprocess.Popen([PROGRAM, "copy", "--from", self.data, "--to", self.other, "--json"], stdout=subprocess.PIPE) for _ in range(2)]
        told = [json.loads(process.communicate()[0].splitlines()[-1]) for process in both]
        self.assertEqual([(process.returncode, sums["findings"]) for process, sums in zip(both, told)], [(0, 0)] * 2)
        self.assertEqual(self.copy(self.data, self.other, runs=0, already=31, rows=0), [])
        self.assertEqual(self.shown(self.data), self.shown(self.other))
        self.assert_whole(self.other)

    def test_an_interrupt_ends_it_tidily(self):
        self.shelve()
        with subprocess.Popen([PROGRAM, "copy", "--from", self.data, "--to", self.other], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            while process.poll() is None and not os.path.isdir(os.path.join(self.other, "sources")):
                time.sleep(0.001)
            process.send_signal(signal.SIGTERM)
            out, err = process.communicate()
        if process.returncode:  # else it was done by then
            self.assertIn(b"the next copy continues from here", err)
            self.assertEqual(out, b"")
        self.assertEqual(self.copy(self.data, self.other), [])
        self.assert_same(self.data, self.other)

    @long_test
    def test_runs_that_are_removed_meanwhile(self):
        paths = [self.file(f"many/{n}.log", b"import time: self [us] | cumulative | imported package\n" +
                           b"import time:        %4d |       %4d | mod%d\n" % (n, n, n) * 20) for n in range(80)]
        self.ok("add", *paths)
        newest = self.json("list")[0]["id"]
        removed = False
        while not removed:
            shutil.rmtree(self.other, ignore_errors=True)
            with subprocess.Popen([PROGRAM, "copy", "--from", self.data, "--to", self.other, "--json"], stdout=subprocess.PIPE) as process:
                while not glob.glob(os.path.join(self.other, "runs", "*.db")):
                    time.sleep(0.001)
                process.send_signal(signal.SIGSTOP)
                try:
                    removed = not os.path.exists(os.path.join(self.other, "runs", newest + ".db"))  # else this test was too late: once more
                    if removed:
                        self.ok("rm", newest)
                finally:
                    process.send_signal(signal.SIGCONT)
                total = json.loads(process.stdout.read())
        self.assertEqual((process.returncode, total["runs"], total["removed"], total["findings"]), (0, 79, 1, 0))
        self.assert_whole(self.other)

    def test_while_both_are_served(self):
        self.shelve()
        servers = [subprocess.Popen([PROGRAM, "serve", "--data", folder, "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE) for folder in (self.data, self.other)]
        try:
            for server in servers:
                server.stdout.readline()
            self.assertEqual(self.copy(self.data, self.other, runs=4), [])
        finally:
            for server in servers:
                server.terminate()
                server.wait()
                server.stdout.close()
        self.assert_same(self.data, self.other)


class Merges(CopyTest):
    def test_into_a_shelf_that_has_others(self):
        self.shelve()
        mine = [json.loads(call("add", path, "--data", self.other, "--name", name, "--series", "s", "--json").stdout)["id"]
                for path, name in ((os.path.join(DEMO, "stdlib.log"), "theirs"), (self.dump, "both"), (os.path.join(DEMO, "threads.log"), "last"))]
        self.assertEqual(call("baseline", "theirs", "--data", self.other).returncode, 0)
        self.assertEqual(call("token", "add", "mei", "--data", self.other).returncode, 0)
        both = mine[1]
        findings = self.copy(self.data, self.other, status=1, runs=3, already=1)
        self.assertEqual([(what, name) for what, name, _ in findings], [("baseline", "s"), ("run", both), ("run", both), ("token", "mei")])
        self.assertEqual([text.split(":")[0] for _, _, text in findings[1:3]],
                         ["kept in --to, but differs from --from in", "kept other tags in --to"])
        self.assertTrue(findings[1][2].endswith(": name created_at"))
        ours, theirs = self.shown(self.data)[0], self.shown(self.other)[0]
        with sqlite3.connect(os.path.join(self.other, "catalog.db")) as db:
            order = [run for run, in db.execute("SELECT id FROM run ORDER BY seq")]
            self.assertEqual(db.execute("SELECT name, run FROM run, baseline WHERE id = run").fetchall(), [("theirs", mine[0])])
            self.assertEqual(db.execute("SELECT count(*) FROM import_log").fetchone(), (9,))
        db.close()
        with sqlite3.connect(os.path.join(self.data, "catalog.db")) as db:
            self.assertEqual(order, mine + [run for run, in db.execute("SELECT id FROM run ORDER BY seq") if run != both])
        db.close()
        self.assertEqual({run["id"]: run["name"] for run in theirs if run["id"] == both}, {both: "both"})
        beside = {"baseline", "trend", "delta_pct"}  # what follows from the others of its series
        said = [{run["id"]: {key: run[key] for key in run.keys() - beside} for run in listed} for listed in (ours, theirs)]
        self.assertEqual({run: said[1][run] for run in said[0] if run != both}, {run: said[0][run] for run in said[0] if run != both})
        self.assert_whole(self.other)
        self.assertEqual(self.copy(self.data, self.other, status=1, runs=0, already=4, rows=0), findings)


class Again(CopyTest):
    """What both shelves have, and one of them changed since."""

    def setUp(self):
        super().setUp()
        self.shelve()
        self.target = self.target_of()
        self.assertEqual(self.copy(self.data, self.target, runs=4), [])
        self.ids = [run["id"] for run in self.json("list")]

    def target_of(self):
        return self.other

    def there(self, *args):
        done = call(*args, "--data", self.other)
        self.assertEqual((done.returncode, done.stderr), (0, b""), args)
        return done.stdout.decode()

    def change(self):
        """What people do to the shelf between two copies: a run renamed, another gone, a token revoked and one made anew, another baseline."""
        self.edit(self.ids[1], name="later", series="t", tags={"a": "1", "b": "2"})
        self.edit(self.ids[2], tags={})
        self.ok("rm", self.ids[3])
        self.ok("baseline", "--clear", "s")
        self.ok("baseline", self.ids[2])
        self.ok("token", "revoke", "mei")
        self.ok("token", "add", "mei", "--role", "viewer")
        with sqlite3.connect(os.path.join(self.data, "catalog.db")) as db:
            db.execute("UPDATE saved_query SET sql = 'SELECT 2'")
        db.close()

    def test_what_changed_is_told_and_comes_when_asked_for(self):
        before = self.shown(self.data)[0]
        self.change()
        findings = self.copy(self.data, self.target, status=1, runs=0, already=3)
        self.assertEqual([(what, name) for what, name, _ in findings],
                         sorted([("baseline", "s"), ("query", "mine"), ("token", "mei"), *[("run", self.ids[1])] * 2, ("run", self.ids[2])]))
        self.assertEqual(self.shown_there(), before)
        updated = self.copy(self.data, self.target, options=["--update"], runs=0, already=3)
        self.assertEqual([(what, name) for what, name, _ in updated],
                         sorted([("updated", name) for name in ("s", "mine", "mei", self.ids[1], self.ids[2], self.ids[3])]))
        texts = {name: text for _, name, text in updated}
        self.assertRegex(texts[self.ids[1]], r"^the run was overwritten; it had the name '.*', the series 's', the tags k=v é=☃$")
        self.assertRegex(texts[self.ids[3]], r"^the run was deleted, as in --from; its name was ")
        self.assertEqual(texts["mei"], "the token was overwritten; it differed in: id role hash created_at")
        self.assertEqual(self.shown_there(), self.shown(self.data)[0])
        self.assertEqual(self.copy(self.data, self.target, runs=0, rows=0), [])
        self.assertEqual(self.copy(self.data, self.target, options=["--update"], runs=0, rows=0), [])

    def shown_there(self):
        self.assert_whole(self.other)
        return self.shown(self.other)[0]

    def test_a_token_that_was_revoked_is_told(self):
        self.ok("token", "revoke", "mei")
        self.assertEqual(self.copy(self.data, self.target), [])
        self.assertEqual(self.copy(self.data, self.target, status=1, options=["--update"]),
                         [("token", "mei", "--from has no such token")])


@long_test
class AgainAtTheTarget(Again):
    """What the other shelf changed by itself."""

    def test_what_changed_is_told_and_comes_when_asked_for(self):
        self.edit(self.ids[0], data=self.other, name="theirs")
        self.there("rm", self.ids[1])
        mine = json.loads(self.there("add", os.path.join(DEMO, "stdlib.log"), "--json"))["id"]
        findings = self.copy(self.data, self.other, status=1, runs=0, already=3)
        self.assertEqual([(what, name, text.split(":")[0]) for what, name, text in findings],
                         sorted([("run", self.ids[0], "kept in --to, but differs from --from in"), ("run", self.ids[1], "it was deleted from --to, and not copied again")]))
        self.assertEqual({run["id"]: run["name"] for run in self.shown_there()}[self.ids[0]], "theirs")
        updated = self.copy(self.data, self.other, options=["--update"], runs=1, already=3)
        self.assertEqual([(what, name) for what, name, _ in updated], [("updated", self.ids[0])])
        self.assertEqual({run["id"] for run in self.shown_there()}, {*self.ids, mine})  # what it has of its own stays
        self.there("rm", self.ids[1])  # a removal that both know of
        self.ok("rm", self.ids[1])
        self.assertEqual(self.copy(self.data, self.other, already=3), [])

    def test_runs_that_came_again_stay(self):
        again = self.json("show", self.ids[1])
        self.ok("rm", self.ids[1])
        self.there("rm", self.ids[1])
        self.there("add", self.file_of(again))
        self.assertEqual(self.copy(self.data, self.other, options=["--update"], already=3, updated=0), [])
        self.assertIn(self.ids[1], {run["id"] for run in self.shown_there()})
        self.ok("add", self.file_of(again))
        self.there("rm", self.ids[1])
        self.assertEqual([name for _, name, _ in self.copy(self.data, self.other, status=1, already=3)], [self.ids[1]])

    def file_of(self, run):
        return {os.path.basename(path): path for path in (self.log, self.dump, os.path.join(DEMO, "awscli.log"))}[run["name"]]


class Damaged(CopyTest):
    def test_files_that_are_missing_or_damaged(self):
        self.shelve()
        ids = [run["id"] for run in reversed(self.json("list"))]
        original, run_file = self.one("originals", ids[0] + "*"), self.one("runs", ids[1] + ".db")
        source, other_original = self.one("sources", "*"), self.one("originals", ids[2] + "*")
        for path in (original, source):
            os.rename(path, path + ".away")
        for path, at in ((run_file, 8192), (other_original, os.path.getsize(other_original) // 2)):
            with open(path, "r+b") as file:
                file.seek(at)
                file.write(b"\xa5" * 64)
        before = [self.copy(self.data, self.other, status=1, runs=3), self.copy(self.data, self.other, status=1, runs=0, already=3)]
        self.assertEqual(before[0], before[1])
        self.assertEqual([(what, name[:16]) for what, name, _ in before[0]],
                         sorted([("original", ids[0]), ("original", ids[2]), ("run", ids[1]), ("source", os.path.basename(source)[:16])]))
        self.assertEqual(json.loads(call("show", ids[0], "--data", self.other, "--json").stdout), self.json("show", ids[0]))
        for path in (original, source):
            os.rename(path + ".away", path)
        os.unlink(other_original)
        self.assertEqual(call("rebuild", "--data", self.data).returncode, 0)  # the run file is made again
        self.assertEqual([(what, name[:16]) for what, name, _ in self.copy(self.data, self.other, status=1, runs=1, already=3)], [("original", ids[2])])
        self.assertEqual({run["id"] for run in self.shown(self.other)[0]}, set(ids))
        with open(self.log, "rb") as file:
            self.assertEqual(hashlib.sha256(file.read()).hexdigest()[:16], ids[0])
        self.assertTrue(os.path.exists(self.one("originals", ids[0] + "*", data=self.other)))

    def test_rows_that_nobody_wrote(self):
        self.shelve()
        good = self.shown(self.data)[0]
        with sqlite3.connect(os.path.join(self.data, "catalog.db")) as db:
            columns = [row[1] for row in db.execute("PRAGMA table_info(run)")][3:]
            for run, sha in (("../../../escape", "../" * 20), ("x", ""), ("0" * 16, "0" * 64), (good[0]["id"][:15] + "z", good[0]["sha256"][:-1] + "z")):
                db.execute(f"INSERT INTO run(id, sha256, {', '.join(columns)}) SELECT ?, ?, {', '.join(columns)} FROM run WHERE seq = 1", (run, sha))
            db.execute("INSERT INTO source VALUES (?, 'a.py', '../../../etc/passwd', 1, 0, 0)", (good[0]["id"],))
        db.close()
        findings = self.copy(self.data, self.other, status=1, runs=4)
        self.assertEqual([what for what, _, _ in findings], ["run"] * 4 + ["source"])
        self.assertEqual(self.shown(self.other)[0], good)
        self.assert_whole(self.other)


class Refusals(CopyTest):
    def test_shelves_that_are_none(self):
        self.assertIn("is not a shelf", self.refused("--from", self.data, "--to", self.other))
        self.assertEqual((os.path.exists(self.data), os.path.exists(self.other)), (False, False))
        self.ok("add", self.log)
        self.assertIn("the shelf itself", self.refused("--from", self.data, "--to", self.data))
        inside = os.path.join(self.data, "runs", "x")
        self.assertIn("inside", self.refused("--from", self.data, "--to", inside))
        self.assertFalse(os.path.exists(inside))
        self.file("other/notes.txt", b"mine")
        self.assertIn("use an empty folder", self.refused("--from", self.data, "--to", self.other))
        self.assertEqual(os.listdir(self.other), ["notes.txt"])

    def test_usage(self):
        self.assertIn("missing --from STORE or --to STORE", self.refused("--from", self.data, status=2))
        self.assertIn("missing --from STORE or --to STORE", self.refused(status=2))
        secret = "postgresql://mei:secret@nowhere.invalid/shelf"
        line = self.refused("--from", self.data, "--to", secret, status=2)
        self.assertIn("--to contains a password", line)
        self.assertNotIn("secret@", line)
        self.ok("add", self.log)
        line = self.refused("--from", self.data, env=dict(os.environ, PERFSHELF_STORE="postgresql://mei:secret@127.0.0.1:1/shelf"))
        self.assertIn("127.0.0.1:1/shelf", line)
        self.assertNotIn("secret", line)


@needs_postgresql
class Shared(CopyTest):
    @classmethod
    def setUpClass(cls):
        cls.postgres = Postgres()

    @classmethod
    def tearDownClass(cls):
        cls.postgres.close()

    def setUp(self):
        super().setUp()
        self.url = self.postgres.database()
        self.tmp = os.path.join(self.folder, "tmp")
        os.mkdir(self.tmp)
        self.addCleanup(os.environ.__setitem__, "TMPDIR", os.environ.get("TMPDIR", "/tmp"))
        os.environ["TMPDIR"] = self.tmp

    def test_there_and_back(self):
        self.shelve()
        second = self.postgres.database()
        for source, target in ((self.data, self.url), (self.url, second), (second, self.other)):
            self.assertEqual(self.copy(source, target, runs=4, already=0, files=9), [])
            self.assertEqual(os.listdir(self.tmp), [])
        self.assert_same(self.data, self.other)
        self.assertEqual(self.copy(self.url, self.other, runs=0, already=4, files=0, rows=0), [])
        listed = call("list", "--json", "--store", self.url, "--data", os.path.join(self.folder, "cache"))
        self.assertEqual(json.loads(listed.stdout), self.json("list"), listed.stderr)
        done = call("verify", "--store", second, "--data", os.path.join(self.folder, "cache2"))
        self.assertEqual((done.returncode, done.stderr), (0, b""), done.stdout)

    def test_the_environment_says_one_side(self):
        self.shelve()
        said = dict(os.environ, PERFSHELF_STORE=self.url)
        for args, runs in ((("--from", self.data), 4), (("--to", self.other), 4)):
            done = call("copy", *args, "--json", env=said)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertEqual(json.loads(done.stdout)["runs"], runs)
        self.assert_same(self.data, self.other)

    def test_the_same_store_and_a_newer_one(self):
        self.shelve()
        self.copy(self.data, self.url)
        self.assertIn("the same store", self.refused("--from", self.url, "--to", self.url + "&application_name=x"))
        cache = os.path.join(self.folder, "cache")
        call("list", "--store", self.url, "--data", cache)
        self.assertIn("is the cache of a store", self.refused("--from", self.data, "--to", cache))
        self.postgres.sql(self.url, "INSERT INTO migration VALUES (999, 0)")
        self.assertIn("newer", self.refused("--from", self.data, "--to", self.url))
        self.assertIn("newer", self.refused("--from", self.url, "--to", self.other))
        self.assertEqual(os.listdir(self.tmp), [])

    def test_what_changed_comes_when_asked_for(self):
        self.shelve()
        second = self.postgres.database()
        self.copy(self.data, self.url)
        self.copy(self.url, second)
        ids = [run["id"] for run in self.json("list")]
        self.edit(ids[1], name="later", series="t", tags={"a": "1", "b": "2"})
        self.ok("rm", ids[3])
        self.ok("token", "revoke", "mei")
        self.ok("token", "add", "mei")
        for source, target in ((self.data, self.url), (self.url, second), (second, self.other)):
            self.copy(source, target, options=["--update"], updated=0 if target == self.other else 3)
            self.assertEqual(self.copy(source, target), [])
        self.assertEqual(self.shown(self.data)[0], self.shown(self.other)[0])
        done = call("verify", "--store", second, "--data", os.path.join(self.folder, "cache"))
        self.assertEqual((done.returncode, done.stderr), (0, b""), done.stdout)

    def test_text_that_is_none_is_mended(self):
        self.shelve()
        with sqlite3.connect(os.path.join(self.data, "catalog.db")) as db:
            db.execute("UPDATE run SET name = CAST(x'61ff62' AS TEXT), who = CAST(x'610062' AS TEXT), bytes = 'many' WHERE seq = 1")
            db.execute("INSERT INTO tag SELECT id, CAST(x'6bfe' AS TEXT), x'00ff' FROM run WHERE seq = 2")
            db.execute("UPDATE import_log SET name = CAST(x'ff' AS TEXT), bytes = 'x' WHERE id = 1")
        db.close()
        [(what, file, text)] = self.copy(self.data, self.url, status=1, runs=4)
        self.assertEqual((what, file, text.split()[0]), ("text", "catalog.db", "3"))
        self.assertEqual(self.copy(self.url, self.other, runs=4), [])
        with sqlite3.connect(os.path.join(self.other, "catalog.db")) as db:
            self.assertEqual(db.execute("SELECT name, who FROM run WHERE seq = 1").fetchone(), ("a\ufffdb", "a"))
            self.assertEqual(db.execute("SELECT k FROM tag, run WHERE run = id AND seq = 2 AND k LIKE 'k%' AND k <> 'k'").fetchall(), [("k\ufffd",)])
        db.close()

    @long_test
    def test_killed_or_without_its_database_it_goes_on(self):
        paths = [self.file(f"many/{n}.log", b"import time: self [us] | cumulative | imported package\n" +
                           b"import time:        %4d |       %4d | mod%d\n" % (n, n, n) * 20) for n in range(40)]
        self.shelve(*paths)
        rng = random.Random(9)
        for turn in range(6):
            with subprocess.Popen([PROGRAM, "copy", "--from", self.data, "--to", self.url], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                time.sleep(rng.uniform(0.1, 0.8))  # the moment of its end is random
                if turn % 3 == 2:
                    self.postgres.stop(signal.SIGQUIT)
                    out, err = process.communicate()
                    self.postgres.start()
                    if process.returncode:
                        said = [line for line in err.decode().splitlines() if not line.startswith("WARNING:  ")]  # libpq's while it connects
                        self.assertEqual((process.returncode, out, len(said)), (1, b"", 1), err)
                else:
                    process.kill()
        self.assertEqual(self.copy(self.data, self.url), [])
        self.assertEqual(self.copy(self.url, self.other, runs=41, files=83), [])
        self.assert_same(self.data, self.other)


if __name__ == "__main__":
    unittest.main()
