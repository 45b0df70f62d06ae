# SPDX-License-Identifier: MIT
"""What lazy imports save: predicted from one log, then really made lazy and recorded again.

`python3 what_if_cli.py` prints the table of docs/bench.md, from more recordings.
"""
import os
import re
import statistics
import subprocess
import sys
import unittest
from collections import Counter

from program import ShelfTest, call

ROW = re.compile(rb"^import time: +(-?\d+) \| +-?\d+ \| +(.+)$", re.M)

# What a program imports, and which of it becomes lazy. A package that no Python here has is skipped, and said so.
CASES = {
    "asyncio": (["http.server", "unittest", "asyncio"], "asyncio"),
    "smtplib": (["smtplib", "http.client", "email.mime.text"], "smtplib"),
    "xmlrpc.client": (["xmlrpc.client", "xml.dom.minidom", "multiprocessing.pool"], "xmlrpc.client"),
    "http.server": (["http.server", "urllib.request", "logging.config"], "http.server"),
    "requests": (["requests", "http.client", "json"], "requests"),
    "numpy": (["numpy", "unittest", "json"], "numpy"),
    "torch": (["torch", "numpy", "unittest"], "torch"),
}
LARGE = ("requests", "numpy", "torch")  # these must be told


def python_with(module):
    for python in (sys.executable, "/usr/bin/python3"):
        if os.path.exists(python) and subprocess.run(
                [python, "-c", f"import {module}"], capture_output=True).returncode == 0:
            return os.path.realpath(python)
    return None


def text_of(modules, lazy=None):
    return "".join(f"def later():\n    import {module}\n" if module == lazy else f"import {module}\n"
                   for module in modules)


def selfs(log):
    """Self times by module and which of its rows it is: an import that fails is tried, and told, again."""
    found, rows = {}, Counter()
    for us, name in ROW.findall(log):
        rows[name] += 1
        found[name.decode(), rows[name]] = int(us)
    return found


def timed(python, path):
    done = subprocess.run([python, "-X", "importtime", path], capture_output=True, check=True)
    return selfs(done.stderr)


def best(recordings, of):
    return {row: of([one[row] for one in recordings]) for row in recordings[0]}


