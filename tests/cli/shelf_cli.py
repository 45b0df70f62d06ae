# SPDX-License-Identifier: MIT
"""list, show, rm, formats, sql, help: the verbs that read, and the words a run is called by."""
import csv
import io
import json
import os
import re
import unittest

from program import ROOT, ShelfTest, call, call_whole, import_log, kept


class Usage(unittest.TestCase):
    def test_help(self):
        for args in (["--help"], ["-h"], ["help"], ["add", "--help"], ["help", "sql"]):
            done = call(*args)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertIn(b"perfshelf ", done.stdout)

    def test_version(self):
        self.assertRegex(call("--version").stdout.decode(), r"^perfshelf \d+\.\d+\.\d+\n$")

    def test_wrong_usage_is_two_and_one_line(self):
        wrong = [["frob"], ["help", "frob"], ["help", "add", "x"], ["add"], ["show"], ["sql", "@1"], ["list", "x"], ["add", "--frob", "x"], ["rm"],
                 ["add", "x", "--tag", "novalue"], ["sql", "@1", "select 1", "--json", "--csv"], ["serve", "--json"]]
        for args in wrong:
            with self.subTest(args):
                done = call(*args)
                self.assertEqual((done.returncode, done.stdout), (2, b""))
                self.assertEqual(done.stderr.count(b"\n"), 1)
                self.assertRegex(done.stderr, rb"; (usage: perfshelf |.*`perfshelf help)")

    def test_data_from_the_environment(self):
        done = call("list", env={"PATH": os.environ["PATH"]})
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"--data", done.stderr)

    def test_formats(self):
        rows = json.loads(call("formats", "--json").stdout)
        self.assertLessEqual({"importtime", "pstats"}, {row["kind"] for row in rows})
        for row in rows:
            self.assertEqual(list(row), ["kind", "label", "what", "record"])
            self.assertTrue(all(row.values()), row)
        self.assertIn("pstats", call("formats").stdout.decode())

    def test_formats_are_those_of_the_documentation(self):
        listed = {}
        with open(os.path.join(ROOT, "docs/formats.md"), encoding="utf-8") as file:
            for line in file:
                row = re.fullmatch(r"\| ([a-z_-]+) \| .+ \| (`.+) \|\n", line)
                if row:
                    listed.setdefault(row[1], []).extend(re.findall(r"`([^`]+)`", row[2]))
        rows = json.loads(call("formats", "--json").stdout)
        self.assertEqual(set(listed), {row["kind"] for row in rows})
        for row in rows:
            self.assertIn(row["record"], listed[row["kind"]])

    def test_a_full_disk_is_told(self):
        with open("/dev/full", "wb") as full:
            import subprocess
            from program import PROGRAM
            done = subprocess.run([PROGRAM, "--help"], stdout=full, stderr=subprocess.PIPE, timeout=20)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"No space left", done.stderr)


