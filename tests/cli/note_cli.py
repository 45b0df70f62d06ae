# SPDX-License-Identifier: MIT
"""Notes of runs: written, shown, copied, rebuilt, left out of what is redacted; shelves from before there were any."""
import base64
import gzip
import json
import os
import re
import sqlite3
import subprocess
import sys
import unittest

from program import DEMO, ShelfTest, call, call_as_nobody

NOTE = "after the cache was warmed,\nlaptop on battery <b>100 % \u2603</b> & \"so\" 'on' \\n"
SECRET = b"kwyjibo"

# As catalogs were before notes.
BEFORE = """
DROP VIEW run_words;
CREATE VIEW run_words(id, seq, text) AS
    SELECT id, seq, name || ' ' || series || ' ' || kind || ' ' || who || coalesce((SELECT ' ' || group_concat(k || '=' || v, ' ') FROM tag WHERE run = r.id), '')
    FROM run r;
ALTER TABLE run DROP COLUMN note;
ALTER TABLE upload DROP COLUMN note;
ALTER TABLE deleted_run DROP COLUMN note;
DROP TABLE row_digest;
PRAGMA user_version = 0;
"""


class NoteTest(ShelfTest):
    def added(self, *more):
        return self.json("add", self.dump, "--name", "fib", "--tag", "k=v", *more)["id"]

    def note(self, word="fib", data=None):
        return json.loads(call("show", word, "--json", "--data", data or self.data).stdout)["note"]

    def assert_whole(self, data=None):
        done = call("verify", "--data", data or self.data)
        self.assertEqual((done.returncode, done.stderr), (0, b""), done.stdout)

    def change(self, sql, data=None):
        db = sqlite3.connect(os.path.join(data or self.data, "catalog.db"))
        db.executescript(sql)
        db.close()

    def label_of(self, run):
        with open(os.path.join(self.data, "labels", run + ".json"), encoding="utf-8") as file:
            return json.load(file)


class Written(NoteTest):
    def test_with_add_and_edit(self):
        run = self.added("--note", NOTE)
        self.assertEqual(self.note(), NOTE)
        self.assertEqual([row["note"] for row in self.json("list")], [NOTE])
        shown = self.ok("show", "fib")
        self.assertIn("\n\nNote\n  after the cache was warmed,\n  laptop on battery <b>100 % \u2603</b> & \"so\" 'on' \\n\n\n", shown)
        self.assertNotIn("battery", self.ok("list"))
        self.assertEqual(self.ok("edit", "fib", "--name", "fib"), f"{run}  edited  fib  with a note  k=v\n")
        self.assertEqual(self.note(), NOTE, "what is not named stays")
        self.assertEqual(json.loads(self.ok("edit", "fib", "--note", "other", "--json"))["note"], "other")
        self.assertEqual(self.ok("edit", "fib", "--note", ""), f"{run}  edited  fib  k=v\n")
        self.assertEqual(self.note(), "")
        self.assertNotIn("Note", self.ok("show", "fib"))
        self.assertNotIn("note", self.label_of(run))
        self.assert_whole()

    def test_bytes_that_are_on_the_shelf(self):
        run = self.added("--note", "first")
        done = self.run_verb("add", self.dump, "--note", "second")
        self.assertIn(f"run {run} is already on the shelf and keeps its labels", done.stderr.decode())
        self.assertEqual(self.note(), "first")
        self.ok("add", self.dump, "--note", "second", "--update")
        self.assertEqual(self.note(), "second")
        self.ok("add", self.dump, "--note", "second")

    def test_with_record(self):
        script = self.file("a.py", b"sum(range(9))\n")
        self.ok("record", "cprofile", "--note", NOTE, "--name", "recorded", "--", sys.executable, script)
        self.assertEqual(self.note("recorded"), NOTE)
        touched = os.path.join(self.folder, "touched")
        script = self.file("b.py", f"open({touched!r}, 'w')\n".encode())
        self.assertIn("control character", self.fails("record", "cprofile", "--note", "\x1b[2J", "--", sys.executable, script, status=2))
        self.assertFalse(os.path.exists(touched), "it is refused before the program runs")

    def test_what_cannot_be(self):
        self.added("--note", "as it was")
        for note in ("a\x07b", "\x1b[31mred", "a\tb", "\x7f"):
            self.assertIn("the note contains a control character other than a line break", self.fails("edit", "fib", "--note", note, status=2))
        for note in ("\u00e4" * 4001, "x\n" * 2001):
            self.assertRegex(self.fails("edit", "fib", "--note", note, status=2), r"the note has 400\d characters, more than 4000")
        for note in (b"\xff", b"\xed\xa0\x80", b"\xc0\x80", b"a\xe2\x98"):
            self.assertIn("the note is not UTF-8", self.fails("edit", "fib", "--note", note, status=2))
        self.assertIn("--note", self.fails("edit", "fib", status=2))
        self.assertIn("not UTF-8", self.fails("add", self.log, "--note", b"\xff", status=2))
        self.assertEqual((self.note(), len(self.json("list"))), ("as it was", 1))
        longest = "\U0001f642" * 3999 + "\n"
        self.ok("edit", "fib", "--note", longest)
        self.assertEqual(self.note(), longest)

    def test_line_breaks_of_any_kind(self):
        self.added("--note", "\na\r\nb\rc\n\nd\n")
        self.assertEqual(self.note(), "\na\nb\nc\n\nd\n")
        self.assertIn("\nNote\n\n  a\n  b\n  c\n\n  d\n\n", self.ok("show", "fib"))
        self.ok("add", self.dump, "--note", "\na\r\nb\rc\n\nd\n")  # says nothing: it is the same

    def test_an_archive(self):
        archive = os.path.join(self.folder, "a.tar")
        subprocess.run(["tar", "-C", self.folder, "-cf", archive, "fib.prof", "imports.log"], check=True)
        self.ok("add", archive, "--note", NOTE)
        self.assertEqual([row["note"] for row in self.json("list")], [NOTE, NOTE])


