# SPDX-License-Identifier: MIT
"""Allocations by stack of Scalene: each number equals a sum over "memory_stacks" in the file, at the terminal, in SQL, in comparisons and for agents."""
import collections
import json
import os
import unittest

from program import ROOT, ShelfTest

GOLDEN = os.path.join(ROOT, "tests", "golden", "scalene")
MIB = 1 << 20


def sample(name):
    return os.path.join(GOLDEN, f"ok_v240_{name}.json")


def profile_of(name):
    with open(sample(name), encoding="utf-8") as file:
        return json.load(file)


def function_of(frame):
    return f"{frame['display_name']} ({frame['filename_or_module']})"


def sums_of(stacks):
    """Self and total bytes of each function. A recursive function counts a stack once."""
    own, total = collections.Counter(), collections.Counter()
    for frames, mib in stacks:
        size = round(mib * MIB)
        own[function_of(frames[-1])] += size
        for name in {function_of(frame) for frame in frames}:
            total[name] += size
    return own, total


class Allocations(ShelfTest):
    def add(self, path):
        return self.json("add", path)["id"]

    def with_stacks(self, stacks, **more):
        """The run of a profile with these memory stacks."""
        profile = {**profile_of("tiles"), "memory_stacks": stacks, **more}
        return self.add(self.file(f"made{len(os.listdir(self.folder))}.json", json.dumps(profile).encode()))

    def test_functions_are_sums_of_the_file(self):
        for names in (("tiles", "tiles_grown"), ("leak", "deep")):
            runs = [self.add(sample(name)) for name in names]
            for k, metric in enumerate(("self", "total")):
                base, new = (sums_of(profile_of(name)["memory_stacks"])[k] for name in names)
                rows = self.json("diff", *runs, "--of", "functions", "--metric", metric)["rows"]
                self.assertEqual({row["name"]: (row["base"] or 0, row["new"] or 0) for row in rows}, {name: (base[name], new[name]) for name in (row["name"] for row in rows)})
                self.assertEqual(len(rows), len({function_of(frame) for name in names for frames, _ in profile_of(name)["memory_stacks"] for frame in frames}))

    def test_nodes_are_the_stacks(self):
        expected = collections.Counter()
        for frames, mib in profile_of("tiles")["memory_stacks"]:
            for depth in range(len(frames)):
                expected[tuple((frame["display_name"], frame["line"]) for frame in frames[:depth + 1])] += round(mib * MIB)
        rows = self.json("sql", self.add(sample("tiles")), "SELECT id, parent_id, frame, total, unit FROM nodes ORDER BY id")
        paths, found = {}, {}
        for row in rows:
            name, _, place = row["frame"].partition(" (")
            paths[row["id"]] = paths.get(row["parent_id"], ()) + ((name, int(place.rstrip(")").rpartition(":")[2])),)
            found[paths[row["id"]]] = row["total"]
            self.assertEqual(row["unit"], "B")
        self.assertEqual(found, expected)

    def test_comparisons_show_bytes_and_keep_the_headline(self):
        base, new = self.add(sample("tiles")), self.add(sample("tiles_grown"))
        self.assertRegex(self.ok("diff", base, new, "--of", "functions"), r"61\.9 MiB +66\.9 MiB +\+5\.01 MiB .* render \(/srv/app/tiles\.py\)")
        self.assertIn("elapsed 4.027 s", self.ok("diff", base, new))

    def test_runs_without_stacks_have_no_table_of_them(self):
        without, with_them = self.add(sample("loops")), self.add(sample("tiles"))
        for runs in ((without, with_them), (with_them, without)):
            self.assertIn("available tables: lines", self.fails("diff", *runs, "--of", "functions"))
        self.assertNotIn("allocated_mib", self.ok("show", without))
        self.assertIn("available tables: lines", self.fails("show", without, "--of", "functions"))

    def test_budgets(self):
        run = self.add(sample("tiles_grown"))
        budget = "functions.render (/srv/app/tiles.py)="
        self.assertIn("within", self.ok("check", run, "--budget", budget + "67MiB"))
        done = self.run_verb("check", run, "--budget", budget + "66MiB")
        self.assertEqual((done.returncode, done.stdout.split()[0]), (1, b"over"))

    def test_a_new_leak_fails_a_check(self):
        leak, base = self.add(sample("leak")), self.add(sample("tiles"))
        done = self.run_verb("check", leak, "--against", base, "--metric", "leaks")
        self.assertEqual((done.returncode, done.stdout.split()[:2]), (1, [b"over", b"leaks"]))
        self.assertIn("within  leaks", self.ok("check", base, "--against", leak, "--metric", "leaks"))

    def test_the_rate_of_a_leak_is_what_the_line_allocates(self):
        """The velocity in the file is the size of one allocation, divided by the time of the run."""
        profile = profile_of("leak")
        line = next(line for file in profile["files"].values() for line in file["lines"] if line["lineno"] == 6)
        self.assertAlmostEqual(line["n_avg_mb"] / profile["elapsed_time_sec"], profile["files"]["/srv/app/mem/leak.py"]["leaks"]["6"]["velocity_mb_s"])
        rate = line["n_malloc_mb"] / profile["elapsed_time_sec"]
        self.assertIn(f"leaks with a likelihood of 97.3 %, at most {rate:.0f} MiB/s.", self.ok("show", self.add(sample("leak"))))

    def test_explore_shows_lines_and_stacks(self):
        run = self.add(sample("tiles"))
        text = self.ok("explore", run, "render")
        self.assertIn("### source lines", text)
        self.assertIn("- allocations of: `render (/srv/app/tiles.py)`", text)
        self.assertIn("| 61.9 MiB | 100.0 % | `cached (/srv/app/tiles.py)` |", text)
        # `cached` has no sample of the CPU, so no line
        self.assertIn("Heaviest stack: `<module> (/srv/app/tiles.py)`", self.ok("explore", run, "cached"))
        self.assertNotIn("allocations of", self.ok("explore", self.add(sample("loops")), "work"))

    def test_stacks_that_scalene_cuts_are_told(self):
        """A frame takes 64 bytes of the 2,048, one of which is the end: after 31 frames there may have been more."""
        for n, is_cut in ((30, False), (31, True)):
            frames = [{"display_name": f"f{i}", "filename_or_module": "/srv/" + "x" * 55, "line": 10 + i} for i in range(n)]
            notes = self.json("sql", self.with_stacks([[frames, 2], [frames[:3], 1]]), "SELECT what FROM note WHERE what LIKE 'memory stacks that may lack%'")
            self.assertEqual([note["what"].split(";")[0] for note in notes], ["memory stacks that may lack their outermost frames: 1, with 2.00 MiB"] * is_cut)

    def test_sizes_beyond_64_bits_are_refused_once(self):
        frame = {"display_name": "f", "filename_or_module": "/srv/app/a.py", "line": 3}
        profile = {**profile_of("tiles"), "memory_stacks": [[[frame], 8e9]] * 3}
        text = self.fails("add", self.file("huge.json", json.dumps(profile).encode()))
        self.assertEqual(len(text.strip().splitlines()), 1)


if __name__ == "__main__":
    unittest.main()