class WhatIf(ShelfTest):
    def record(self, python, path):
        """The modules of the log and what it answers."""
        log = os.path.join(self.folder, "kept.log")
        done = call("record", "--data", self.data, "importtime", "--importers", "-o", log, "--", python, path)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        with open(log, "rb") as file:
            return selfs(file.read())

    def ask(self, *lazy):
        return self.json("whatif", "@1", *lazy)

    def case(self, name):
        modules, lazy = CASES[name]
        python = python_with(lazy)
        if not python:
            self.skipTest(f"no Python with {lazy}")
        before = self.file("before/app.py", text_of(modules).encode())
        after = self.file("after/app.py", text_of(modules, lazy).encode())
        for path in (before, after):  # what has no compiled copy yet gets one
            timed(python, path)
        return python, before, after, lazy

    def check_set(self, name):
        """The very modules that are told to go are gone from the log of the program that was changed."""
        python, before, after, lazy = self.case(name)
        there = self.record(python, before)
        answer = self.ask(lazy)
        self.assertEqual((answer["evidence"], answer["saving_us"]["low"]), ("recorded", answer["saving_us"]["high"]))
        self.verdict = answer["verdict"]
        rows = Counter(row["module"] for row in answer["rows"] if row["fate"] == "saved")
        gone = Counter(module for module, _ in there) - Counter(module for module, _ in timed(python, after))
        self.assertEqual(sorted(rows.elements()), sorted(gone.elements()))
        return python, before, after

    def compared(self, turns, of):
        """What the log of before says that goes, and what went: sums over modules of the same figure of each."""
        old, new = best([turn[0] for turn in turns], of), best([turn[1] for turn in turns], of)
        return sum(us for row, us in old.items() if row not in new), sum(old.values()) - sum(new.values())

    def check_times(self, name, repeats, turns):
        """Records by turns. The modules that go are those that were predicted, so their sum is the prediction."""
        python, before, after = self.check_set(name)
        turns += [(timed(python, before), timed(python, after)) for _ in range(repeats)]
        return self.compared(turns, min)

    def test_what_is_saved_is_gone(self):
        for name in CASES:
            with self.subTest(name):
                self.check_set(name)

    def check_near(self, name):
        """Noise only adds: the least of each module settles, with more turns where the machine is busy. What is a
        smaller part of Python's own start-up is said to be not knowable."""
        turns = []
        while len(turns) < 45:
            predicted, real = self.check_times(name, 15, turns)
            if abs(predicted - real) <= real / 10 or (self.verdict == "not knowable" and name not in LARGE):
                return
        self.assertEqual(self.verdict, "known")
        self.assertAlmostEqual(predicted, real, delta=real / 10)

    def test_the_saving_is_within_a_tenth(self):
        for name in CASES:
            with self.subTest(name):
                self.check_near(name)

    # --- small programs of our own ---------------------------------------------------------------

    def program(self, **modules):
        for name, text in modules.items():
            self.file("small/" + name.replace("__", "/") + ".py", text.encode())
        return os.path.join(self.folder, "small", "app.py")

    def fates(self, *lazy):
        answer = self.ask(*lazy)
        return answer, {row["module"]: (row["fate"], row["by"]) for row in answer["rows"]}

    def test_first_importer_bias(self):
        """a and b import s, a comes first: lazy a saves a alone."""
        app = self.program(app="import a\nimport b\n", a="import s\n", b="import s\n", s="X = 1\n")
        self.record(sys.executable, app)
        _, fates = self.fates("a")
        self.assertEqual(fates, {"a": ("saved", None), "s": ("stays", "b")})
        _, fates = self.fates("a", "b")
        self.assertEqual({fate for fate, _ in fates.values()}, {"saved"})
        _, fates = self.fates("s")
        self.assertEqual(fates, {"s": ("stays", "b")})
        _, fates = self.fates("s@*")
        self.assertEqual(fates, {"s": ("saved", None)})
        self.assertIn("saves", self.ok("whatif", "@1", "a"))
        self.assertIn("no import of nothing", self.fails("whatif", "@1", "nothing"))
        self.assertIn("does not have b import a", self.fails("whatif", "@1", "a@b"))

    def test_modules_of_a_package(self):
        """`from p import m` of what is loaded leaves no line in any log; p itself is for m's sake."""
        app = self.program(app="import a\nfrom p import m\n", a="from p import m, n\n", p____init__="", p__m="", p__n="")
        self.record(sys.executable, app)
        _, fates = self.fates("a")
        self.assertEqual(fates, {"a": ("saved", None), "p": ("stays", "p.m"), "p.m": ("stays", "__main__"),
                                 "p.n": ("saved", None)})
        _, fates = self.fates("a", "p.m@__main__")
        self.assertEqual({fate for fate, _ in fates.values()}, {"saved"})

    def test_a_module_without_a_row(self):
        """importlib.import_module() prints nothing: b reaches s through h."""
        app = self.program(app="import a\nimport b\n", a="import s\n", h="import s\n", s="",
                           b="import importlib\nimportlib.import_module('h')\n")
        self.record(sys.executable, app)
        _, fates = self.fates("a")
        self.assertEqual((fates["a"], fates["s"]), (("saved", None), ("stays", "b")))

    def test_a_plain_log_does_not_know(self):
        app = self.program(app="import a\nimport b\n", a="import s\n", b="import s\n", s="")
        self.ok("record", "importtime", "--", sys.executable, app)
        answer, fates = self.fates("a")
        self.assertEqual((answer["verdict"], answer["evidence"]), ("not knowable", "first importers"))
        self.assertEqual(fates, {"a": ("open", None), "s": ("open", None)})
        self.assertEqual(answer["saving_us"]["low"], 0)
        self.assertIn("--importers", answer["do"])
        self.assertIn("not knowable", self.ok("whatif", "@1", "a"))

    def test_importtime_2_knows(self):
        log = self.file("two.log", b"""import time: self [us] | cumulative | imported package
import time:        30 |         30 |     s
import time:       200 |        230 |   a
import time: cached    | cached     |    s
import time:       100 |        100 |   b
import time:        50 |        380 | app
""")
        self.ok("add", log)
        answer, fates = self.fates("a")
        self.assertEqual((answer["verdict"], answer["evidence"]), ("known", "importtime=2"))
        self.assertEqual(fates, {"a": ("saved", None), "s": ("stays", "b")})
        self.assertEqual(answer["saving_us"], {"low": 200, "best": 200, "high": 200})

    def test_the_log_keeps_what_python_said(self):
        app = self.program(app="import sys\nprint('once', file=sys.stderr)\n")
        done = self.run_verb("record", "importtime", "--importers", "--repeat", "2", "--", sys.executable, app)
        self.assertEqual((done.returncode, done.stderr), (0, b"once\nonce\n"))
        self.assertIn("is for importtime", self.fails("record", "cprofile", "--importers", "--", sys.executable, app,
                                                     status=2))

    def test_suggestions(self):
        app = self.program(app="import json.tool\nimport wave\n")
        self.record(sys.executable, app)
        answer = self.ask()
        self.assertEqual({row["lazy"] for row in answer["suggestions"]}, {"json.tool@__main__", "wave@__main__"})
        self.assertEqual(answer["verdict"], None)
        self.assertIn("json.tool@__main__", self.ok("whatif", "@1"))


def table(repeats=31):
    print("| made lazy | imports before, ms | modules gone, all as predicted | predicted, ms | really, ms | off | by medians | verdict |")
    print("|---|---|---|---|---|---|---|---|")
    for name in CASES:
        test = WhatIf("check_set")
        test.setUp()
        turns = []
        try:
            predicted, real = test.check_times(name, repeats, turns)
            medians = test.compared(turns, statistics.median)
        except unittest.SkipTest as why:
            print(f"| {name} | {why} |")
            continue
        finally:
            test.doCleanups()
        whole = sum(best([turn[0] for turn in turns], min).values())
        gone = len(turns[0][0]) - len(turns[0][1])
        print(f"| {name} | {whole / 1e3:.1f} | {gone} | {predicted / 1e3:.1f} | {real / 1e3:.1f} |"
              f" {100 * (predicted / real - 1):+.1f} % | {100 * (medians[0] / medians[1] - 1):+.1f} % | {test.verdict} |", flush=True)


if __name__ == "__main__":
    table()
