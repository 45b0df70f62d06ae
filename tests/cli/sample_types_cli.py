# SPDX-License-Identifier: MIT
"""Sample types of pprof on the command line: show, diff and the tools of agents name them, and take one."""
import os
import sys
import unittest

from program import ROOT, ShelfTest

sys.path.insert(0, os.path.join(ROOT, "tests", "golden"))
import make_pprof  # noqa: E402

MIB = 1 << 20
TYPES = [("objects", "count"), ("space", "bytes"), ("idle", "nanoseconds")]


class SampleTypes(ShelfTest):
    def add(self, name, types, samples):
        path = self.file(name, make_pprof.Profile(types, samples, default=types[0][0]).bytes())
        return self.json("add", path)["id"]

    def heap(self, name="before.pb", cache=5 * MIB):
        return self.add(name, TYPES, [(["main", "cache"], [10, cache, 0]), (["main", "read"], [400, 2 * MIB, 0])])

    def test_show_names_the_type_and_the_others(self):
        run = self.heap()
        text = self.ok("show", run)
        self.assertRegex(text, r"(?m)^sample type +objects 410$")
        self.assertRegex(text, r"(?m)^other sample types +space 7\.00 MiB, 1 other without values$")
        self.assertRegex(text, r"(?m)^400 .* read \(app\.py\)$")
        text = self.ok("show", run, "--sample-type", "space")
        self.assertRegex(text, r"(?m)^sample type +space 7\.00 MiB$")
        self.assertRegex(text, r"(?m)^5\.00 MiB .* cache \(app\.py\)$")
        markdown = self.ok("show", run, "--sample-type", "space", "--markdown")
        self.assertIn("sample type: `space` 7.00 MiB", markdown)
        self.assertIn("5.00 MiB", markdown)
        self.assertIn("it has objects, space, idle", self.fails("show", run, "--sample-type", "gone"))

    def test_diff_compares_one_type(self):
        base, new = self.heap(), self.heap("after.pb", 21 * MIB)
        text = self.ok("diff", base, new, "--sample-type", "space")
        self.assertRegex(text, r"(?m)^sample type +space$")
        self.assertIn("7.00 MiB → 23.0 MiB, +16.0 MiB", text)
        self.assertRegex(self.ok("diff", base, new), r"(?m)^sample type +objects$")
        other = self.add("cpu.pb", [("cpu", "nanoseconds")], [(["main"], [5])])
        self.assertIn("has no sample type cpu", self.fails("diff", base, other, "--sample-type", "cpu"))

    def test_runs_without_sample_types_refuse_the_option(self):
        run = self.json("add", self.file("stacks.txt", b"main;work 3\n"))["id"]
        self.assertIn("no sample types", self.fails("show", run, "--sample-type", "cpu"))


if __name__ == "__main__":
    unittest.main()
