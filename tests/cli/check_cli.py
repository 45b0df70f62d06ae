# SPDX-License-Identifier: MIT
"""perfshelf check: budgets of names that exist, disappeared or never were, and what is known of a growth."""
import json
import unittest

from program import ShelfTest

HEAD = "import time: self [us] | cumulative | imported package\n"


class CheckTest(ShelfTest):
    def setUp(self):
        super().setUp()
        self.n = 0

    def add(self, rows, series="nightly"):
        """An import log of {module: microseconds}, like no other by its last row."""
        self.n += 1
        text = HEAD + "".join(f"import time: {us:9} | {us:10} | {module}\n" for module, us in {**rows, f"_unique{self.n}": 1}.items())
        return self.json("add", self.file(f"{self.n}.log", text.encode()), *(("--series", series) if series else ()))["id"]

    def check(self, *args, status=0):
        """What is printed, and the same as JSON."""
        done = self.run_verb("check", *args)
        self.assertEqual((done.returncode, done.stderr), (status, b""))
        as_json = self.run_verb("check", *args, "--json")
        self.assertEqual(as_json.returncode, status)
        return done.stdout.decode(), json.loads(as_json.stdout)


class Budgets(CheckTest):
    def test_a_name_that_never_was_is_wrong_usage(self):
        run = self.add({"numpy": 500})
        self.assertIn("no run of this series has nmupy", self.fails("check", run, "--budget", "imports.nmupy=1s", status=2))
        alone = self.add({"numpy": 600}, series="")
        self.assertIn("series has pandas", self.fails("check", alone, "--budget", "imports.pandas=1s", status=2))

    def test_a_name_that_disappeared_is_missing(self):
        old = self.add({"numpy": 500, "app": 10})
        self.add({"app": 20})
        new = self.add({"app": 30})
        text, report = self.check(new, "--budget", "imports.numpy=1s", "--budget", "imports.app=1s")
        self.assertEqual(text.splitlines()[0], f"missing imports.numpy  not in this run  last seen in run {old}")
        self.assertEqual([(row["what"], row["state"]) for row in report["findings"]], [("imports.numpy", "missing"), ("imports.app", "within")])
        self.assertEqual((report["checked"], report["over"], report["missing"]), (2, 0, 1))
        markdown = self.ok("check", new, "--budget", "imports.numpy=1s", "--markdown")
        self.assertIn("0 of 1 over the limit, 1 missing", markdown)
        self.assertIn("| **missing** | imports.numpy |", markdown)

    def test_a_name_of_the_baseline_alone_is_missing(self):
        base, new = self.add({"numpy": 500}, series=""), self.add({"app": 20}, series="")
        text, _ = self.check(new, "--against", base, "--budget", "imports.numpy=1s")
        self.assertTrue(text.startswith("missing imports.numpy  not in this run  present in the baseline\n"), text)

    def test_units_and_tables_are_checked_before_names(self):
        self.add({"numpy": 500})
        for budget, word in (("imports.gone=1GiB", "unit"), ("imports.numpy=1GiB", "unit"), ("headline=1GiB", "unit"),
                             ("importz.numpy=1s", "did you mean imports? Available tables: imports, packages"), ("imports.numpy=1parsec", "invalid value")):
            self.assertIn(word, self.fails("check", "@1", "--budget", budget, status=2))

    def test_json(self):
        run = self.add({"numpy": 500})
        _, report = self.check(run, "--budget", "imports.numpy=100us", status=1)
        self.assertEqual(list(report), ["new", "checked", "over", "missing", "findings"])
        self.assertEqual([run["id"] for run in report["new"]], [run])
        self.assertEqual(report["findings"], [{"what": "imports.numpy", "place": None, "state": "over", "value": 500.0, "limit": 100.0, "base": None,
                                               "unit": "us", "significance": None, "details": ["numpy"]}])
        self.fails("check", run, "--budget", "imports.numpy=1s", "--json", "--markdown", status=2)


class Growth(CheckTest):
    def test_one_run_each_says_that_significance_is_unknown(self):
        base, new = self.add({"app": 94000}), self.add({"app": 292000})
        text, report = self.check(new, "--against", base, "--fail-on", "+10%", status=1)
        self.assertIn("significance unknown", text.splitlines()[0])
        self.assertIn("1 baseline run and 1 new run: the change may be noise; compare at least 5 and 5", text)
        self.assertIn("--against series:nightly@10", text)
        [finding] = report["findings"]
        self.assertEqual((finding["state"], finding["significance"], finding["base"], finding["unit"]), ("over", "unknown", 0.094001, "s"))
        text, _ = self.check(base, "--against", new)
        self.assertRegex(text, r"^within  .*significance unknown\n$")

    def test_the_newest_runs_of_a_series_are_the_baseline(self):
        old = [self.add({"app": us}) for us in (900, 100, 290, 110, 105)]
        new = self.add({"app": 250})
        text, report = self.check(new, "--against", "series:nightly@4", "--fail-on", "+10%")
        self.assertEqual([run["id"] for run in report["base"]], old[1:])
        self.assertIn("not above all baseline runs", text)
        text, _ = self.check(new, "--against", "series:nightly@2", "--fail-on", "+10%", status=1)
        self.assertIn("above all 2 baseline runs; by chance this happens 1 time in 3", text)
        self.assertEqual(len(json.loads(self.ok("check", "@1", "--against", "series:nightly", "--json", "--fail-on", "+900%"))["base"]), 5)
        self.assertEqual([run["id"] for run in self.json("diff", "series:nightly@3", new)["base"]], old[2:])
        self.assertEqual([run["id"] for run in self.json("show", "series:nightly@2")["new"]], [old[4], new])

    def test_a_run_is_not_its_own_baseline(self):
        run = self.add({"app": 100})
        self.assertIn("no other run has the series nightly", self.fails("check", run, "--against", "series:nightly@5"))
        self.assertEqual(len(self.json("diff", "series:nightly", "series:nightly")["base"]), 1)
        self.ok("baseline", run)
        for words in (run, "@1", "baseline:nightly"):
            self.assertIn(f"the baseline {words} is run {run}, the run to check", self.fails("check", run, "--against", words))
        other = self.add({"app": 101})
        self.assertIn("names only the runs to check", self.fails("check", "series:nightly", "--against", "series:nightly"))
        _, report = self.check("@1", "--against", "@1,@2")
        self.assertEqual(([one["id"] for one in report["base"]], [one["id"] for one in report["new"]]), ([run], [other]))

    def test_a_series_may_have_such_a_name(self):
        self.add({"app": 100}, series="v@2")
        new = self.add({"app": 101}, series="v@2")
        self.assertEqual(len(self.json("diff", "series:v@2", "@1")["base"]), 1)
        self.assertEqual(len(self.json("show", "series:v@2")["new"]), 2)
        self.assertEqual([run["id"] for run in self.json("show", "series:v@2@1")["new"]], [new])
        for word in ("series:v@2@0", "series:v@2@-1"):
            self.assertIn("at least one run", self.fails("show", word))
        self.assertIn("no run has the series w", self.fails("show", "series:w@3"))

    def test_enough_runs_tell(self):
        for us in (100, 101, 102, 103, 104):
            self.add({"app": us}, series="before")
            self.add({"app": us + 50}, series="after")
        text, report = self.check("series:after", "--against", "series:before", status=1)
        self.assertRegex(text.splitlines()[0], r"^over .*significant$")
        self.assertEqual(report["findings"][0]["significance"], "significant")


if __name__ == "__main__":
    unittest.main()
