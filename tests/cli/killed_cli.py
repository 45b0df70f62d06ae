# SPDX-License-Identifier: MIT
"""What is left of a test run that was killed: nothing that goes on running."""
import os
import subprocess
import sys
import unittest

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, TESTS)

from postgres import needs_postgresql  # noqa: E402
from wait import wait_until  # noqa: E402

HOLDER = "import postgres, sys; server = postgres.Postgres(); print(server.folder, server.process.pid, flush=True); sys.stdin.read()"


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