class Kept(NoteTest):
    """Wherever a run goes, its note goes with it."""
    def test_rebuilt_from_labels(self):
        run = self.added("--note", NOTE)
        self.json("add", self.log, "--name", "later")
        self.ok("edit", "later", "--note", "second")
        self.assertEqual(self.label_of(run)["note"], NOTE)
        for lost in (False, True):
            if lost:
                os.unlink(os.path.join(self.data, "catalog.db"))
            self.assertEqual(self.run_verb("rebuild").returncode, 0)
            self.assertEqual((self.note(), self.note("later")), (NOTE, "second"))
            self.assert_whole()
        self.assertEqual(self.json("sql", "fib", "SELECT name FROM run"), [{"name": "fib"}])

    def test_a_note_that_differs_is_a_finding(self):
        run = self.added("--note", NOTE)
        self.change("UPDATE run SET note = 'forged'")
        done = self.run_verb("verify")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout.decode(), rf"the row of run {run} differs from its run file or label file in: label")
        self.change("DELETE FROM kept WHERE folder = 'labels'")
        self.assertRegex(self.run_verb("verify").stdout.decode(), rf"the row of run {run} differs from .*: note")

    def test_removed_and_recovered(self):
        run = self.added("--note", NOTE)
        self.ok("rm", run)
        self.assertEqual(self.run_verb("rebuild").returncode, 0)
        self.ok("undelete", run)
        self.assertEqual(self.note(), NOTE)
        self.assert_whole()

    def test_renewed(self):
        run = self.added("--note", NOTE)
        os.unlink(os.path.join(self.data, "runs", run + ".db"))
        self.ok("renew", run)
        self.assertEqual(self.note(), NOTE)
        self.assert_whole()

    def test_backed_up_and_copied(self):
        run = self.added("--note", NOTE)
        backup, copy = (os.path.join(self.folder, name) for name in ("backup", "copy"))
        self.ok("backup", backup)
        self.assertEqual(call("copy", "--from", self.data, "--to", copy).returncode, 0)
        for data in (backup, copy):
            self.assertEqual(self.note(run, data), NOTE)
            self.assert_whole(data)
        self.ok("edit", run, "--note", "second")
        done = call("copy", "--from", self.data, "--to", copy)
        self.assertEqual((done.returncode, self.note(run, copy)), (1, NOTE))
        self.assertIn(b"note", done.stdout)
        done = call("copy", "--from", self.data, "--to", copy, "--update")
        self.assertEqual((done.returncode, self.note(run, copy)), (0, "second"), done.stderr)
        self.assertIn(b"it had the note", done.stdout)
        self.assertIn(run.encode(), done.stdout)
        self.assertEqual(len(done.stdout.splitlines()), 2, "a line each, whatever the note holds")
        self.assert_whole(copy)

    def test_a_bundle(self):
        run = self.added("--note", NOTE)
        bundle, other = (os.path.join(self.folder, name) for name in ("x.perfshelf", "other"))
        self.ok("export", run, "-o", bundle)
        self.assertEqual(call("add", bundle, "--data", other).returncode, 0)
        self.assertEqual(self.note(run, other), NOTE)
        again = os.path.join(self.folder, "again")
        self.assertEqual(call("add", bundle, "--note", "mine", "--data", again).returncode, 0)
        self.assertEqual(self.note(run, again), "mine")

    def test_a_bundle_with_a_note_that_nobody_can_write(self):
        run = self.added("--note", "kwyjibo")
        bundle, folder = (os.path.join(self.folder, name) for name in ("x.perfshelf", "members"))
        self.ok("export", run, "-o", bundle)
        os.mkdir(folder)
        subprocess.run(["tar", "--zstd", "-xf", bundle, "-C", folder], check=True)
        about = os.path.join(folder, "bundle.json")
        with open(about, encoding="utf-8") as file:
            good = file.read()
        for wrong in ("a\\u0007b", "\\u001b[2J", "x" * 4001):
            with open(about, "w", encoding="utf-8") as file:
                file.write(good.replace("kwyjibo", wrong))
            forged = os.path.join(self.folder, "forged.perfshelf")
            subprocess.run(["tar", "--zstd", "-cf", forged, "-C", folder, "bundle.json", "0"], check=True)
            done = call("add", forged, "--data", os.path.join(self.folder, "other"))
            self.assertEqual(done.returncode, 1)
            self.assertIn(b"bundle.json has invalid values for run 0", done.stderr)


