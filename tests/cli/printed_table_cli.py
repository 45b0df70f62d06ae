# SPDX-License-Identifier: MIT
"""The conclusion of a printed pstats table, as people post it: total times tell what own times do not."""
from program import ShelfTest

HEAD = """         900000 function calls (800000 primitive calls) in 102.700 seconds

   Ordered by: cumulative time

   ncalls  tottime  percall  cumtime  percall filename:lineno(function)
"""


def table(*rows):
    return (HEAD + "".join(f"{calls:>9} {own:8.3f}    0.000 {total:8.3f}    0.000 {name}\n" for calls, own, total, name in rows)).encode()


ENTRY = [("6", 0.1, 102.7, "{built-in method builtins.exec}"), ("1", 0.1, 102.6, "app.py:1(<module>)"), ("1", 0.1, 102.5, "app.py:90(main)")]
BLOCKS = [("99", 0.1, 99.0, "app.py:40(find_blocks)"), ("198000/99", 9.0, 88.4, "copy.py:128(deepcopy)"), ("500000", 9.0, 9.0, "{method 'get' of 'dict' objects}")]


class PrintedTable(ShelfTest):
    def said(self, *rows):
        text = self.ok("show", self.json("add", self.file("table.txt", table(*rows)))["id"], "--markdown")
        return next(line for line in text.splitlines() if " of the time" in line)

    def test_the_row_that_repeats_and_what_it_spends_its_time_in(self):
        self.assertEqual(self.said(*ENTRY, *BLOCKS),
                         "`find_blocks` takes 96.4 % of the time in 99 calls, with what it calls. "
                         "Among the rows with less, `deepcopy` has 86.1 % of the time in 198000 calls.")

    def test_one_row_repeats(self):
        self.assertEqual(self.said(*ENTRY, BLOCKS[0], BLOCKS[2]), "`find_blocks` takes 96.4 % of the time in 99 calls, with what it calls.")

    def test_own_time_is_the_answer_where_one_row_has_it(self):
        self.assertTrue(self.said(*ENTRY, *BLOCKS[:2], ("1000", 60.0, 60.0, "app.py:7(compare)")).startswith("`compare` takes 58.4 % of the time."))

    def test_entries_alone(self):
        self.assertIn("The largest share of the time is 11.7 % in `compare`.", self.said(*ENTRY, ("5", 12.0, 12.0, "app.py:7(compare)")))

    def test_a_built_in_function_that_waits(self):
        rows = (*ENTRY, ("60", 80.0, 80.0, "{built-in method select.select}"), ("3", 20.0, 20.0, "app.py:7(compare)"))
        self.assertEqual(self.said(*rows), "`<built-in method select.select>` waits 77.9 % of the time. 80.00 s of 102.7 s in 60 calls.")
