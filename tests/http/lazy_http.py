# SPDX-License-Identifier: MIT
"""What lazy imports save has one figure: in the conclusion, in the list of packages, and for each package alone."""
import unittest

from server import RUNS, ServerTest

# app is the own code; the program calls a function that imports wave.
LOG = """import time: self [us] | cumulative | imported package
import time:       150 |        150 | encodings
import time:       420 |        420 | site
import time:      3000 |       3000 |     json.decoder
import time:      1000 |       4000 |   json
import time:       500 |        500 |   argparse
import time:     90000 |      94500 | app.config
import time:      2000 |       2000 |     numpy.core
import time:      9000 |      11000 |   numpy
import time:       100 |      11100 | app.model
import time:      7000 |       7000 | wave
"""
EDGES = """import edges: 9
import edge: __main__ | app.config
import edge: __main__ | app.model
import edge in a function: __main__ | wave
import edge: app.config | json
import edge: app.config | argparse
import edge: app.model | numpy
import edge: app.model | json
import edge: json | json.decoder
import edge: numpy | numpy.core
"""

# The program imports geo.points; geo imports geo.surface in its __init__.
PULLED_IN = """import time: self [us] | cumulative | imported package
import time:       420 |        420 | site
import time:     50000 |      50000 |       numpy
import time:      1000 |      51000 |     geo.surface
import time:       100 |      51100 |   geo
import time:       900 |      52000 | geo.points
"""
PULLED_IN_EDGES = """import edges: 3
import edge: __main__ | geo.points
import edge: geo | geo.surface
import edge: geo.surface | numpy
"""


def text_of(parts):
    return "".join(part.get("text") or part.get("code") or f"{part['value']:.4g} {part['unit']}" for part in parts)


class Lazy(ServerTest):
    def ask(self, log, lazy=None):
        run = self.add(log.encode())["id"]
        what_if = self.get_json(f"{RUNS}/{run}/what_if" + (f"?lazy={lazy}" if lazy else ""))
        return what_if, self.get_json(f"{RUNS}/{run}/conclusion")

    def causes(self, conclusion):
        return {text_of(cause["title"]): cause for cause in conclusion["causes"]}

    def test_own_work_is_a_cause(self):
        for log in (LOG, LOG + EDGES):
            _, conclusion = self.ask(log)
            self.assertEqual(text_of(conclusion["verdict"]), "app.config takes 79.53 percent of the import time in its own code.")
            cause = self.causes(conclusion)["app.config"]
            self.assertEqual((cause["amount"], cause["save_max"]), (0.09, 0.09))

    def test_a_plain_log_promises_nothing_of_packages(self):
        what_if, conclusion = self.ask(LOG)
        self.assertEqual({row["low_us"] for row in what_if["suggestions"]}, {0})
        saved = {cause["rule"] for cause in conclusion["causes"] if cause["save_max"] is not None}
        self.assertEqual(saved, {"own_module"})
        self.assertIn("could be saved, if nothing needs its results at start", text_of(conclusion["sentence"]))
        self.assertIn("imported by the program or in a function", text_of(self.causes(conclusion)["wave"]["evidence"]))
        self.assertIn("first imported by app.config", text_of(self.causes(conclusion)["json"]["evidence"]))

    def test_what_is_used_at_start_saves_nothing(self):
        """Own code of routes and models is needed; a package that is not used at start comes first."""
        log = LOG.replace("numpy", "flask").replace("90000", "  900")
        for text in (log, log + EDGES.replace("numpy", "flask")):
            what_if, conclusion = self.ask(text)
            self.assertNotIn("flask", [row["package"] for row in what_if["suggestions"]])
            self.assertNotIn("flask", text_of(conclusion["verdict"]))
            self.assertIsNone(self.causes(conclusion)["flask"]["save_max"])
            self.assertEqual([c["save_max"] for c in conclusion["causes"] if c["rule"] == "own_module"], [None])

    def test_a_package_that_imports_what_was_not_asked_for(self):
        _, conclusion = self.ask(PULLED_IN)
        self.assertEqual(text_of(conclusion["verdict"]), "geo.surface takes 97.29 percent of the import time.")
        said = " geo.__init__ imports it, though geo.points is what is imported. It brings numpy."
        self.assertEqual(text_of(conclusion["sentence"]), said)
        what_if, conclusion = self.ask(PULLED_IN + PULLED_IN_EDGES, "geo.surface@geo")
        self.assertEqual(what_if["saving_us"]["high"], 51000)
        self.assertEqual(text_of(conclusion["sentence"]), said + " Imported lazily, it would save up to 0.051 s of 0.05242 s, unless start-up uses it.")

    def test_several_processes(self):
        """The rows of a process follow each other here; each process has a header."""
        _, conclusion = self.ask(PULLED_IN * 2)
        self.assertEqual(text_of(conclusion["verdict"]), "49.6 percent of the import time is for modules that an earlier process of the log imports too.")
        self.assertIn("The largest is geo.points", text_of(conclusion["sentence"]))

    def test_one_figure_for_one_question(self):
        what_if, conclusion = self.ask(LOG + EDGES)
        causes = self.causes(conclusion)
        alone = {}
        for row in what_if["suggestions"]:
            saving = self.ask(LOG + EDGES, row["lazy"])[0]["saving_us"]
            self.assertEqual((row["low_us"], row["high_us"]), (saving["low"], saving["high"]))
            alone[row["package"]] = saving["high"]
        # Both importers of json are own code; app.model alone imports numpy.
        self.assertEqual(alone, {"json": 4000, "numpy": 11000, "argparse": 500})
        self.assertEqual({name: causes[name]["save_max"] for name in ("json", "numpy")}, {"json": 0.004, "numpy": 0.011})
        for name, cause in causes.items():
            self.assertLessEqual(cause["save_max"] or 0, cause["amount"], name)
        self.assertIn("it is lazy already", text_of(causes["wave"]["evidence"]))
        self.assertIsNone(causes["wave"]["save_max"])
        self.assertEqual(self.ask(LOG + EDGES, "wave")[0]["saving_us"], {"low": 0, "high": 0})
        self.assertIn("2 count packages that save 2 % or more each would save up to 0.015 s together", text_of(conclusion["sentence"]))

    def test_parts_of_what_was_asked_for(self):
        log = ("import time: self [us] | cumulative | imported package\n"
               "import time: 300 | 300 |   numpy.core\nimport time: 600 | 600 |   numpy.linalg\nimport time: 50 | 950 | numpy\n")
        _, conclusion = self.ask(log)
        self.assertEqual(text_of(conclusion["sentence"]), " Its largest parts are numpy.linalg 63.16 percent, numpy.core 31.58 percent.")


if __name__ == "__main__":
    unittest.main()
