# SPDX-License-Identifier: MIT
"""Two recordings of one program with a known change: the changed row comes first. Groups, budgets, exit statuses."""
import json
import linecache
import os
import statistics
import subprocess
import sys
import textwrap
import time

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


def event(name, start, duration, tid=1):
    return {"ph": "X", "cat": "cpu_op", "name": name, "pid": 7, "tid": tid, "ts": start, "dur": duration, "args": {}}


class LineTimer:
    """The lines of one function, timed as they run, printed as line_profiler prints them."""

    def __init__(self, path, function, name):
        self.path, self.name, self.hits, self.ns, self.last = path, name, {}, {}, None
        sys.settrace(lambda frame, what, arg: self.step if frame.f_code.co_name == name else None)
        try:
            function()
        finally:
            sys.settrace(None)
        self.first = function.__globals__[name].__code__.co_firstlineno

    def step(self, frame, what, arg):
        now = time.perf_counter_ns()
        if self.last:
            self.ns[self.last] = self.ns.get(self.last, 0) + now - self.started
            self.hits[self.last] = self.hits.get(self.last, 0) + 1
        self.last = frame.f_lineno if what == "line" else None
        self.started = time.perf_counter_ns()
        return self.step

    def report(self):
        total = sum(self.ns.values())
        head = (f"Timer unit: 1e-09 s\n\nTotal time: {total / 1e9:g} s\nFile: {self.path}\nFunction: {self.name} at line {self.first}\n\n"
                "Line #      Hits         Time  Per Hit   % Time  Line Contents\n" + "=" * 62 + "\n")
        rows = []
        for number in range(self.first, max(self.ns) + 1):
            text = linecache.getline(self.path, number).rstrip("\n")
            if number in self.ns:
                ns, hits = self.ns[number], self.hits[number]
                rows.append(f"{number:6} {hits:9} {ns:12.1f} {ns / hits:8.1f} {100 * ns / total:8.1f}  {text}")
            else:
                rows.append(f"{number:6} {'':9} {'':12} {'':8} {'':8}  {text}")
        return (head + "\n".join(rows) + "\n").encode()


class Compare(ShelfTest):
    def put(self, name, content):
        return self.json("add", self.file(name, content), "--name", name)["id"]

    def diff(self, base, new, *more):
        return json.loads(self.ok("diff", base, new, "--json", *more))

    # --- what each format finds

    def profiled(self, name, source):
        """A cProfile dump of a script."""
        path = self.file(f"{name}/work.py", textwrap.dedent(source).encode())
        out = os.path.join(self.folder, f"{name}.prof")
        subprocess.run([sys.executable, "-m", "cProfile", "-o", out, path], check=True, capture_output=True)
        return self.json("add", out, "--name", name)["id"]

    def test_a_slower_function_comes_first_from_another_checkout(self):
        base = self.profiled("base", WORK.replace("PARSED", "2000"))
        slower = WORK.replace("PARSED", "2000").replace("def parse(n):", "def parse(n):\n        end = time.perf_counter() + 0.1\n"
                                                        "        while time.perf_counter() < end: pass")
        new = self.profiled("new", slower.replace("import math", "import math, time"))
        answer = self.diff(base, new, "--metric", "tottime_s")
        first = next(row for row in answer["rows"] if row["in_base"])
        self.assertEqual((first["name"], first["change"]), ("parse", None))
        self.assertTrue(first["file"].endswith("new/work.py") and first["base_place"].endswith("base/work.py"))
        self.assertGreater(first["delta"], 0.05)
        self.assertIsNone(first["verdict"])
        inits = {row["base_line"]: row["line"] for row in answer["rows"] if row["name"] == "__init__" and row["file"].endswith("work.py")}
        self.assertEqual(len(inits), 2)  # each class has its own, two lines further down
        self.assertEqual({new - old for old, new in inits.items()}, {2})
        self.assertEqual([row for row in answer["rows"] if row["file"].endswith("work.py") and row["change"] in ("added", "removed")], [])
        self.assertIn("parse", " ".join(self.ok("diff", base, new).splitlines()[6:9]))

    def imports(self, name, lazy):
        """An import log of a package whose slow part is imported at once, or not."""
        top = os.path.join(self.folder, name)
        slow = "import time\ntime.sleep(0.5)\n"
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
        self.assertLess(first["delta"], -500000)
        self.assertEqual(self.ok("check", lazy, "--budget", "imports.shop=30s").split()[:2], ["within", "imports.shop"])
        done = self.run_verb("check", eager, "--against", lazy, "--budget", "imports.shop.slow=20ms")
        lines = done.stdout.decode().splitlines()
        self.assertEqual(done.returncode, 1, lines)
        self.assertTrue(lines[0].startswith("over    imports.shop.slow") and lines[1].strip() == "shop > shop.slow", lines)
        self.assertTrue(lines[2].startswith("over    import") and "shop.slow" in lines[3], lines)
        markdown = self.run_verb("check", eager, "--against", lazy, "--markdown").stdout.decode()
        self.assertIn("### perfshelf: 1 of 1 over", markdown)
        self.assertIn("shop.slow", markdown)

    def line_report(self, name, source):
        path = self.file(f"{name}/lines.py", textwrap.dedent(source).encode())
        scope = {}
        exec(compile(textwrap.dedent(source), path, "exec"), scope)
        return self.put(f"{name}.txt", LineTimer(path, scope["main"], "work").report())

    def test_an_added_line_comes_first_and_the_others_are_met(self):
        source = """
            import time

            def work():
                total = 0
                for i in range(50):
                    total += i
                return total

            def main():
                work()
        """
        base = self.line_report("base", source)
        new = self.line_report("new", "# one more line\n" + textwrap.dedent(source).replace(
            "    for i", "    time.sleep(0.05)\n    for i"))
        rows = self.diff(base, new)["rows"]
        self.assertEqual((rows[0]["name"], rows[0]["within"], rows[0]["change"]), ("time.sleep(0.05)", "work", "added"))
        moved = {row["name"]: row["line"] - row["base_line"] for row in rows[1:] if row["base"]}
        self.assertEqual(moved, {"total = 0": 1, "for i in range(50):": 2, "total += i": 2, "return total": 2})

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
            recorded("before", 40000, at)
            recorded("after", 160000, at)
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
        self.assertIn("No row differs.", self.ok("diff", dump, dump))
        self.assertEqual(self.ok("check", dump, "--against", dump).split()[0], "within")
        self.assertEqual(self.ok("check", dump, "--budget", "functions.no_such=1s").split()[0], "within")
