# SPDX-License-Identifier: MIT
"""A server whose disk is full, on a store that others share: what it fetched makes room, and what was accepted waits.

The tests run in a mount namespace of their own, as those of full_http.py.
"""
import os
import shutil
import tempfile
import unittest

from full_http import MIB, run_inside
from server import RUNS, Server, big_log
from long import long_test  # where server.py looks
from postgres import Postgres, needs_postgresql  # where server.py looks
from wait import wait_until  # where server.py looks

SIZE = 96 * MIB


@needs_postgresql
@unittest.skipIf(os.environ.get("PERFSHELF_INSIDE"), "the tests inside are run below")
class FullDisk(unittest.TestCase):
    @long_test
    def test_in_a_small_tmpfs(self):
        run_inside(self, SIZE, "full_shared_http", 2)


@unittest.skipUnless(os.environ.get("PERFSHELF_INSIDE"), "run by FullDisk")
class Inside(unittest.TestCase):
    def setUp(self):
        self.disk = os.environ["PERFSHELF_INSIDE"]
        self.ballast = os.path.join(self.disk, "ballast")
        self.folder = tempfile.mkdtemp(prefix="perfshelf-full-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.postgres = Postgres()
        self.addCleanup(self.postgres.close)
        self.url = self.postgres.database()
        self.large = Server(os.path.join(self.folder, "large"), "--store", self.url)
        self.addCleanup(self.large.end)
        self.small = Server(os.path.join(self.disk, "small"), "--store", self.url)
        self.addCleanup(shutil.rmtree, os.path.join(self.disk, "small"))
        self.addCleanup(self.small.end)

    def leave(self, free):
        """Only so many bytes are free."""
        about = os.statvfs(self.disk)
        with open(self.ballast, "wb") as file:
            os.posix_fallocate(file.fileno(), 0, about.f_bavail * about.f_frsize - free)
        self.addCleanup(lambda: os.path.exists(self.ballast) and os.unlink(self.ballast))

    def test_what_was_fetched_makes_room(self):
        runs = [self.large.request("POST", f"{RUNS}?wait=1", big_log(6000, seed)).json["id"] for seed in range(9)]
        self.leave(4 * MIB)  # for six of them, and the bound of the cache is far away
        for _ in range(2):
            for run in runs:
                answer = self.small.request("GET", f"{RUNS}/{run}/imports?nodes=2")
                self.assertEqual(answer.status, 200, answer.body)
        self.assertEqual(self.small.request("POST", f"{RUNS}?wait=1", big_log(100, 10)).status, 201)

    def uploads(self):
        """Each with the session that has it in hand."""
        return set(self.postgres.sql(self.url, "SELECT id, session FROM upload").split())

    def states(self, jobs):
        return [self.small.request("GET", f"/api/v1/jobs/{job}").json["state"] for job in jobs]

    def test_what_another_had_accepted_waits(self):
        with self.postgres.refusing(self.url, "run", "true"):  # so that the one which accepts them finishes none
            jobs = [self.large.request("POST", RUNS, big_log(rows, 20 + rows)).json["job"]["id"] for rows in (300000, 300001, 20000)]
            accepted = self.uploads()
            self.leave(256 << 10)
            self.large.process.kill()
            self.large.process.communicate()
            wait_until(lambda: not self.uploads() & accepted, 60, "the other server takes them over")
        waiting = self.states(jobs)
        self.assertNotIn("failed", waiting, [self.small.request("GET", f"/api/v1/jobs/{job}").body for job in jobs])
        self.assertNotEqual(waiting, ["done"] * 3)
        os.unlink(self.ballast)
        wait_until(lambda: self.states(jobs) == ["done"] * 3, 60, lambda: f"all jobs are done: {self.states(jobs)}")


if __name__ == "__main__":
    unittest.main()
