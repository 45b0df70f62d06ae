# SPDX-License-Identifier: MIT
"""`undelete`: runs that were removed in the last day."""
import json
import os
import sqlite3
import time
import unittest

from program import DEMO, ROOT, ShelfTest, call, kept


class Undelete(ShelfTest):
    def setUp(self):
        super().setUp()
        self.first = self.json("add", self.log, "--name", "one", "--series", "s", "--tag", "k=v")["id"]
        self.second = self.json("add", os.path.join(DEMO, "events.lprof"), "--source-root", os.path.join(ROOT, "demo", "workloads"))["id"]

    def files(self):
        """What the shelf keeps, also of removed runs."""
        return {folder: kept.keys(self.data, folder, removed=True) for folder in ("runs", "originals", "sources")}

    def listed(self):
        return [row["id"] for row in self.json("undelete")]

    def shown(self):
        return {run["id"]: self.json("show", run["id"]) for run in self.json("list")}

    def test_removed_and_recovered(self):
        self.ok("baseline", "one")
        before, files = self.shown(), self.files()
        self.ok("rm", "one", self.second)
        self.assertEqual((self.json("list"), sorted(self.listed())), ([], sorted([self.first, self.second])))
        self.assertRegex(self.ok("undelete"), rf"(?m)^{self.first}  importtime .* one$")
        self.assertEqual(self.json("undelete", self.first), {"id": self.first, "name": "one", "recovered": True})
        self.assertRegex(self.ok("undelete", self.second[:6]), rf"^{self.second}  restored  ")
        self.assertEqual((self.shown(), self.files(), self.listed()), (before, files, []))
        self.assertEqual(self.ok("verify", "--json").count("\n"), 1)
        self.assertEqual(self.ok("undelete"), "No run was deleted within the last day.\n")
        self.assertIn("no deleted run", self.fails("undelete", self.first))
        self.assertIn("RUN is empty", self.fails("undelete", ""))

    def test_pruned_and_recovered(self):
        self.ok("prune", "--keep", "1")
        self.assertEqual(self.listed(), [self.first])
        self.ok("undelete", "one")
        self.assertEqual({run["id"] for run in self.json("list")}, {self.first, self.second})

    def test_after_a_day_the_files_go(self):
        self.ok("rm", self.first, self.second)
        self.assertEqual(sorted(self.files()["runs"]), sorted([self.first, self.second]))
        with sqlite3.connect(os.path.join(self.data, "catalog.db")) as db:
            db.execute("UPDATE deleted_run SET deleted_at = ?", [int((time.time() - 86401) * 1000)])
        db.close()
        self.assertEqual(self.listed(), [])
        self.assertEqual(self.files(), {"runs": [], "originals": [], "sources": []})
        self.assertEqual([name for name in os.listdir(os.path.join(self.data, "labels")) if name[0] in "0123456789abcdef" and len(name) == 21], [])

    def test_rebuilt_it_can_be_recovered_still(self):
        self.ok("baseline", self.first)
        before = self.shown()
        self.ok("rm", self.first, self.second)
        for lost in (False, True):
            if lost:
                os.unlink(os.path.join(self.data, "catalog.db"))
            self.assertEqual(self.run_verb("rebuild").returncode, 0)
            self.assertEqual((self.json("list"), sorted(self.listed())), ([], sorted([self.first, self.second])))
        self.ok("undelete", self.first, self.second)
        self.assertEqual(self.json("show", "baseline:s")["id"], self.first)
        after = self.shown()
        for run, told in before.items():
            for key in ("name", "series", "tags", "who", "created_at", "headline", "summary"):
                self.assertEqual(after[run][key], told[key], key)
        self.assertEqual(self.ok("verify", "--json").count("\n"), 1)

    def later(self, seconds):
        """What was removed was removed so long ago."""
        with sqlite3.connect(os.path.join(self.data, "catalog.db")) as db:
            db.execute("UPDATE deleted_run SET deleted_at = deleted_at - ?", [seconds * 1000])
        db.close()

    def test_copied_to_where_it_was_removed(self):
        """It is there, whole, and cannot be recovered as well."""
        there, files = os.path.join(self.folder, "there"), self.files()
        call("copy", "--from", self.data, "--to", there)
        self.data, source = there, self.data
        self.ok("rm", self.second)
        done = call("copy", "--from", source, "--to", there, "--update")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual((self.listed(), sorted(self.shown())), ([], sorted([self.first, self.second])))
        self.later(90000)
        self.ok("list")
        self.assertEqual(self.files(), files)
        self.assertEqual(self.ok("verify", "--json").count("\n"), 1)

    def test_a_removal_that_did_not_come_to_its_end(self):
        """The label says so already, the catalog does not; then the catalog is lost. The run is not."""
        self.ok("edit", self.first, "--tag", "x=y")  # then there is one
        label = os.path.join(self.data, "labels", self.first + ".json")
        with open(label, encoding="utf-8") as file:
            said = json.load(file)
        with open(label, "w", encoding="utf-8") as file:
            json.dump(dict(said, deleted_at=1, deleted_by="mei"), file)
        os.unlink(os.path.join(self.data, "catalog.db"))
        self.assertEqual(self.run_verb("rebuild").returncode, 0)
        self.assertEqual(self.listed(), [self.first])
        self.ok("undelete", self.first)
        self.assertEqual(sorted(self.shown()), sorted([self.first, self.second]))

    def test_its_number_was_given_away(self):
        self.ok("add", self.dump, "--name", "another")
        self.ok("rm", self.second)
        with sqlite3.connect(os.path.join(self.data, "catalog.db")) as db:
            db.execute("UPDATE run SET seq = (SELECT seq FROM deleted_run) WHERE name = 'another'")
        db.close()
        self.ok("undelete", self.second)
        self.assertIn(self.second, self.shown())

    def test_a_backup_holds_no_removed_runs(self):
        self.ok("rm", self.second)
        target = os.path.join(self.folder, "backup")
        self.ok("backup", target)
        self.data = target
        self.assertEqual(self.listed(), [])
        self.assertEqual(self.files()["runs"], [self.first])
        *_, total = map(json.loads, self.ok("verify", "--json").splitlines())
        self.assertEqual(total["findings"], 0)


if __name__ == "__main__":
    unittest.main()
