# SPDX-License-Identifier: MIT
"""What lazy imports save: the modules that are told to go are those that go when the import really becomes lazy.

How well the times are predicted is measured by tests/bench/bench_what_if.py.
"""
import json
import os
import sys
import unittest

from program import ROOT, ShelfTest

sys.path.append(os.path.join(ROOT, "tests", "bench"))
from made_lazy import PACKAGES, STDLIB, modules_of, program_text, python_with, saved_modules, selfs, timed  # noqa: E402


class WhatIf(ShelfTest):
    def record(self, python, path):
        """The modules of the log and what it answers."""
        log = os.path.join(self.folder, "kept.log")
        done = self.run_verb("record", "importtime", "--importers", "--force", "-o", log, "--", python, path)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        with open(log, "rb") as file:
            return selfs(file.read())

    def ask(self, *lazy):
        return self.json("whatif", "@1", *lazy)

    def check_set(self, lazy, modules):
        """The very modules that are told to go are gone from the log of the program that was changed."""
        python = python_with(lazy)
        if not python:
            self.skipTest(f"no Python here has {lazy}")
        before = self.file("before/app.py", program_text(modules).encode())
        after = self.file("after/app.py", program_text(modules, lazy).encode())
        there = self.record(python, before)
        answer = self.ask(lazy)
        self.assertEqual((answer["evidence"], answer["saving_us"]["low"]), ("recorded", answer["saving_us"]["high"]))
        gone = modules_of(there) - modules_of(timed(python, after))
        self.assertGreater(gone.total(), 1)
        self.assertEqual(sorted(saved_modules(answer).elements()), sorted(gone.elements()))
        return answer

    def test_the_standard_library(self):
        for lazy, modules in STDLIB.items():
            with self.subTest(lazy):
                self.check_set(lazy, modules)

    def test_requests(self):
        self.assertEqual(self.check_set("requests", PACKAGES["requests"])["verdict"], "known")

    def test_numpy(self):
        self.assertEqual(self.check_set("numpy", PACKAGES["numpy"])["verdict"], "known")

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
        self.assertIn("b does not import a", self.fails("whatif", "@1", "a@b"))

    def test_modules_of_a_package(self):
        """`from p import m` of what is loaded leaves no line in any log; p itself is for m's sake."""
        app = self.program(app="import a\nfrom p import m\n", a="from p import m, n\n", p____init__="", p__m="", p__n="")
        self.record(sys.executable, app)
        _, fates = self.fates("a")
        self.assertEqual(fates, {"a": ("saved", None), "p": ("stays", "p.m"), "p.m": ("stays", "__main__"),
                                 "p.n": ("saved", None)})
        _, fates = self.fates("a", "p.m@__main__")
        self.assertEqual({fate for fate, _ in fates.values()}, {"saved"})

    def test_what_keeps_them(self):
        """a and b import modules of deep: all that stays does so for one import in b."""
        app = self.program(app="import a\nimport b\n", a="import deep.x\n", b="import deep.y\n",
                           deep__x="", deep__y="", s="import u\n", t="", u="")
        self.file("small/deep/__init__.py", b"import s\nimport t\n")
        self.record(sys.executable, app)
        answer, fates = self.fates("a")
        self.assertEqual({module for module, (fate, _) in fates.items() if fate == "stays"}, {"deep", "s", "t", "u"})
        self.assertEqual([(row["module"], row["by"], row["modules"], row["proof"]) for row in answer["keepers"]],
                         [("deep.y", "b", 4, "recorded")])
        self.assertEqual(self.fates("a", "deep.y@b")[0]["keepers"], [])

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
        self.assertEqual(answer["saving_us"], {"low": 200, "high": 200})

    def test_other_runs_are_no_evidence(self):
        """What another program imports says nothing about this one."""
        header = b"import time: self [us] | cumulative | imported package\n"
        app = self.file("app.log", header + b"import time: 400 | 400 |   s\nimport time: 10 | 410 | a\nimport time: 20 | 20 | b\n")
        other = self.file("other.log", header + b"import time: 500 | 500 |   s\nimport time: 30 | 530 | b\n")
        [run] = [json.loads(line) for line in self.ok("add", app, "--json").splitlines()]
        before = self.json("whatif", run["id"], "a")
        self.ok("add", other)
        self.assertEqual(self.json("whatif", run["id"], "a"), before)
        self.assertEqual((before["saving_us"], before["verdict"]), ({"low": 0, "high": 410}, "not knowable"))
        self.assertIn("some of these imports are not in the log", self.json("whatif", run["id"], "a", "s@b")["why"])

    def test_an_import_in_a_function(self):
        """The program calls a function of helper that imports s: no line of the log and no lazy import can spare it."""
        app = self.program(app="import helper\nhelper.work()\nimport d\n", d="class D:\n    import e\n", e="",
                           helper="def work():\n    import s\n    import importlib\n    importlib.import_module('t')\n", s="", t="")
        self.record(sys.executable, app)
        answer = self.ask()
        self.assertEqual({row["lazy"] for row in answer["suggestions"]} & {"s@__main__", "t@__main__"}, set())
        answer, fates = self.fates("s")
        self.assertEqual((answer["lazy"][0]["in_function"], answer["saving_us"], fates),
                         (True, {"low": 0, "high": 0}, {}))
        self.assertIn("lazy already", self.ok("whatif", "@1", "s"))
        self.assertFalse(self.fates("e")[0]["lazy"][0]["in_function"])
        self.ok("record", "importtime", "--", sys.executable, app)  # a plain log does not say where s is imported
        self.assertNotIn("imported by `__main__`", self.ok("show", "@1", "--markdown"))

    def test_the_log_keeps_what_python_said(self):
        app = self.program(app="import sys\nprint('once', file=sys.stderr)\n")
        done = self.run_verb("record", "importtime", "--importers", "--repeat", "2", "--", sys.executable, app)
        self.assertEqual((done.returncode, done.stderr), (0, b"once\nonce\n"))
        self.assertIn("works only with the recorder importtime", self.fails("record", "cprofile", "--importers", "--", sys.executable, app,
                                                     status=2))

    def test_suggestions(self):
        app = self.program(app="import json.tool\nimport wave\n")
        self.record(sys.executable, app)
        answer = self.ask()
        self.assertEqual({row["lazy"] for row in answer["suggestions"]}, {"json.tool@__main__", "wave@__main__"})
        self.assertEqual(answer["verdict"], None)
        self.assertIn("json.tool@__main__", self.ok("whatif", "@1"))


if __name__ == "__main__":
    unittest.main()
