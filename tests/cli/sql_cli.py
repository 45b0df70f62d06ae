# SPDX-License-Identifier: MIT
"""What `perfshelf sql` refuses, and where it ends."""
import unittest

from program import ShelfTest, import_log

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"


class Sql(ShelfTest):
    def setUp(self):
        super().setUp()
        self.ok("add", self.file("log.txt", import_log()), "--name", "log", "--json")

    def test_rows_are_all_there_or_none(self):
        self.assertEqual(len(self.json("sql", "log", f"{ENDLESS} SELECT i FROM n LIMIT 20", "--rows", "20")), 20)
        for how in ("--json", "--csv"):
            self.assertIn("more than 20 rows", self.fails("sql", "log", f"{ENDLESS} SELECT i FROM n", "--rows", "20", how))
        self.assertIn("for --rows: not a positive whole number", self.fails("sql", "log", "SELECT 1", "--rows", "none", status=2))

    def test_time_is_limited(self):
        self.assertIn("took too long", self.fails("sql", "log", f"{ENDLESS} SELECT count(*) FROM n", "--seconds", "1"))
        self.assertIn("for --seconds: not a whole number from 1", self.fails("sql", "log", "SELECT 1", "--seconds", "0", status=2))

    def test_nothing_but_reading(self):
        for sql in ("DELETE FROM note", "ATTACH 'x' AS y", "SELECT load_extension('x')", "PRAGMA journal_mode=WAL", "SELECT * FROM dbstat"):
            self.fails("sql", "log", sql)


if __name__ == "__main__":
    unittest.main()
