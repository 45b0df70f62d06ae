# SPDX-License-Identifier: MIT
"""The time that a view may take, with a limit so small that each of them exceeds it."""
import os
import unittest
from unittest import mock

from server import RUNS, Server, ServerTest, big_log


class Timeout(ServerTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.run_id = cls("setUp").add(big_log(60000))["id"]
        cls.other_server = cls.server
        with mock.patch.dict(os.environ, PERFSHELF_TIMEOUT_MS="1"):
            cls.server = Server(cls.data)

    @classmethod
    def tearDownClass(cls):
        cls.other_server.end()
        super().tearDownClass()

    def test_views_are_stopped(self):
        for view in ("imports?q=zzz", "what_if", "what_if?lazy=package_0.module_1@*", "imports?sort=self_us"):
            with self.subTest(view):
                self.assertRefused(self.get(f"{RUNS}/{self.run_id}/{view}"), 503, "too_slow")

    def test_a_stopped_view_leaves_nothing_incomplete_behind(self):
        path = f"{RUNS}/{self.run_id}/imports?sort=self_us&limit=100"
        for _ in range(3):
            self.assertEqual(self.get(path).status, 503)
        self.assertEqual(len(self.other_server.request("GET", path).json["rows"]), 100)


if __name__ == "__main__":
    unittest.main()