class Redacted(NoteTest):
    def page(self, run, *more):
        """All that a page holds."""
        path = os.path.join(self.folder, "x.html")
        self.ok("export", run, "--html", "--force", "-o", path, *more)
        with open(path, "rb") as file:
            page = file.read()
        packed = re.findall(rb'<script type="application/gzip;base64"[^>]*>([^<]*)<', page)
        return page + b"".join(gzip.decompress(base64.b64decode(text)) for text in packed)

    def bundle(self, run, *more):
        path = os.path.join(self.folder, "x.perfshelf")
        self.ok("export", run, "--force", "-o", path, *more)
        return subprocess.run(["tar", "--zstd", "-xOf", path], check=True, capture_output=True).stdout

    def test_whatever_is_redacted_the_note_is_left_out(self):
        run = self.added("--note", "kwyjibo was here")
        self.assertIn(SECRET, self.page(run))
        self.assertIn(SECRET, self.bundle(run))
        for words in ("all", "labels", "paths", "people,hosts", "source"):
            self.assertNotIn(SECRET, self.page(run, "--redact", words), words)
            self.assertNotIn(SECRET, self.bundle(run, "--redact", words), words)
        self.assertIn("kwyjibo was here", self.ok("export", run, "--preview"))

    def test_a_note_that_was_removed_is_in_no_file(self):
        run = self.added("--note", "kwyjibo was here")
        self.ok("edit", run, "--note", "")
        self.assertNotIn(SECRET, self.page(run))
        self.assertNotIn(SECRET, self.bundle(run))


class Before(NoteTest):
    """A shelf of the layout before."""
    def setUp(self):
        super().setUp()
        self.run_id = self.added()
        self.json("add", self.log, "--name", "second")
        self.removed = self.json("add", os.path.join(DEMO, "awscli.log"), "--name", "third")["id"]
        self.ok("edit", "second", "--series", "s\u00fc\"\\")
        self.ok("rm", "third")
        self.change(BEFORE)

    def test_it_gets_notes(self):
        self.assert_whole()
        self.assertEqual([row["note"] for row in self.json("list")], ["", ""])
        self.ok("edit", "fib", "--note", NOTE)
        self.ok("undelete", "third")
        self.assertEqual((self.note(), self.note("second"), self.note("third")), (NOTE, "", ""))
        with sqlite3.connect(os.path.join(self.data, "catalog.db")) as db:
            self.assertEqual(db.execute("SELECT count(*) FROM run_text WHERE text LIKE '%on battery%'").fetchone(), (1,))
        db.close()
        self.assert_whole()

    def test_it_is_rebuilt(self):
        order = [row["id"] for row in self.json("list")]
        self.change(BEFORE)
        self.assertEqual(self.run_verb("rebuild").returncode, 0)
        self.assertEqual([row["id"] for row in self.json("list")], order)
        self.ok("undelete", "third")
        self.assert_whole()

    @unittest.skipUnless(os.geteuid() == 0, "needs root, to be somebody else")
    def test_it_is_read_where_nobody_may_write(self):
        os.chmod(self.folder, 0o755)
        given = os.path.join(self.folder, "given")
        os.mkdir(given)
        os.chmod(given, 0o777)
        def ask(*args):
            done = call_as_nobody(*args)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout
        self.assertEqual([row["note"] for row in json.loads(ask("list", "--json", "--data", self.data))], ["", ""])
        self.assertIn(b"fib", ask("show", "fib", "--data", self.data))
        ask("verify", "--data", self.data)
        ask("export", "fib", "-o", os.path.join(given, "x.perfshelf"), "--data", self.data)
        ask("export", "fib", "--redact", "all", "-o", os.path.join(given, "y.perfshelf"), "--data", self.data)
        for verb in (("backup", "--data", self.data, os.path.join(given, "backup")), ("copy", "--from", self.data, "--to", os.path.join(given, "copy"))):
            ask(*verb)
            self.assertEqual(self.note("fib", os.path.join(given, verb[0])), "")
            self.assert_whole(os.path.join(given, verb[0]))
        with sqlite3.connect(os.path.join(self.data, "catalog.db")) as db:
            self.assertNotIn("note", [row[1] for row in db.execute("PRAGMA table_info(run)")])
        db.close()


if __name__ == "__main__":
    unittest.main()
