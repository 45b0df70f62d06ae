# SPDX-License-Identifier: MIT
"""Many upload and many read at once: nothing fails, nothing is lost, nothing is there twice. `./dev bench load` does it with
more of them, for longer, and with figures."""
import time
import unittest

from load import SHELF_PATHS, Profiles, Readers, Uploaders, check_runs, report_paths, verify
from server import Events, ServerTest
from long import SHORT  # where server.py looks
from wait import wait_until  # where server.py looks

UPLOADERS, READERS, SECONDS, ROUNDS = 16, 64, 2 if SHORT else 5, 3
FIRST = 10 ** 6  # the profiles that are there before are not those that are uploaded


class Load(ServerTest):
    def test_all_that_was_told_is_there(self):
        profiles = Profiles(FIRST)
        first = [self.add(content, name=f"first {i}") for i, content in (profiles.next() for _ in profiles.kinds)]
        uploaders = Uploaders(self.server, UPLOADERS)
        readers = Readers(self.server, READERS, report_paths(first) + list(SHELF_PATHS))
        events = Events(self.server)
        self.addCleanup(events.close)
        uploaders.start()
        readers.start()
        until = time.monotonic() + SECONDS
        # On a slow machine it goes on until there was some load.
        wait_until(lambda: uploaders.faults or readers.faults or time.monotonic() > until and len(uploaders.runs) >= UPLOADERS * ROUNDS, 600, "load")
        uploaders.stop()
        readers.stop()
        self.assertEqual((uploaders.faults[:5], readers.faults[:5]), ([], []))
        self.assertGreater(readers.answers, READERS)
        self.assertEqual(check_runs(self.server, uploaders.runs, [run["id"] for run in first])[:5], [])
        self.assertFalse(events.ended)
        self.assertSpoolEmpties()
        self.assertEqual(verify(self.data), "")


if __name__ == "__main__":
    unittest.main()
