# SPDX-License-Identifier: MIT
"""Steps of one's own: ranges of a name are the steps in show, diff, check, trend and the tools of agents."""
import json
import unittest

from mcp_cli import Agent, table_of


def event(name, cat, ts, dur, **args):
    return {"ph": "X", "cat": cat, "name": name, "pid": 100, "tid": 1, "ts": ts, "dur": dur, "args": args}


def trace(n, work, name="epoch", marked=False, seed=0):
    """n passes of 20 ms; each has one aten::mul of `work` us and one aten::add of 1 ms. With marks, each is two of profiler.step()."""
    events = []
    for i in range(n):
        start = 20_000 * i
        events += [event(f"{name} {i}", "user_annotation", start, 19_000), event("aten::mul", "cpu_op", start + 2_000, work),
                   event("aten::add", "cpu_op", start + 17_000, 1_000)]
        if marked:
            events += [event(f"ProfilerStep#{2 * i + half}", "user_annotation", start + 1_000 + 9_000 * half, 9_000) for half in range(2)]
    events.append(event("aten::tail", "cpu_op", 20_000 * n + 500, 1_000 + seed))  # after the last pass
    return {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "A"}], "traceEvents": events}


class ChosenSteps(Agent):
    def add(self, content, *words):
        return self.json("add", self.file("made.json", json.dumps(content).encode()), *words)["id"]

    def rows(self, base, new, *words):
        report = self.json("diff", base, new, "--of", "operators", "--metric", "self_cpu_us", *words)
        return report["per"], {row["name"]: (row["base"] and round(row["base"], 6), row["new"] and round(row["new"], 6)) for row in report["rows"]}

    def test_a_comparison_is_per_chosen_step_on_both_sides(self):
        base, new = self.add(trace(4, 9_000)), self.add(trace(7, 12_000))
        self.assertEqual(self.rows(base, new)[0], "run")
        per, rows = self.rows(base, new, "--step", "epoch")
        self.assertEqual((per, rows["aten::mul"], rows["aten::add"]), ("step", (9_000, 12_000), (1_000, 1_000)))
        self.assertNotIn("aten::tail", rows)
        headline = self.json("diff", base, new, "--step", "epoch")["headline"]
        self.assertEqual((headline["label"], headline["unit"]), ("mean step", "s"))
        self.assertAlmostEqual(headline["base"]["median"], (3 * 0.02 + 0.019) / 4)  # the last pass ends with its range
        self.assertEqual(rows["epoch"], (9_000, 6_000))  # one row, however many steps there are
        self.assertFalse([name for name in rows if name.startswith("epoch ")])
        self.assertIn("mean step 19.75 ms", self.ok("diff", base, new, "--step", "epoch"))
        answer = self.data_of("compare", base=base, new=new, step="epoch", table="operators", metric="self_cpu_us")
        [row] = [row for row in table_of(answer, "operators by self_cpu_us per step")["rows"] if "aten::mul" in json.dumps(row)]
        self.assertEqual(row[:2], [9_000, 12_000])

    def test_a_chosen_step_is_used_in_place_of_the_marked_ones(self):
        base, new = self.add(trace(4, 9_000, marked=True)), self.add(trace(4, 12_000, marked=True))
        self.assertEqual(self.rows(base, new)[1]["aten::mul"], (4_500, 6_000))
        self.assertEqual(self.rows(base, new, "--step", "epoch")[1]["aten::mul"], (9_000, 12_000))
        self.assertEqual(self.rows(base, new)[1]["aten::mul"], (4_500, 6_000))

    def test_the_outer_of_two_equal_ranges_may_be_the_step(self):
        made = trace(4, 9_000)
        made["traceEvents"] += [event(f"inner {i}", "user_annotation", 20_000 * i, 19_000) for i in range(4)]
        text = self.ok("show", self.add(made))
        self.assertIn("--step 'epoch'", text)
        self.assertNotIn("--step 'inner'", text)

    def test_a_side_without_the_range_is_named(self):
        base, new = self.add(trace(4, 9_000)), self.add(trace(4, 9_000, name="round", seed=1))
        said = self.fails("diff", base, new, "--step", "epoch")
        self.assertIn(f"run {new} has no annotation or NVTX range with the name epoch; `perfshelf show {new}` lists", said)
        self.assertIn(f"run {new} has no annotation", self.failure("compare", base=base, new=new, step="epoch"))
        self.assertIn(f"run {new} has no annotation", self.fails("check", new, "--against", base, "--step", "epoch", status=2))
        imports = self.json("add", self.file("i.log", b"import time: self [us] | cumulative | imported package\nimport time: 5 | 5 | a\n"))["id"]
        self.assertIn("traces of PyTorch and Nsight Systems only", self.fails("diff", imports, imports, "--step", "epoch"))

    def test_check_judges_the_mean_of_the_chosen_steps(self):
        few, many = self.add(trace(4, 9_000)), self.add(trace(9, 9_000))
        self.assertTrue(self.run_verb("check", many, "--against", few).returncode)  # the whole trace is longer
        said = self.ok("check", many, "--against", few, "--step", "epoch", "--budget", "headline=20ms")
        self.assertIn("within  mean step", said)
        self.assertIn("Passed: 0 of 2 over the limit.", self.text("check", run=many, against=few, step="epoch", budgets=["headline=20ms"]))

    def test_a_trend_follows_the_mean_of_the_chosen_steps(self):
        for i, n in enumerate((4, 9)):
            self.add(trace(n, 9_000 + i), "--series", "nightly")
        self.add(trace(3, 9_000, name="round"), "--series", "nightly")
        found = self.json("trend", "nightly", "--step", "epoch")
        self.assertEqual([round(point["value"], 7) for point in found["points"]], [round((20 * (n - 1) + 19) / n / 1000, 7) for n in (4, 9)])
        self.assertEqual((found["title"], found["unit"], found["left_out"]), ("mean step", "s", [{"why": "without a range named epoch", "runs": 1}]))
        self.assertIn("mean step", self.text("trend", series="nightly", step="epoch"))
        self.assertIn("can be chosen for the headline", self.fails("trend", "nightly", "--step", "epoch", "--metric", "events"))

    def test_rows_of_a_trend_are_of_the_mean_chosen_step(self):
        for n, work in ((4, 9_000), (9, 12_000)):
            self.add(trace(n, work), "--series", "nightly")
        self.add(trace(3, 9_000, name="round"), "--series", "nightly")
        words = ("trend", "nightly", "--of", "operators", "--metric", "self_cpu_us")
        values = [[point["value"] for point in self.json(*words, "--row", "aten::mul", *step)["points"]] for step in ((), ("--step", "epoch"), ())]
        self.assertEqual(values, [[36_000, 108_000, 27_000], [9_000, 12_000], [36_000, 108_000, 27_000]])
        found = self.json(*words, "--row", "aten::mul", "--step", "epoch")
        self.assertEqual((found["step"], found["left_out"]), ("epoch", [{"why": "without a range named epoch", "runs": 1}]))
        rows = self.json(*words, "--step", "epoch")
        self.assertEqual((rows["step"], rows["left_out"]), (found["step"], found["left_out"]))
        self.assertEqual({row["name"]: (row["first"], row["last"]) for row in rows["rows"]},
                         {"aten::mul": (9_000, 12_000), "aten::add": (1_000, 1_000), "epoch": (9_000, 6_000)})
        for row in ({}, {"row": "aten::mul"}):
            said = self.text("trend", series="nightly", step="epoch", table="operators", metric="self_cpu_us", **row)
            self.assertIn("- values are means of the steps: `epoch`", said)
        for table in ("memory", "step_parts"):
            self.assertIn(f"table {table} has no values of chosen steps", self.fails("trend", "nightly", "--step", "epoch", "--of", table))


if __name__ == "__main__":
    unittest.main()