class Reading(ShelfTest):
    def setUp(self):
        super().setUp()
        self.first = self.json("add", self.log, "--name", "start", "--series", "s")
        self.second = self.json("add", self.dump)

    def test_an_empty_shelf_teaches(self):
        self.ok("rm", self.first["id"], self.second["id"])
        self.assertIn("perfshelf add", self.ok("list"))
        self.assertEqual(self.json("list"), [])

    @unittest.skipIf(kept.PLACE, "a folder; a database that is missing is no store")
    def test_a_mistyped_folder_is_no_new_shelf(self):
        self.data = os.path.join(self.folder, "mistyped")
        for args in (["list"], ["show", "@1"], ["rm", "@1"], ["renew"], ["sql", "@1", "SELECT 1"], ["diff", "a", "b"], ["trend", "s"],
                     ["baseline", "@1"], ["export", "@1"], ["prune", "--keep", "1"], ["undelete"], ["token", "list"], ["rebuild"], ["backup", "x"],
                     ["whatif", "@1"], ["check", "@1", "--budget", "headline=1s"]):
            self.assertIn("there is no shelf", self.fails(*args), args)
        self.assertIn("there is no shelf", self.fails("verify", status=2))
        self.assertFalse(os.path.exists(self.data))
        os.mkdir(self.data)
        for args in (["list"], ["rebuild"], ["backup", os.path.join(self.folder, "b")]):
            self.assertIn("there is no shelf", self.fails(*args))
        self.assertEqual(os.listdir(self.data), [])
        done = call_whole("add", self.log, "--data", self.data)
        self.assertEqual((done.returncode, done.stderr), (0, f"perfshelf: {self.data}: note: created a new shelf\n".encode()))
        done = call_whole("add", self.dump, "--data", self.data)
        self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_list(self):
        runs = self.json("list")
        self.assertEqual([run["id"] for run in runs], [self.second["id"], self.first["id"]])
        lines = self.ok("list").splitlines()
        self.assertEqual(len(lines), 3)
        self.assertTrue(lines[1].startswith("@1") and lines[2].startswith("@2"))
        self.assertEqual(lines[0].index("kind"), lines[1].index("pstats"))

    def test_list_of_many(self):
        for i in range(0, 210, 70):
            files = [self.file(f"{i + j}.log", import_log() + b"%d\n" % (i + j)) for j in range(70)]
            self.ok("add", *files)
        self.assertEqual(len(self.json("list")), 212)
        self.assertEqual(len({run["id"] for run in self.json("list")}), 212)

    def test_words_for_a_run(self):
        wanted = {self.first["id"]: ["start", "@2", self.first["id"], self.first["id"][:7]],
                  self.second["id"]: ["@1", self.second["id"][:6]]}
        for run, words in wanted.items():
            for word in words:
                self.assertEqual(self.json("show", word)["id"], run, word)
        for word in ("nobody", "@3", "@0", "@x", "@", "", "zz", "../catalog"):
            self.fails("show", word)

    def test_show(self):
        text = self.ok("show", "start")
        for word in (self.first["id"], "importtime", "ledger", "modules", "sha256"):
            self.assertIn(word, text)
        ledger = self.json("show", "start")["ledger"]
        self.assertEqual(ledger["read"], sum(ledger[k] for k in ("stored", "repaired", "rejected", "other")))

    def test_rm(self):
        self.assertEqual(self.json("rm", "start"), {"id": self.first["id"], "name": "start", "removed": True})
        self.assertEqual([run["id"] for run in self.json("list")], [self.second["id"]])
        left = self.left_over()
        self.assertEqual((len(left["runs"]), len(left["originals"])), (1, 1))
        self.assertFalse(self.json("add", self.log)["already"])

    def test_rm_resolves_every_word_before_it_removes_a_run(self):
        third = self.json("add", self.file("c.log", import_log() + b"c\n"))["id"]
        fourth = self.json("add", self.file("d.log", import_log() + b"d\n"))["id"]
        removed = [json.loads(line)["id"] for line in self.ok("rm", "--json", "@1", "@2").splitlines()]
        self.assertEqual(removed, [fourth, third])
        self.assertEqual([run["id"] for run in self.json("list")], [self.second["id"], self.first["id"]])

    def test_rm_of_the_same_run_twice_removes_one_run(self):
        self.assertEqual(self.json("rm", "@1", self.second["id"], "@1")["id"], self.second["id"])
        self.assertEqual([run["id"] for run in self.json("list")], [self.first["id"]])

    def test_rm_of_an_unknown_run_removes_nothing(self):
        line = self.fails("rm", self.first["id"], "nobody", self.second["id"])
        self.assertIn("nothing deleted: no run nobody on this shelf", line)
        self.assertEqual(len(self.json("list")), 2)

    def test_renew_resolves_every_word_first(self):
        self.assertIn("nothing renewed: no run nobody", self.fails("renew", "@1", "nobody"))
        self.assertEqual(len(self.ok("renew", "--json", "@1", "@1", "@2").splitlines()), 2)


