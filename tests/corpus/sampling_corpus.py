# SPDX-License-Identifier: MIT
"""JSON lines of Python 3.15's sampling profiler: the same figures as the dump of the same recording."""
import functools
import os
import unittest

from corpus import CORPUS, CorpusTest, Shelf

FOLDER = os.path.join(CORPUS, "made", "sampling-py315")
LINES, DUMP, OTHER = (os.path.join(FOLDER, name) for name in ("longer.jsonl", "longer.prof", "threads_cpu.jsonl"))
FUNCTIONS = "SELECT file, line, name, ncalls, primitive_calls, tottime_s, cumtime_s FROM functions"


@functools.cache
def shelf():
    made = Shelf()
    made.add([LINES, DUMP, OTHER])
    return made


class Sampling(CorpusTest):
    fill = staticmethod(shelf)

    def functions(self, path):
        return {(row["file"], row["line"], row["name"]): row for row in self.shelf.sql(path, FUNCTIONS)}

    def test_sums_equal_those_of_the_dump(self):
        have, want = self.functions(LINES), self.functions(DUMP)
        self.assertEqual(set(have), set(want))
        for key, row in want.items():
            with self.subTest(key):
                if key[2] == "fib":  # calls itself twice on its one line: the sum is an upper bound
                    self.assertGreater(have[key].pop("ncalls"), row.pop("ncalls"))
                    self.assertGreater(have[key].pop("cumtime_s"), row.pop("cumtime_s"))
                self.assertEqual(have[key], row)

    def test_what_is_no_part_of_the_file_is_not_there(self):
        for path in (LINES, OTHER):
            run = self.shelf.of(path)
            self.assertEqual((run["kind"], run["rejected"]), ("pstats", 0))
            self.assertEqual(self.shelf.sql(path, "SELECT * FROM callers"), [])
        self.assertEqual(self.shelf.sql(OTHER, "SELECT sum(primitive_calls) AS n FROM functions"), [{"n": 480}])


if __name__ == "__main__":
    unittest.main()
