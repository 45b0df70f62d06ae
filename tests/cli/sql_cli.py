# SPDX-License-Identifier: MIT
"""What `perfshelf sql` prints and refuses, and where it ends."""
import unittest

from program import ShelfTest, import_log

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"


class Sql(ShelfTest):
    def setUp(self):
        super().setUp()
        self.ok("add", self.file("log.txt", import_log()), "--name", "log", "--json")

    def test_forms(self):
        """Columns are as wide as their widest text, in characters; what is absent is an empty cell."""
        sql = "SELECT 1 AS a, 'zwölf' AS text, 1.5 AS real UNION ALL SELECT 2000, NULL, 0.1 + 0.2"
        self.assertEqual(self.ok("sql", "log", sql), "a     text   real\n1     zwölf  1.5\n2000         0.30000000000000004\n")
        self.assertEqual(self.ok("sql", "log", sql, "--csv"), "a,text,real\r\n1,zwölf,1.5\r\n2000,,0.30000000000000004\r\n")
        self.assertEqual(self.json("sql", "log", sql), [{"a": 1, "text": "zwölf", "real": 1.5}, {"a": 2000, "text": None, "real": 0.1 + 0.2}])

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