@unittest.skipIf(kept.PLACE, "files of a folder; those of a store: files_http.py")
class Renew(ShelfTest):
    """Run files of another layout: user_version, which SQLite keeps in bytes 60 to 63 of the file."""
    def setUp(self):
        super().setUp()
        self.run_id = self.json("add", self.dump, "--name", "mine", "--series", "s", "--tag", "k=v")["id"]
        self.path = os.path.join(self.data, "runs", self.run_id + ".db")
        self.rows = self.json("sql", "mine", "SELECT * FROM functions")
        self.before = self.json("show", "mine")

    def write_layout(self, version):
        with open(self.path, "r+b") as file:
            file.seek(60)
            file.write(version.to_bytes(4, "big"))

    def assert_as_before(self):
        self.assertEqual(self.json("sql", "mine", "SELECT * FROM functions"), self.rows)
        now = self.json("show", "mine")
        self.assertEqual({key for key in now if now[key] != self.before[key]} - {"db_bytes"}, set())
        left = self.left_over()
        self.assertEqual((len(left["runs"]), len(left["originals"]), left["spool"]), (1, 1, []))

    def test_an_older_file_is_told_and_renewed(self):
        self.write_layout(1)
        line = self.fails("sql", "mine", "SELECT 1")
        self.assertIn(f"written by an older perfshelf; `perfshelf renew {self.run_id}`", line)
        done = self.json("renew")
        self.assertEqual((done["id"], done["name"], done["already"]), (self.run_id, "mine", False))
        self.assert_as_before()
        self.assertEqual(self.ok("renew"), "")

    def test_the_layout_before_is_read_and_renewed(self):
        self.write_layout(3)
        self.assert_as_before()
        self.assertEqual(self.json("renew")["id"], self.run_id)
        self.assert_as_before()
        self.assertEqual(self.ok("renew"), "")

    def test_adding_its_file_renews_it(self):
        self.write_layout(2)
        done = self.json("add", self.dump)
        self.assertEqual((done["id"], done["name"], done["already"]), (self.run_id, "mine", False))
        self.assert_as_before()
        self.assertTrue(self.json("add", self.dump)["already"])

    def test_a_file_that_is_gone_comes_back(self):
        os.unlink(self.path)
        self.assertIn("not on this shelf", self.fails("sql", "mine", "SELECT 1"))
        self.assertFalse(self.json("renew", "mine")["already"])
        self.assert_as_before()

    def test_a_newer_file_stays(self):
        self.write_layout(1 << 20)
        self.assertIn("newer perfshelf", self.fails("sql", "mine", "SELECT 1"))
        self.assertTrue(self.json("renew", "mine")["already"])
        self.assertIn("newer perfshelf", self.fails("sql", "mine", "SELECT 1"))

    def test_without_its_original_it_stays_as_it_is(self):
        self.write_layout(1)
        original, = self.left_over()["originals"]
        os.unlink(os.path.join(self.data, "originals", original + ".gz"))
        self.assertIn("cannot read", self.fails("renew", "mine"))
        self.assertEqual(self.json("show", "mine"), self.before)


class Sql(ShelfTest):
    def setUp(self):
        super().setUp()
        self.run_id = self.json("add", self.dump)["id"]

    def test_json_csv_and_table_agree(self):
        statement = "SELECT name, ncalls, tottime_s FROM functions ORDER BY id"
        rows = self.json("sql", "@1", statement)
        self.assertTrue(any(row["name"] == "fibonacci" and row["ncalls"] > 100 for row in rows))
        table = list(csv.DictReader(io.StringIO(self.ok("sql", "@1", statement, "--csv"))))
        self.assertEqual([(r["name"], float(r["tottime_s"])) for r in table], [(r["name"], r["tottime_s"]) for r in rows])
        text = self.ok("sql", "@1", statement).splitlines()
        self.assertRegex(text[0], r"name +ncalls +tottime_s")
        self.assertTrue(any(re.search(r"\bfibonacci\b", line) for line in text))

    def test_types(self):
        rows = self.json("sql", "@1", "SELECT 1 AS i, 1.0 AS r, NULL AS n, 'a\"\u00e9' AS t, 0.1 + 0.2 AS x, 9007199254740993 AS big")
        self.assertEqual(rows, [{"i": 1, "r": 1.0, "n": None, "t": "a\"\u00e9", "x": 0.1 + 0.2, "big": 9007199254740993}])
        self.assertIsInstance(rows[0]["r"], float)

    def test_views_of_other_formats_are_empty(self):
        for view in ("imports", "lines", "operators", "slices", "kernels", "steps", "flows", "counters", "memory", "measurements"):
            self.assertEqual(self.json("sql", "@1", f"SELECT * FROM {view}"), [], view)

    def test_nothing_can_be_changed(self):
        before = self.json("sql", "@1", "SELECT count(*) AS n FROM functions")
        wrong = ["DELETE FROM function", "DROP VIEW functions", "CREATE TABLE x(a)", "PRAGMA user_version = 9",
                 "INSERT INTO meta VALUES ('a', 'b')", f"ATTACH '{self.folder}/x.db' AS x", "VACUUM", "BEGIN",
                 f"VACUUM INTO '{self.folder}/x.db'", "SELECT 1; SELECT 2", "SELECT load_extension('x')", "",
                 "SELECT writefile('x', 'y')", "SELEC", "SELECT * FROM nowhere"]
        for statement in wrong:
            with self.subTest(statement):
                self.fails("sql", "@1", statement)
        self.assertEqual(self.json("sql", "@1", "SELECT count(*) AS n FROM functions"), before)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "x.db")))

    def test_run_view(self):
        rows = self.json("sql", "@1", "SELECT kind, name, headline_unit FROM run")
        self.assertEqual(rows, [{"kind": "pstats", "name": self.json("show", "@1")["name"], "headline_unit": "s"}])

    def test_headlines_in_bytes_choose_their_unit(self):
        self.ok("add", self.file("mem.austin", b"# austin: 3.7.0\n# mode: memory\n\nP1;T1;a.py:f:1 151257088\n"))
        self.assertRegex(self.ok("list"), r"@1 .* folded +144 MiB ")


if __name__ == "__main__":
    unittest.main()
