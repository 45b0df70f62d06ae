# SPDX-License-Identifier: MIT
"""Two recordings of one program with a known change, made as the test runs (changes_cli.py holds recorded ones). Groups, budgets, exit statuses."""
import json
import os
import statistics
import subprocess
import sys
import textwrap

from program import ShelfTest

WORK = """
    import math

    def parse(n):
        return [math.sqrt(i) for i in range(n)]

    def render(values):
        return "".join(str(v) for v in values)

    class Page:
        def __init__(self):
            self.size = 1

    class Site:
        def __init__(self):
            self.pages = [Page() for _ in range(200)]

    def main():
        Site()
        for _ in range(3):
            render(parse(PARSED))

    main()
"""


# Processor time: how busy the machine is does not matter.
CPU_TIME = """
import cProfile, runpy, sys, time
profile = cProfile.Profile(time.process_time)
profile.runcall(runpy.run_path, sys.argv[1])
profile.dump_stats(sys.argv[2])
"""


# A clock that a microsecond passes on each time it is read, and what `spent` says: the same on every machine.
MADE_TIME = """
import builtins, cProfile, itertools, runpy, sys
builtins.spent, reads = [], itertools.count()
profile = cProfile.Profile(lambda: next(reads) * 1e-6 + sum(spent), builtins=False)
profile.runcall(runpy.run_path, sys.argv[1])
profile.dump_stats(sys.argv[2])
"""


def event(name, start, duration, tid=1):
    return {"ph": "X", "cat": "cpu_op", "name": name, "pid": 7, "tid": tid, "ts": start, "dur": duration, "args": {}}


