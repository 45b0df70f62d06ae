# SPDX-License-Identifier: MIT
"""What is left of a test run that was killed: nothing that goes on running."""
import os
import subprocess
import sys
import tempfile
import unittest

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, TESTS)

from postgres import needs_postgresql  # noqa: E402
from wait import wait_until  # noqa: E402

HOLDER = "import postgres, sys; server = postgres.Postgres(); print(server.folder, server.process.pid, flush=True); sys.stdin.read()"


# A run of tests/run_steps.py with one step of one unit.
RUN = """
import run_steps, sys
run_steps.LOGS = sys.argv[1]
run_steps.TIMES = sys.argv[1] + "/times"
run_steps.STEPS = {"only": (None, lambda step: run_steps.script(step, "sh", "-c", sys.argv[2]))}
sys.exit(run_steps.main([]))
"""


class Run(unittest.TestCase):
    def setUp(self):
        self.logs = self.enterContext(tempfile.TemporaryDirectory())

    def start(self, script):
        return subprocess.Popen([sys.executable, "-c", RUN, self.logs, script], cwd=TESTS, stdout=subprocess.PIPE, text=True)

    def test_a_failed_unit_is_shown_and_counts(self):
        with self.start("echo FAIL: one; echo why; exit 3") as run:
            said = run.stdout.read()
        self.assertEqual(run.returncode, 1)
        self.assertEqual(said.count("FAIL: one\nwhy\n"), 2, said)  # as it ran, and again at the end
        self.assertTrue(said.endswith("\n0 passed, 1 failed, 0 skipped\n"), said)

    def test_a_killed_run_leaves_no_process(self):
        with self.start("sleep 1000 & echo child $!; wait") as run:
            pid = next(line.split()[1] for line in run.stdout if line.startswith("child"))
            self.assertTrue(os.path.exists(f"/proc/{pid}"))
            run.kill()
        wait_until(lambda: not os.path.exists(f"/proc/{pid}"), 60, "the process of the test has ended")


@needs_postgresql
class Killed(unittest.TestCase):
    def test_a_killed_test_leaves_no_postgresql(self):
        with subprocess.Popen([sys.executable, "-c", HOLDER], cwd=TESTS, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
            folder, pid = holder.stdout.readline().split()
            self.assertTrue(os.path.exists(f"/proc/{pid}"))
            holder.kill()
        wait_until(lambda: not os.path.exists(f"/proc/{pid}"), 60, "the server has ended")
        wait_until(lambda: not os.path.exists(folder), 60, "its folder is deleted")


if __name__ == "__main__":
    unittest.main()
