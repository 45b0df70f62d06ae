# SPDX-License-Identifier: MIT
"""Labels of runs: `edit`, `add --update`, and words that fit several runs."""
import json
import os
import unittest

from program import DEMO, ShelfTest, call


class Edit(ShelfTest):
    def setUp(self):
        super().setUp()
        self.id = self.json("add", self.dump, "--name", "first", "--series", "nightly", "--tag", "branch=main", "--tag", "dirty=1")["id"]

    def run_of(self, word="@1"):
        return self.json("show", word)

    def labels(self):
        run = self.run_of(self.id)
        return run["name"], run["series"], run["tags"]

    def test_what_is_named_changes_and_the_rest_stays(self):
        said = self.ok("edit", "first", "--name", "second", "--tag", "branch=dev", "--tag", "host=a", "--untag", "dirty")
        self.assertEqual(said, f"{self.id}  edited  second  series nightly  branch=dev host=a\n")
        self.assertEqual(self.labels(), ("second", "nightly", {"branch": "dev", "host": "a"}))
        self.ok("edit", self.id, "--series", "")
        self.assertEqual(self.labels(), ("second", "", {"branch": "dev", "host": "a"}))
        self.assertEqual(json.loads(self.ok("edit", "@1", "--series", "s", "--json"))["series"], "s")

    def test_several_runs(self):
        other = self.json("add", self.log)["id"]
        self.assertEqual(len(self.ok("edit", "@1", "@2", "@1", "--tag", "group=a").splitlines()), 2)
        self.assertEqual([self.run_of(run)["tags"].get("group") for run in (self.id, other)], ["a", "a"])
        self.assertIn("nothing edited", self.fails("edit", "@1", "nope", "--tag", "group=b"))
        self.assertEqual(self.run_of(other)["tags"], {"group": "a"})

    def test_what_cannot_be(self):
        self.assertIn("a run needs a name", self.fails("edit", "@1", "--name", ""))
        self.assertIn("control character", self.fails("edit", "@1", "--name", "a\nb"))
        self.assertIn("--name, --series, --note, --tag or --untag", self.fails("edit", "@1", status=2))
        self.assertIn("--untag needs the KEY", self.fails("edit", "@1", "--untag", "", status=2))
        tags = [word for n in range(63) for word in ("--tag", f"k{n}=v")]
        self.assertIn("more than 64 tags", self.fails("edit", "@1", *tags))
        self.assertEqual(self.labels(), ("first", "nightly", {"branch": "main", "dirty": "1"}))
        self.ok("edit", "@1", *tags, "--untag", "dirty")
        self.assertEqual(len(self.labels()[2]), 64)

    def test_add_of_known_bytes_says_that_labels_stay(self):
        done = self.run_verb("add", self.dump, "--name", "other", "--tag", "new=1")
        self.assertEqual((done.returncode, done.stderr.decode()),
                         (0, f"perfshelf: {self.dump}: note: run {self.id} is already on the shelf and keeps its labels; --update replaces them\n"))
        self.assertEqual(self.labels(), ("first", "nightly", {"branch": "main", "dirty": "1"}))
        self.ok("add", self.dump)
        self.ok("add", self.dump, "--name", "first", "--tag", "branch=main")

    def test_add_update_gives_them_new_ones(self):
        self.ok("add", self.dump, "--update", "--name", "other", "--tag", "new=1", "--series", "weekly")
        self.assertEqual(self.labels(), ("other", "weekly", {"branch": "main", "dirty": "1", "new": "1"}))

    def test_add_update_says_the_new_name(self):
        self.assertEqual(self.json("add", self.dump, "--update", "--name", "other")["name"], "other")
        self.assertIn("  third  (", self.ok("add", self.dump, "--update", "--name", "third"))
        self.assertEqual(self.json("add", self.dump)["name"], "third")

    def test_candidates_of_a_word_are_named(self):
        other = self.json("add", self.log, "--name", "first")["id"]
        said = self.fails("show", "first")
        self.assertIn("first matches several runs; use an id: ", said)
        for run, kind in ((self.id, "pstats"), (other, "importtime")):
            self.assertRegex(said, rf"{run} \({kind}, \d\d\d\d-\d\d-\d\d \d\d:\d\d\)")

    def test_candidates_of_a_prefix_are_named(self):
        for name in sorted(os.listdir(DEMO)):
            if name.endswith((".log", ".prof", ".txt", ".lprof")):
                self.run_verb("add", os.path.join(DEMO, name))
        ids = [run["id"] for run in self.json("list")]
        for digit in "0123456789abcdef":
            several = [run for run in ids if run.startswith(digit)]
            if len(several) > 1:
                self.assertIn("no run", self.fails("show", digit))  # two digits at least
        prefixes = {run[:2] for run in ids if sum(other.startswith(run[:2]) for other in ids) > 1}
        for prefix in prefixes:
            said = self.fails("show", prefix)
            self.assertIn("use more digits of the id: ", said)
            for run in ids:
                self.assertEqual(run in said, run.startswith(prefix))


class Version(unittest.TestCase):
    def test_three_spellings(self):
        said = call("--version").stdout
        for word in ("-v", "version"):
            self.assertEqual((call(word).returncode, call(word).stdout), (0, said))


if __name__ == "__main__":
    unittest.main()
