# SPDX-License-Identifier: MIT
"""Several runs shown as one report: medians, how far the runs are apart, and in how many of them a row is."""
import os
import unittest

from program import ShelfTest

HEAD = "import time: self [us] | cumulative | imported package\n"


class Group(ShelfTest):
    def setUp(self):
        super().setUp()
        self.ids = [self.add(f"run {i}", ("app", 5000 + 100 * i), ("json", 300), *([("seldom", 40)] if i == 2 else [])) for i in range(3)]

    def add(self, name, *rows):
        text = HEAD + "".join(f"import time: {us:9} | {us:10} | {module}\n" for module, us in rows)
        return self.json("add", self.file(f"{name}.log", text.encode()), "--name", name, "--series", "group")["id"]

    def test_a_table_for_people(self):
        shown = self.ok("show", ",".join(self.ids))
        lines = [" ".join(line.split()) for line in shown.splitlines()]
        self.assertTrue(lines[0].startswith("group 3 runs: run 0 (run "), lines[0])
        self.assertEqual([line.rpartition(" ")[0].split(" ", 1)[0] for line in lines[1:5]], ["median", "spread", "min", "max"])
        self.assertEqual([" ".join(line.split()[-2:]) for line in lines[1:5]], ["5.400 ms", "100.0 µs", "5.300 ms", "5.540 ms"])
        self.assertIn("5.100 ms 100.0 µs 5.000 ms 5.200 ms 94.4 % 3 app app", lines)
        self.assertIn("0 s 0 s 0 s 40.00 µs 0.0 % 1 seldom seldom", lines)

    def test_series_tags_and_json(self):
        report = self.json("show", "series:group")
        self.assertCountEqual([run["id"] for run in report["new"]], self.ids)
        self.assertEqual((report["base"], report["of"], report["metric"], report["unit"]), ([], "imports", "self_us", "us"))
        self.assertEqual([(row["name"], row["median"], row["mad"], row["in"]) for row in report["rows"]],
                         [("app", 5100, 100, 3), ("json", 300, 0, 3), ("seldom", 0, 0, 1)])
        packages = self.json("show", "series:group", "--of", "packages", "--metric", "inclusive_us")
        self.assertEqual(packages["rows"][0]["median"], 5100)

    def test_a_name_with_a_comma_is_a_run(self):
        self.add("one, two", ("app", 1))
        self.assertEqual(self.json("show", "one, two")["name"], "one, two")
        [new] = self.json("diff", self.ids[0], "one, two")["new"]
        self.assertEqual(new["name"], "one, two")
        self.ok("check", "one, two", "--against", self.ids[0])
        for words in (["one, two"], [self.ids[0], "one, two"]):
            target = os.path.join(self.folder, f"{len(words)}.perfshelf")
            self.assertEqual(len(self.json("export", *words, "-o", target)["runs"]), len(words))

    def test_numbers_of_runs_are_a_group(self):
        self.assertEqual([run["id"] for run in self.json("show", "@2,@1")["new"]], self.ids[1:])

    def test_wrong_questions(self):
        self.assertIn("no run nobody", self.fails("show", f"{self.ids[0]},nobody"))
        self.assertIn("no run has the series none", self.fails("show", "series:none"))
        self.assertIn("no metric 'nope'", self.fails("show", "series:group", "--json", "--sort", "nope"))
        for word in ("@99", "series:group@0"):
            self.assertEqual(self.fails("show", word).count(word), 1)
        self.assertIn("available tables: imports, packages", self.fails("show", "series:group", "--of", "kernels"))
        self.assertIn("importtime", self.fails("show", f"{self.ids[0]},{self.json('add', self.dump)['id']}"))


if __name__ == "__main__":
    unittest.main()
