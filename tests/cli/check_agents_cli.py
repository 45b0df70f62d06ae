# SPDX-License-Identifier: MIT
"""`perfshelf check` and the tool check of agents give the same verdicts in the same words, for each kind of limit."""
import json
import marshal
import unittest

from benchmark_cli import pytest_benchmark
from mcp_cli import Agent, table_of

HEAD = "import time: self [us] | cumulative | imported package\n"


def import_log(rows):
    return HEAD + "".join(f"import time: {us:9} | {us:10} | {module}\n" for module, us in rows.items())


def memory_curve(peak):
    return "CMDLINE python app.py\n" + "".join(f"MEM {mib:.6f} {1700000000 + i / 10:.4f}\n" for i, mib in enumerate((20, peak, 30)))


def stacks(n):
    return f"main;work {n}\nmain;rest 40\n"


def dump(seconds):
    """A cProfile dump of two functions; all their times may be 0."""
    return marshal.dumps({("app.py", 1, "main"): (1, 1, seconds / 2, seconds, {}),
                          ("app.py", 5, "work"): (9, 9, seconds / 2, seconds / 2, {("app.py", 1, "main"): (9, 9, seconds / 2, seconds / 2)})})


class Check(Agent):
    def setUp(self):
        super().setUp()
        self.n = 0

    def add(self, content, series=None):
        self.n += 1
        if isinstance(content, dict):
            content = json.dumps(content)
        if isinstance(content, str):
            content = content.encode()
        return self.json("add", self.file(f"{self.n}.data", content), *(("--series", series) if series else ()))["id"]

    def both(self, run, against=None, budgets=(), fail_on=None, metric=None, status=0):
        """The lines of the command, after a comparison with the answer of the tool."""
        words = [word for budget in budgets for word in ("--budget", budget)]
        arguments = {"run": run, "budgets": list(budgets)}
        for option, key, value in (("--against", "against", against), ("--fail-on", "fail_on", fail_on), ("--metric", "metric", metric)):
            if value:
                words += [option, value]
                arguments[key] = value
        done = self.run_verb("check", run, *words)
        self.assertEqual((done.returncode, done.stderr), (status, b""))
        lines = done.stdout.decode().splitlines()
        findings = json.loads(self.run_verb("check", run, *words, "--json").stdout)["findings"]
        answer = self.data_of("check", max_rows=100, max_bytes=100000, **arguments)
        rows = table_of(answer, "checks")["rows"]
        number = lambda cell: cell["value"] if isinstance(cell, dict) else cell
        self.assertEqual([(row[0], number(row[1]), number(row[2])) for row in rows], [(f["state"], f["value"], f["limit"]) for f in findings])
        sums = [line for line in lines if line[0].isdigit() or line.startswith("of 100 ")]  # of measurements
        heads = [line for line in lines if not line.startswith((" ", "warning")) and line not in sums]
        self.assertEqual(len(rows), len(heads))
        for row, head in zip(rows, heads):
            self.assertTrue(head.startswith(row[0]), head)
            self.assertTrue(head.endswith("  ".join(filter(None, ("", row[3], row[4])))), (head, row))
        text = [part["text"] for part in answer["parts"] if "text" in part]
        details = [line.strip() for line in lines if line.startswith(" ")]
        verdict = next(i for i, part in enumerate(text) if part.startswith(("Passed: ", "Failed: ")))
        self.assertEqual(text[verdict].startswith("Failed"), status == 1)
        self.assertEqual(text[verdict + 1:len(sums) + verdict], [line + "." for line in sums[1:]])
        rest = text[verdict + max(1, len(sums)):]
        self.assertEqual([part.replace("\\", "").split(": ", 1)[1] for part in rest], details)
        return lines

    def test_budgets_by_time_count_and_memory(self):
        imports = self.add(import_log({"numpy": 500, "app": 20}))
        self.both(imports, budgets=["headline=1s", "imports.numpy=1ms"])
        self.assertIn("+25.0 %", self.both(imports, budgets=["imports.numpy=400us"], status=1)[0])
        self.both(self.add(stacks(60)), budgets=["headline=100", "headline=99", "functions.work=60"], status=1)
        self.both(self.add(memory_curve(80)), budgets=["headline=100MiB", "headline=79MiB"], status=1)

    def test_growth_by_percent_and_value(self):
        base, new = self.add(import_log({"numpy": 50000, "app": 20})), self.add(import_log({"numpy": 80000, "app": 20}), "nightly")
        lines = self.both(new, against=base, fail_on="+10%", status=1)
        self.assertIn("        use the newest 10 runs of a series as the baseline: --against series:nightly@10", lines)
        self.both(new, against=base, fail_on="+29ms", status=1)
        self.both(new, against=base, fail_on="+31ms")
        self.both(self.add(stacks(90)), against=self.add(stacks(60)), fail_on="+10", status=1)
        self.both(self.add(memory_curve(120)), against=self.add(memory_curve(80)), fail_on="+50%")

    def test_many_runs_against_few(self):
        for i in range(5):
            self.add(import_log({"numpy": 50000 + i}), "before")
            self.add(import_log({"numpy": 80000 + i}), "after")
        self.assertIn("significant", self.both("series:after", against="series:before", status=1)[0])
        self.assertIn("        above all 5 baseline runs; by chance this happens 1 time in 6",
                      self.both(self.add(import_log({"numpy": 90000})), against="series:before", status=1))
        self.both(self.add(import_log({"numpy": 50001})), against="series:before@3", fail_on="+0%")

    def test_benchmarks_with_samples_new_and_absent(self):
        base = self.add(pytest_benchmark({"test_a": 0.001, "test_b": 0.02, "test_d": 1.0}))
        new = self.add(pytest_benchmark({"test_a": 0.002, "test_c": 0.04, "test_d": 1.0}))
        lines = self.both(new, against=base, status=1)
        self.assertEqual([line.split()[0] for line in lines if not line.startswith(" ")], ["over", "missing", "1", "of"])

    def test_a_row_that_disappeared(self):
        old = self.add(import_log({"numpy": 500, "app": 10}), "nightly")
        new = self.add(import_log({"app": 30}), "nightly")
        self.assertEqual(self.both(new, budgets=["imports.numpy=1s"]), [f"missing imports.numpy  not in this run  last seen in run {old}"])
        self.both(new, against=old, budgets=["imports.numpy=1s"], fail_on="+100%")

    def test_a_run_is_no_baseline_of_itself(self):
        old, new = self.add(import_log({"app": 1000}), "nightly"), self.add(import_log({"app": 9000}), "nightly")
        self.both(new, against="series:nightly", status=1)
        self.assertIn("cannot be its own baseline", self.failure("check", run=old, against=old))
        self.assertIn(f"the baseline {old} is run {old}", self.fails("check", old, "--against", old))

    def test_what_measured_nothing_does_not_pass(self):
        none, some = self.add(dump(0)), self.add(dump(2.0))
        self.assertEqual(self.both(none, budgets=["headline=1s"], status=1)[0].split("  ")[-1], "no time was measured")
        self.assertEqual(self.both(none, against=some, status=1)[0].split("  ")[-1], "no time was measured")
        self.assertEqual(self.both(some, against=none, status=1)[0].split("  ")[-1], "the baseline measured nothing")
        self.both(none, budgets=["functions.work=1s"])  # a function may take no time

    def test_a_limit_counts_for_the_rows_with_its_unit(self):
        results = [{"command": "app", "times": [0.2, 0.2], "mean": 0.2, "median": 0.2, "min": 0.2, "max": 0.2, "memory_usage_byte": [1 << 20, 1 << 20]},
                   {"command": "lib", "times": [0.1, 0.1], "mean": 0.1, "median": 0.1, "min": 0.1, "max": 0.1, "memory_usage_byte": [1 << 30, 1 << 30]}]
        run = self.add({"results": results})
        self.both(run, budgets=["headline=150ms"], status=1)
        for failure in (self.failure("check", run=run, budgets=["headline=150samples"]), self.fails("check", run, "--budget", "headline=150samples", status=2)):
            self.assertIn("invalid value", failure)
        self.assertIn("wrong unit", self.fails("check", run, "--budget", "headline=5%", status=2))


if __name__ == "__main__":
    unittest.main()