class Compare(ShelfTest):
    def put(self, name, content):
        return self.json("add", self.file(name, content), "--name", name)["id"]

    def diff(self, base, new, *more):
        return json.loads(self.ok("diff", base, new, "--json", *more))

    # --- what each format finds

    def profiled(self, name, source):
        """A cProfile dump of a script, in made time."""
        path = self.file(f"{name}/work.py", textwrap.dedent(source).encode())
        out = os.path.join(self.folder, f"{name}.prof")
        subprocess.run([sys.executable, "-c", MADE_TIME, path, out], check=True, capture_output=True)
        return self.json("add", out, "--name", name)["id"]

    def test_a_slower_function_comes_first_from_another_checkout(self):
        base = self.profiled("base", WORK.replace("PARSED", "2000"))
        slower = WORK.replace("PARSED", "2000").replace("def parse(n):", "def parse(n):\n        # slower now\n        spent.append(0.1)")
        new = self.profiled("new", slower)
        answer = self.diff(base, new, "--metric", "tottime_s")
        first = next(row for row in answer["rows"] if row["in_base"])
        self.assertEqual((first["name"], first["change"]), ("parse", None))
        self.assertTrue(first["file"].endswith("new/work.py") and first["base_place"].endswith("base/work.py"))
        self.assertAlmostEqual(first["delta"], 0.3, 3)
        self.assertIsNone(first["verdict"])
        inits = {row["base_line"]: row["line"] for row in answer["rows"] if row["name"] == "__init__" and row["file"].endswith("work.py")}
        self.assertEqual(len(inits), 2)  # each class has its own, two lines further down
        self.assertEqual({new - old for old, new in inits.items()}, {2})
        self.assertEqual([row for row in answer["rows"] if row["file"].endswith("work.py") and row["change"] in ("added", "removed")], [])
        self.assertIn("parse", " ".join(self.ok("diff", base, new).splitlines()[6:11]))

    def test_steps_are_compared_and_not_totals(self):
        def steps(n):
            events = []
            for i in range(n):
                events += [dict(event(f"ProfilerStep#{i}", 1000 * i, 900), cat="user_annotation"), event("aten::mm", 1000 * i + 10, 100)]
            return json.dumps({"schemaVersion": 1, "traceEvents": events + [event("aten::mm", 1000 * n, 5000)]}).encode()
        few, many = self.put("few.json", steps(4)), self.put("many.json", steps(40))
        of = ("--of", "operators", "--metric", "cpu_total_us")
        found = {per: next(row for row in self.diff(few, many, *of, "--per", per)["rows"] if row["name"] == "aten::mm") for per in ("step", "run", "call")}
        self.assertEqual({per: (row["base"], row["new"]) for per, row in found.items()}, {"step": (100, 100), "run": (5400, 9000), "call": (1080, 9000 / 41)})
        self.assertEqual(self.diff(few, many, *of)["per"], "step")
        said = self.ok("diff", few, many, *of).splitlines()
        self.assertEqual(said[3:6], ["", "4 against 40 steps", "Operators by Host time per step: no row changed."])
        waits = self.put("waits.json", steps(4).replace(b'"dur": 900', b'"dur": 950'))
        self.assertEqual(self.ok("diff", few, waits).splitlines()[3:5], ["other explains +50.00 µs of +50.00 µs per step.", ""])
        said = self.ok("diff", few, many, *of, "--per", "run").splitlines()
        self.assertEqual(said[4:7], ["4 against 40 steps: totals of different amounts of work are compared", "", "Operators by Host time, largest change first"])
        self.assertIn("must be step, run or call", self.fails("diff", few, many, *of, "--per", "week", status=2))
        self.assertEqual(self.ok("check", many, "--budget", "operators.aten::mm=9ms").split()[:3], ["within", "operators.aten::mm", "9.000"])

    def test_different_units_have_no_difference(self):
        def profile(unit, *weights):
            return json.dumps({"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": [{"name": "main"}, {"name": "app"}]},
                               "profiles": [{"type": "sampled", "name": "t", "unit": unit, "startValue": 0, "endValue": sum(weights),
                                             "samples": [[0, i] for i in range(2)], "weights": weights}]}).encode()
        ms, weight = self.put("ms.json", profile("milliseconds", 300, 54.5)), self.put("weight.json", profile("none", 800, 13))
        why = "one run measures sampled in s, another weight without a unit"
        said = self.ok("diff", ms, weight).splitlines()
        self.assertEqual(said[1], f"No difference of the headline: {why}.")
        self.assertTrue(all(line.count(" %") >= 3 for line in said[6:]), said)
        self.assertIn(why, self.fails("check", weight, "--against", ms, status=2))

    def imports(self, name, lazy):
        """An import log of a package whose slow part is imported at once, or not."""
        top = os.path.join(self.folder, name)
        slow = "import time\ntime.sleep(2)\n"
        init = "from shop import models\n" + ("" if lazy else "from shop import slow\n")
        for path, text in (("__init__", init), ("models", "import json\n"), ("slow", slow)):
            self.file(f"{name}/shop/{path}.py", text.encode())
        run = subprocess.run([sys.executable, "-X", "importtime", "-c", "import shop"], cwd=top, check=True, capture_output=True,
                             env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1"))
        return self.put(f"{name}.log", run.stderr)

    def test_what_became_lazy_comes_first_and_a_budget_tells_its_path(self):
        eager, lazy = self.imports("eager", False), self.imports("lazy", True)
        first = self.diff(eager, lazy)["rows"][0]
        self.assertEqual((first["name"], first["change"], first["base_by"], first["in_new"]), ("shop.slow", "removed", "shop", 0))
        self.assertLess(first["delta"], -2000000)
        self.assertEqual(self.ok("check", lazy, "--budget", "imports.shop=30s").split()[:2], ["within", "imports.shop"])
        done = self.run_verb("check", eager, "--against", lazy, "--budget", "imports.shop.slow=20ms")
        lines = done.stdout.decode().splitlines()
        self.assertEqual(done.returncode, 1, lines)
        self.assertTrue(lines[0].startswith("over    imports.shop.slow") and lines[1].strip() == "shop > shop.slow", lines)
        self.assertTrue(lines[2].startswith("over    import") and "shop.slow" in lines[3], lines)
        markdown = self.run_verb("check", eager, "--against", lazy, "--markdown").stdout.decode()
        self.assertIn("### perfshelf: 1 of 1 over", markdown)
        self.assertIn("shop.slow", markdown)

    def trace(self, name, extra):
        events = [event("aten::mm", 100 * i, 50) for i in range(20)] + [event("aten::add", 100 * i + 60, 10) for i in range(20)]
        if extra:
            events += [event("aten::copy_", 100 * i + 75, 20) for i in range(20)]
        return self.put(name, json.dumps({"schemaVersion": 1, "traceEvents": events}).encode())

    def test_an_extra_operator_comes_first(self):
        answer = self.diff(self.trace("base", False), self.trace("new", True))
        first = answer["rows"][0]
        self.assertEqual((answer["of"], answer["metric"]), ("operators", "self_cpu_us"))
        self.assertEqual((first["name"], first["change"], first["delta"], first["share"], first["new_calls"]),
                         ("aten::copy_", "added", 400.0, 100.0, 20.0))

    # --- groups

    def test_five_a_side_tell_a_change_from_noise(self):
        def recorded(name, busy, at):
            source = textwrap.dedent(WORK.replace("PARSED", str(busy)))
            path = self.file(f"{name}/work.py", source.encode())
            out = os.path.join(self.folder, f"{name}{at}.prof")
            subprocess.run([sys.executable, "-c", CPU_TIME, path, out], check=True)
            self.json("add", out, "--name", f"{name}{at}", "--series", name)

        for at in range(5):  # by turns
            recorded("before", 10000, at)
            recorded("after", 40000, at)
        answer = self.diff("series:before", "series:after")
        self.assertEqual((answer["headline"]["verdict"], len(answer["base"]), len(answer["new"])), ("up", 5, 5))
        self.assertAlmostEqual(answer["headline"]["base"]["median"], statistics.median(answer["headline"]["base"]["values"]))
        slower = {row["name"] for row in answer["rows"] if row["verdict"] == "up"}
        self.assertTrue(slower & {"<genexpr>", "<listcomp>", "<method 'join' of 'str' objects>", "<built-in method math.sqrt>", "parse"}, slower)
        for row in answer["rows"]:
            self.assertIn(row["verdict"], ("up", "down", "same"))
            self.assertEqual(row["verdict"] == "same", not (row["p"] < 0.05 and abs(row["delta"]) > row["noise"]), row)
        self.assertTrue(self.ok("diff", "series:before", "series:after").splitlines()[1].startswith("slower: "))
        few = self.diff("before0,before1", "after0,after1")
        self.assertEqual(few["headline"]["verdict"], "few")
        self.assertEqual(self.run_verb("check", "series:after", "--against", "series:before").returncode, 1)
        self.assertEqual(self.run_verb("check", "series:before", "--against", "series:after").returncode, 0)

    # --- usage

    def test_wrong_usage_is_told(self):
        dump = self.json("add", self.dump)["id"]
        log = self.json("add", self.log)["id"]
        self.assertIn("importtime", self.fails("diff", dump, log))
        self.assertIn("functions", self.fails("diff", dump, dump, "--of", "kernels"))
        self.assertIn("tottime_s", self.fails("diff", dump, dump, "--metric", "calories"))
        self.fails("diff", dump, "series:none")
        self.fails("diff", dump, status=2)
        self.fails("check", dump, status=2)
        for budget in ("torch", "functions=1s", "functions.fib=fast", "functions.fib=1GiB", "nothing.fib=1s", "headline.x=1s"):
            self.fails("check", dump, "--budget", budget.replace("fib", "fibonacci"), status=2)
        self.fails("check", dump, "--fail-on", "+5%", status=2)
        self.fails("check", dump, "--against", dump, "--fail-on", "+5 apples", status=2)

    def test_a_run_equals_itself(self):
        dump = self.json("add", self.dump)["id"]
        rows = self.diff(dump, dump)["rows"]
        self.assertTrue(rows and all(row["delta"] == 0 and row["change"] is None for row in rows))
        self.assertIn(": no row changed.", self.ok("diff", dump, dump))
        self.fails("check", dump, "--budget", "functions.no_such=1s", status=2)
