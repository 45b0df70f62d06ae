# SPDX-License-Identifier: MIT
"""The conclusion of cProfile dumps: launchers, training loops, waits, and programs with little code of their own."""
import marshal
import unittest

from program import ShelfTest

EXEC = ("~", 0, "<built-in method builtins.exec>")
STRING = ("<string>", 1, "<module>")
MAIN = ("/srv/app/main.py", 1, "<module>")
SITE = "/srv/venv/lib/python3.12/site-packages/"


def dump(*calls):
    """A dump of calls (caller, callee, number of calls, own s, s with callees). Rows with equal callees are added up."""
    functions = {}
    for caller, callee, n, own, total in calls:
        cc, nc, tt, ct, callers = functions.get(callee, (0, 0, 0.0, 0.0, {}))
        if caller:
            callers[caller] = (n, n, float(own), float(total))
        functions[callee] = (cc + n, nc + n, tt + own, max(ct, total) if callee == EXEC else ct + total, callers)
    for caller, *_ in calls:
        if caller and caller not in functions:
            raise ValueError(f"{caller} is called by nothing")
    return marshal.dumps(functions)


class DumpConclusion(ShelfTest):
    def said(self, *calls):
        return self.ok("show", self.json("add", self.file("app.prof", dump(*calls)))["id"])

    def test_what_a_launcher_runs_takes_no_time_of_imports(self):
        """kernprof runs the program by exec, as importlib runs the modules that the program imports."""
        load, run = ("<frozen importlib._bootstrap>", 1349, "_find_and_load"), ("<frozen importlib._bootstrap>", 480, "_call_with_frames_removed")
        kernprof = (SITE + "kernprof.py", 107, "execfile")
        said = self.said((None, STRING, 1, 0, 10), (STRING, kernprof, 1, 0, 10), (kernprof, EXEC, 1, 0, 10), (EXEC, MAIN, 1, 0.2, 10),
                         (MAIN, load, 1, 0.1, 9.8), (load, run, 1, 0, 9.7), (run, EXEC, 1, 0, 9.7),
                         (EXEC, (SITE + "numpy/__init__.py", 1, "<module>"), 1, 9.7, 9.7))
        self.assertIn("Importing numpy for <module> (main.py:1) takes 97.0 % of the time. All imports take 98.0 %.", said)
        self.assertNotIn("execfile: ", said)

    def test_a_generator_on_the_first_line_of_the_file(self):
        """It is a part of the function there, not of the module, which begins on the same line."""
        depth, part, total = ("/srv/app/main.py", 1, "depth"), ("/srv/app/main.py", 1, "<genexpr>"), ("~", 0, "<built-in method builtins.sum>")
        said = self.said((MAIN, depth, 900, 1, 9), (None, MAIN, 1, 1, 10), (depth, total, 900, 1, 8), (total, part, 27000, 7, 7))
        self.assertIn("depth (main.py:1) takes 90.0 % of the time itself.", said)

    def test_a_training_loop_is_needed(self):
        step, backward = (SITE + "torch/optim/optimizer.py", 368, "wrapper"), (SITE + "torch/_tensor.py", 466, "backward")
        said = self.said((None, MAIN, 1, 0.5, 10), (MAIN, step, 3000, 5, 5), (MAIN, backward, 3000, 4.5, 4.5))
        self.assertIn("<module> (main.py:1) takes 100.0 % of the time, in 3000 calls of wrapper of torch. "
                      "Programs call this for its result, so no saving is stated.", said)

    def test_no_more_is_saved_than_the_waits_can_overlap(self):
        get, recv = (SITE + "client/api.py", 9, "get"), ("~", 0, "<method 'recv_into' of '_socket.socket' objects>")
        poll = ("/srv/app/poll.py", 3, "poll")
        said = self.said((None, MAIN, 1, 0, 10), (MAIN, poll, 1, 0, 10), (poll, get, 100, 4, 10), (get, recv, 100, 6, 6))
        self.assertIn("poll (poll.py:3) waits for the network 60.0 % of the time and takes 100.0 % in all, in 100 calls of get of client.", said)
        self.assertIn("Up to 59.4 % could be saved if the waits can overlap.", said)

    def test_a_wait_that_happens_once_below_a_loop(self):
        """`each` is called twice, and fetches once: nothing can overlap."""
        get, recv = (SITE + "client/api.py", 9, "get"), ("~", 0, "<method 'recv_into' of '_socket.socket' objects>")
        each, fetch = ("/srv/app/data.py", 9, "each"), ("/srv/app/data.py", 30, "fetch")
        said = self.said((None, MAIN, 1, 0, 10), (MAIN, each, 2, 0, 10), (each, fetch, 1, 0, 10), (fetch, get, 1, 0, 10), (get, recv, 1, 10, 10))
        self.assertIn("fetch (data.py:30) waits for the network 100.0 % of the time, in 1 call of get of client. "
                      "It waits once, so no saving is stated.", said)

    def test_waits_for_a_key(self):
        said = self.said((None, MAIN, 1, 1, 10), (MAIN, ("~", 0, "<waitKey>"), 300, 9, 9))
        self.assertIn("<module> (main.py:1) sleeps 90.0 % of the time, in 300 calls of waitKey. "
                      "Whether anything needs the pauses is not in the profile.", said.replace(" and takes 100.0 % in all", ""))

    def test_a_program_with_next_to_no_code_of_its_own(self):
        load, unpack = ("<frozen importlib._bootstrap>", 1349, "_find_and_load"), ("~", 0, "<method 'decompress' of 'zlib.Decompress' objects>")
        said = self.said((None, unpack, 1, 5.79, 5.79), (None, MAIN, 1, 0.01, 4.21), (MAIN, load, 9, 4.2, 4.2))
        self.assertIn("No single cause. Own functions take less than 1 % each; 57.9 % is outside of own code.", said)
        self.assertNotIn("10.00 ms         0.1", said)

    def test_a_change_from_0_has_no_percentage(self):
        empty, now = (self.json("add", self.file(f"{name}.prof", dump((None, MAIN, 1, own, own))))["id"] for name, own in (("empty", 0), ("now", 2)))
        self.assertIn("tottime 0 s \u2192 2.000 s, +2.000 s\n", self.ok("diff", empty, now))
        self.assertIn("0 s → 2.000 s, +2.000 s\n", self.ok("diff", empty, now, "--markdown"))


if __name__ == "__main__":
    unittest.main()
