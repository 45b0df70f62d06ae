# SPDX-License-Identifier: MIT
"""Trends and baselines on the command line."""
import os
import unittest

from program import ShelfTest, kept

HEAD = "import time: self [us] | cumulative | imported package\n"


class Trend(ShelfTest):
    def setUp(self):
        super().setUp()
        for i in range(14):
            us = 2000 + i * 7 % 17 + (600 if i >= 7 else 0)
            log = self.file(f"n{i:02}.log", f"{HEAD}import time: {us:9} | {us:10} | app\n".encode())
            self.ok("add", log, "--series", "nightly", "--tag", f"commit=c{i // 2}")

    def test_a_step_is_told(self):
        trend = self.json("trend", "nightly")
        self.assertEqual([change["index"] for change in trend["changes"]], [7])
        said = self.ok("trend", "nightly").splitlines()
        self.assertEqual([line.split() for line in said[:3]], [["runs", "series:nightly"], ["metric", "import"], ["points", "14"]])
        self.assertTrue(set(said[4]) <= set("▁▂▃▄▅▆▇█") and len(said[4]) == 14)
        [step] = [line for line in said[:said.index("Points, newest first")] if "n07.log" in line]
        self.assertRegex(step, r"2\.0\d\d ms +2\.6\d\d ms +\+\d+(\.\d+)? µs +\+30\.\d % .* n07\.log +[0-9a-f]{16}$")
        self.assertEqual(self.ok("trend", "nightly", "--markdown").count("n07.log"), 2)

    def test_rows_and_repeats(self):
        trend = self.json("trend", "nightly", "--of", "imports", "--row", "app", "--metric", "cumulative_us", "--by", "commit")
        self.assertEqual([(point["by"], point["n"]) for point in trend["points"]], [(f"c{i}", 2) for i in range(7)])
        self.assertEqual(trend["unit"], "us")
        self.assertIn("imports", self.fails("trend", "nightly", "--of", "imports", "--row", "none"))
        self.fails("trend", "none")

    @unittest.skipIf(kept.PLACE, "files of a folder")
    def test_a_run_of_an_older_layout_is_left_out(self):
        """Also where the unit of the row is that of the newest run which has it."""
        text = "0.40user 0.10system 0:00.60elapsed 83%CPU (0avgtext+0avgdata {}maxresident)k\n8inputs+16outputs (2major+98minor)pagefaults 0swaps\n"
        runs = [self.json("add", self.file(f"m{i}.txt", text.format(size).encode()), "--series", "rss")["id"] for i, size in enumerate((4000, 4100, 4200))]
        with open(os.path.join(self.data, "runs", runs[-1] + ".db"), "r+b") as file:
            file.seek(60)  # PRAGMA user_version
            file.write((1).to_bytes(4, "big"))
        trend = self.json("trend", "rss", "--of", "measurements", "--row", "max RSS")
        self.assertEqual([point["value"] for point in trend["points"]], [4000, 4100])
        self.assertEqual((trend["place"], trend["left_out"]), ("KiB", [{"why": "written by another version of perfshelf", "runs": 1}]))

    def test_rows_by_change(self):
        said = self.ok("trend", "nightly", "--of", "imports").splitlines()
        self.assertIn("All rows: 2.000 ms to 2.606 ms, +606.0 µs (+30.3 %).", said)
        self.assertRegex(said[-1], r"^ *2\.000 ms +2\.606 ms +\+606\.0 µs +\+30\.3 % +n07\.log +app$")
        self.assertIn("no table", self.fails("trend", "nightly", "--of", "none"))

    def test_a_baseline(self):
        self.assertIn("has no baseline", self.fails("show", "baseline:nightly"))
        self.assertIn("baseline of nightly", self.ok("baseline", "n02.log"))
        self.assertEqual(self.json("show", "baseline:nightly")["name"], "n02.log")
        self.assertIn("n02.log (baseline)", self.ok("trend", "nightly"))
        self.assertIn("of the baseline", self.ok("trend", "nightly", "--markdown"))
        self.assertEqual(self.json("diff", "baseline:nightly", "@1")["base"][0]["name"], "n02.log")
        self.ok("check", "n03.log", "--against", "baseline:nightly", "--fail-on", "+10%")
        self.assertEqual(self.run_verb("check", "@1", "--against", "baseline:nightly", "--fail-on", "+10%").returncode, 1)
        self.ok("baseline", "--clear", "nightly")
        self.fails("baseline", "--clear", "nightly")
        self.fails("baseline", status=2)
        self.fails("baseline", "@1", "--clear", "nightly", status=2)
