# SPDX-License-Identifier: MIT
"""Real profiles of one program, as it is and with one known change (tests/recorded/changes): the changed row comes first."""
import json
import os
import shutil

from program import ROOT, ShelfTest

RECORDED = os.path.join(ROOT, "tests", "recorded", "changes")
EARLY, LATE = 1_000_000_000, 1_000_000_500


class Changes(ShelfTest):
    def put(self, name, *options):
        return self.json("add", os.path.join(RECORDED, name), *options)["id"]

    def diff(self, pattern, *options, put=None):
        """The answer, the largest change first."""
        base, new = ((put or self.put)(pattern % which) for which in ("base", "new"))
        return json.loads(self.ok("diff", base, new, "--json", *options))

    def with_sources(self, name):
        """A line profile with the sources that it measured, older than itself."""
        which = name.split(".")[0].split("-")[1]
        root = os.path.join(self.folder, which)
        shutil.copytree(os.path.join(RECORDED, which), root)
        os.utime(os.path.join(root, "orders.py"), (EARLY, EARLY))
        profile = shutil.copy(os.path.join(RECORDED, name), self.folder)
        os.utime(profile, (LATE, LATE))
        return self.json("add", profile, "--source-root", root)["id"]

    def test_a_slower_function(self):
        answer = self.diff("functions-%s.prof")
        first, second = answer["rows"][:2]
        self.assertEqual((answer["of"], answer["metric"]), ("functions", "tottime_s"))
        self.assertEqual((first["name"], first["change"]), ("price", None))
        self.assertGreater(first["delta"], 5 * abs(second["delta"]))
        moved = {row["name"] for row in answer["rows"] if row["change"]}  # what follows `price` in the file
        self.assertEqual(moved, {"matching", "<listcomp>", "report", "main"})

    def check_added_line(self, rows):
        first = rows[0]
        self.assertEqual((first["name"].strip(), first["within"], first["change"]), ("last = sorted(names)[-1]", "report", "added"))
        moved = {row["name"].strip(): row["line"] - row["base_line"] for row in rows[1:] if row["base_line"] and row["line"]}
        self.assertEqual({text: by for text, by in moved.items() if by != 1},
                         {text: 2 for text in moved if text.startswith(("rows.append", "return rows"))})
        self.assertEqual([row for row in rows[1:] if row["change"] in ("added", "removed")], [])

    def test_an_added_line(self):
        self.check_added_line(self.diff("lines-%s.lprof", put=self.with_sources)["rows"])

    def test_an_added_line_of_the_printed_report(self):
        self.check_added_line(self.diff("lines-%s.txt")["rows"])

    def test_a_lazy_import(self):
        rows = self.diff("imports-%s.log", "--metric", "cumulative_us")["rows"]
        first = next(row for row in rows if row["change"] == "removed")
        self.assertEqual((first["name"], first["base_by"], first["in_new"]), ("asyncio", "shop.report", 0))
        above = [row["name"] for row in rows[:rows.index(first)]]  # those that imported it lose as much
        self.assertLessEqual(set(above), {"shop", "shop.report"})

    def test_an_extra_operator(self):
        answer = self.diff("trace-%s.json.gz", "--of", "operators")
        first, second = answer["rows"][:2]
        self.assertEqual((answer["of"], answer["metric"], answer["per"]), ("operators", "self_device_us", "step"))
        self.assertEqual((first["name"], first["change"], first["base"], first["new_calls"]), ("aten::linalg_qr", "added", 0, 4))
        self.assertGreater(first["share"], 95)
        self.assertGreater(first["delta"], 50 * abs(second["delta"]))

    def test_its_kernels(self):
        first = self.diff("trace-%s.json.gz", "--of", "kernels")["rows"][0]
        self.assertEqual((first["change"], first["name"][:24]), ("added", "void geqr2_smem_domino_f"))
        self.assertGreater(first["share"], 80)
