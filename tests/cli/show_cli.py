# SPDX-License-Identifier: MIT
"""`show RUN`: what is known of a run, and what is slow in it, as wide as the terminal."""
import json
import marshal
import os
import pty
import re
import struct
import subprocess
import termios
import unittest
from fcntl import ioctl

from program import DEMO, PROGRAM, ShelfTest


class Show(ShelfTest):
    def setUp(self):
        super().setUp()
        self.ok("add", os.path.join(DEMO, "bookshop-slow.prof"), "--name", "shop")

    def table(self, *words):
        """The lines of the last table: its title, its head, its rows."""
        return self.ok("show", "shop", *words).split("\n\n")[-1].splitlines()

    def rows(self, sql):
        return [row["name"] for row in self.json("sql", "shop", f"SELECT name FROM functions ORDER BY {sql} LIMIT 4")]

    def test_what_is_slow(self):
        table = self.table()
        first, second = self.rows("tottime_s DESC")[:2]
        self.assertEqual(table[0], "Functions by Self time")
        self.assertRegex(table[1], r"^Self time +of total +Total time +Calls +function$")
        self.assertIn(first, table[2])
        self.assertIn(second, table[3])
        self.assertRegex(table[-1], r"^10 of 455 rows shown; --rows shows more$")
        self.assertEqual(len(table), 2 + 10 + 1)

    def test_of_rows_sort(self):
        table = self.table("--rows", "2", "--metric", "cumtime_s")
        self.assertEqual((table[0], len(table)), ("Functions by Total time", 5))
        self.assertIn(self.rows("cumtime_s DESC")[0], table[2])
        said = self.ok("show", "shop", "--rows", "3", "--sort", "ncalls").split("\n\n")[-1].splitlines()
        self.assertEqual(said[0], "Functions by ncalls")
        self.assertIn(self.rows("ncalls DESC")[0], said[2])
        names = [re.split(r"  +", line.strip())[4:] for line in self.ok("show", "shop", "--rows", "3", "--sort", "name").split("\n\n")[-1].splitlines()[2:5]]
        self.assertEqual(names, sorted(names))
        self.assertIn("no metric 'nothing'", self.fails("show", "shop", "--sort", "nothing"))
        self.assertIn("no table 'nothing'", self.fails("show", "shop", "--of", "nothing"))
        for words in (("--sort", "nope"), ("--of", "nope"), ("--metric", "nope")):
            self.assertIn("nope", self.fails("show", "shop", "--json", *words))
        self.assertEqual(self.json("show", "shop", "--of", "functions")["name"], "shop")
        self.assertIn("for --rows: not a positive whole number", self.fails("show", "shop", "--rows", "0", status=2))

    def test_facts_keep_fractions_and_units(self):
        self.ok("add", os.path.join(DEMO, "training-waits.pt.trace.json.gz"), "--name", "waits")
        self.ok("add", os.path.join(DEMO, "events-memory.txt"), "--name", "memory")
        facts = {name: dict(line.split(maxsplit=1) for line in self.ok("show", name).split("\n\n")[0].splitlines() if " " in line)
                 for name in ("waits", "memory")}
        summary = self.json("show", "waits")["summary"]
        self.assertTrue(0 < summary["gpu_busy"] < 1)
        self.assertAlmostEqual(float(facts["waits"]["gpu_busy"]), summary["gpu_busy"], 3)
        self.assertEqual((summary["step_ns"], facts["waits"]["step_ns"]), (8751030, "8.751 ms"))
        self.assertEqual((summary["peak_bytes"], facts["waits"]["peak_bytes"]), (2281701376, "2.12 GiB"))
        self.assertEqual(facts["memory"]["peak_mib"], "40.7 MiB")

    def test_growth_is_a_rate(self):
        self.ok("add", self.file("m.dat", b"CMDLINE python app.py\nMEM 10.0 1700000000.0\nMEM 14.5 1700000001.0\nMEM 19.0 1700000002.0\n"), "--name", "m")
        self.assertRegex(self.ok("show", "m"), r"slope_mib_s +4\.5 MiB/s\n")

    def test_every_demo_profile_has_a_table(self):
        for name in sorted(os.listdir(DEMO)):
            if not name.endswith(".gz"):  # traces take their time
                said = self.json("add", os.path.join(DEMO, name))
                self.assertRegex(self.ok("show", said["id"], "--rows", "1"), r"\n\n\w+.* by \w+", name)

    def test_values_of_different_units_are_not_ranked(self):
        times = {"mean": 0.5, "stddev": None, "median": 0.5, "user": 0.25, "system": 0.1, "min": 0.5, "max": 0.5, "times": [0.5], "exit_codes": [0]}
        content = {"results": [{"command": "app", **times, "memory_usage_byte": [4198400]}]}
        run = self.json("add", self.file("h.json", json.dumps(content).encode()), "--name", "hyper")["id"]
        shown = self.ok("show", run)
        self.assertRegex(shown, r"(?m)^4\.00 MiB +lower +peak memory: app$")
        self.assertRegex(shown, r"(?m)^500\.0 ms +lower +wall clock: app$")
        content["results"][0]["mean"] = 0.6
        other = self.json("add", self.file("i.json", json.dumps(content).encode()))["id"]
        self.assertIn("4.00 MiB", self.ok("show", f"{run},{other}"))
        self.assertIn("+100.0 ms", self.ok("diff", run, other))

    def test_a_built_in_caller_is_named(self):
        """It has no file: cProfile writes ~."""
        total, generator = ("~", 0, "<built-in method builtins.sum>"), ("app.py", 3, "<genexpr>")
        stats = {total: (1, 1, 0.1, 1.0, {}), generator: (9, 9, 0.9, 0.9, {total: (9, 9, 0.9, 0.9)})}
        run = self.json("add", self.file("sum.prof", marshal.dumps(stats)))["id"]
        self.assertIn("<genexpr>: 9 calls from <built-in method builtins.sum>\n", self.ok("show", run))

    def test_conclusion_of_the_page(self):
        sentence, causes, composition, notes = self.ok("show", "shop").split("\n\n")[1:5]
        self.assertRegex(sentence, r"^author_of \(bookshop\.py:29\) takes 41\.0 % of the time, in 12000 calls of sqlite3\.Cursor\.fetchone\. "
                                   r"books_one_by_one \(bookshop\.py:33\) calls it 40 times in each of its calls\. ")
        rows = causes.splitlines()
        self.assertEqual(rows[0], "Causes")
        self.assertRegex(rows[1], r"^ +time  of total +could save  cause: evidence$")
        self.assertRegex(rows[2], r"^655\.5 ms +41\.0 % +0 to 39\.3 %  author_of: 12000 calls from bookshop\.py:33\. One query for all rows, or executemany, instead of one for each\.$")
        self.assertRegex(rows[3], r"^379\.8 ms +23\.7 % +  <method 'fetchone' of 'sqlite3\.Cursor' objects>: 12000 calls$")
        self.assertEqual(composition, "Self time by origin: built-in 57.9 %, third-party 37.3 %, stdlib 3.2 %, own 1.6 %, unknown 0.0 % of total, 1.599 s.")
        self.assertIn("A saving is an upper bound", notes)

    def test_conclusion_of_every_kind(self):
        for name in sorted(os.listdir(DEMO)):
            run = self.json("add", os.path.join(DEMO, name))
            shown = self.ok("show", run["id"], "--rows", "1").split("\n\n")[1]
            self.assertRegex(shown, r"^\S.*[.:]$", name)
            self.assertNotIn("null", shown, name)

    def test_frames_lose_their_folders(self):
        self.ok("add", os.path.join(DEMO, "training-waits.pt.trace.json.gz"), "--name", "waits")
        shown = self.ok("show", "waits").split("\n\n")
        self.assertEqual(shown[1], "The loop waits for data. The DataLoader takes 4.085 ms of the 8.751 ms of a step, while nothing else runs.")
        self.assertRegex(shown[2], r"(?m)^   4\.085 ms +46\.7 %  up to 4\.085 ms  Waiting for the DataLoader: 12 calls\. ")
        self.assertRegex(shown[3], r"^Mean of 12 steps: GPU kernel 49\.0 %, copy 3\.6 %, .*, other 0\.1 % of step, 8\.751 ms\.$")
        self.assertTrue(shown[4].endswith("12 checks passed."), shown[4])

    def test_hostile_names_are_escaped(self):
        name = "-X importtime \x1b[31mred"
        log = "import time: self [us] | cumulative | imported package\nimport time:   900000 |     900000 | evil\x1b[31m\n"
        run = self.json("add", self.file("evil.log", log.encode()), "--name", name)["id"]
        self.assertNotIn("\x1b", self.ok("show", run))

    def on_terminal(self, width, **environment):
        ours, theirs = pty.openpty()
        ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
        process = subprocess.Popen([PROGRAM, "show", "shop", "--data", self.data], stdout=theirs, stdin=subprocess.DEVNULL,
                                   env={**os.environ, "TERM": "xterm", "NO_COLOR": "", **environment})
        os.close(theirs)
        said = b""
        try:
            while more := os.read(ours, 65536):
                said += more
        except OSError:
            pass  # the other end is closed
        os.close(ours)
        self.assertEqual(process.wait(timeout=60), 0)
        return said.decode().replace("\r", "")

    def test_calls_without_a_caller_are_counted(self):
        """Of a merged dump, of which one part was recorded with subcalls=False."""
        main, small = ("app.py", 1, "main"), ("app.py", 9, "small")
        self.ok("add", self.file("merged.prof", marshal.dumps({main: (2, 2, 0.1, 2.2, {}), small: (240, 240, 2.1, 2.1, {main: (120, 120, 1.0, 1.0)})})))
        said = self.ok("show", "@1")
        self.assertIn("main (app.py:1) calls it 120 times. ", said)
        self.assertIn("small: 120 of 240 calls from app.py:1", said)

    def test_unknown_calls_are_not_printed(self):
        """Of pyinstrument's dumps, which count no calls and give functions of C no line."""
        main, count = ("app.py", 1, "main"), ("<built-in>", 0, "count")
        self.ok("add", self.file("unknown.prof", marshal.dumps({main: (-1, -1, 0.5, 1.0, {}), count: (-1, -1, 0.5, 0.5, {main: (-1, -1, 0.5, 0.5)})})))
        said = self.ok("explore", "@1", "main")
        self.assertNotIn("nan", said)
        self.assertIn("`count` `<built-in>` |", said)

    def test_a_terminal_shows_bars_and_colours(self):
        said = self.on_terminal(100)
        self.assertTrue(said.startswith("\x1b[1mshop\x1b[0m\npstats "), said[:40])
        self.assertRegex(said, r"379\.8 ms +23\.7 %  \x1b\[36m\u2587{10}\x1b\[0m +379\.8 ms +12000  <method 'fetchone'")
        self.assertRegex(said, r"73\.45 ms +4\.6 %  \x1b\[36m\u2587\u2587\x1b\[0m ")
        self.assertIn("\nsha256 ", said)
        self.assertLess(said.index("author_of (bookshop.py:29) takes"), said.index("Functions"))
        self.assertNotIn("\x1b", self.on_terminal(100, TERM="dumb"))
        self.assertNotIn("\u2587", self.ok("show", "shop"))

    def test_it_fits_the_terminal(self):
        for width in (60, 100):
            said = self.on_terminal(width, NO_COLOR="1")
            self.assertNotIn("\x1b", said)
            paragraphs = said.split("\n\n")[1:-1] # all but the title and the facts, which are not wrapped
            self.assertLessEqual(max(len(line) for paragraph in paragraphs for line in paragraph.splitlines()), width)
            rows = paragraphs[-1].splitlines()[1:-1]
            self.assertTrue(any("\u2026" in row for row in rows))
            self.assertLessEqual(max(map(len, rows)), width)


if __name__ == "__main__":
    unittest.main()
