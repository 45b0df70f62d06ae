# SPDX-License-Identifier: MIT
"""Fields that a tool fills otherwise than the format says are read as the tool means them. Samples: tests/golden."""
import json
import os

from program import ROOT, ShelfTest


class Fields(ShelfTest):
    def add(self, name):
        """The id of the run of a sample."""
        return self.json("add", os.path.join(ROOT, "tests", "golden", name))["id"]

    def show(self, name):
        run = self.add(name)
        return run, self.ok("show", run)

    def query(self, run, sql):
        return self.json("sql", run, sql)


class Scalene(Fields):
    def test_system_is_not_running(self):
        _, text = self.show("scalene/ok_v240_async.json")
        self.assertIn("asyncio.run(main()) takes 53.3 % of the samples. 5.5 % in Python, 0.0 % in native code, 47.7 % not running", text)
        self.assertIn("73.0 % to line 14, await fetch(0.4); 11.6 % to line 5", text)

    def test_lines_of_a_loop_are_one_cause(self):
        run, text = self.show("scalene/ok_v240_loops.json")
        self.assertIn("for i in range(n): to line 4 takes 74.7 % of the samples. 20.8 % in Python", text)
        self.assertIn("while x < n: to line 11", text)
        shares = self.query(run, "SELECT cpu_python_pct + cpu_native_pct + cpu_system_pct AS share FROM line_sum WHERE function = 1")
        self.assertAlmostEqual(shares[0]["share"], 74.687, 3)

    def conclude_lines(self, lines):
        """The verdict on a profile with lines of the function that begins at a line, with their samples in Python and those that did not run."""
        rows = [{"lineno": number, "line": source, "start_function_line": first, "n_cpu_percent_python": python, "n_cpu_percent_c": 0, "n_sys_percent": system}
                for number, source, first, python, system in lines]
        functions = [{"lineno": row["lineno"], "line": row["line"].split()[1].partition("(")[0], "n_cpu_percent_python": 0, "n_cpu_percent_c": 0, "n_sys_percent": 0}
                     for row in rows if row["line"].startswith("def ")]
        file = {"functions": functions, "lines": rows, "percent_cpu_time": 100}
        profile = {"elapsed_time_sec": 9, "program": "a.py", "files": {"/srv/a.py": file}}
        return self.ok("show", self.json("add", self.file(f"{len(lines)}.json", json.dumps(profile).encode()))["id"])

    def test_samples_fall_on_calls_and_ends_of_loops(self):
        """findings/scalene_next_line.sh: the time of a search is counted at the next line that calls, or ends the loop."""
        def show(*rows):
            return self.conclude_lines([(1, "def find(names, wanted):", 1, 0, 0), (2, "    for name in wanted:", 1, 0, 0), *((n, text, 1, 90 if n == 6 else 0, 0) for n, text in rows), (9, "find(n, w)", 0, 1, 0)])
        hint = "Samples fall on calls and on ends of loops: the time may also be of"
        is_known, total, end = (4, "        known = name in names"), (5, "        both = names + wanted"), (6, "        found += known")
        self.assertIn(f"{hint} both = names + wanted at a.py:5, which has neither.", show(total, end))
        self.assertIn(f"{hint} known = name in names to line 5 at a.py:4, which has neither.", show(is_known, total, end))
        self.assertIn(f"{hint} if name in names: at a.py:5, which has neither.", show((5, "        if name in names:"), (6, "            found += 1")))
        call = (6, "        text = str(name)")
        self.assertIn(f"{hint} known = name in names at a.py:4, which has neither.", show(is_known, total, call))
        for rows in ((total, call), ((5, "        known = name"), end), (is_known, (5, "        look(name)"), end), ((5, "            both = names + wanted"), end)):
            with self.subTest(rows=rows):
                self.assertNotIn(hint, show(*rows))

    def test_function_whose_samples_are_on_many_lines(self):
        text = self.conclude_lines([(1, "import csv", 0, 5, 15), (3, "def count(rows):", 3, 20, 10), (5, "    for row in rows:", 3, 15, 5), (6, "        n[row] += 1", 3, 12, 8), (9, "count(f)", 0, 0, 10)])
        self.assertIn("count (a.py:3) takes 70.0 % of the samples. Imports take 20.0 % of the samples.", text)

    def test_function_that_a_library_calls(self):
        """Imports have most of the samples, but hardly ran."""
        text = self.conclude_lines([(1, "import pandas", 0, 4, 50), (3, "def rate(row):", 3, 1, 1), (4, "    return row.a", 3, 10, 10), (7, "t = t.apply(rate, axis=1)", 0, 10, 14)])
        self.assertIn("rate (a.py:3) takes 22.0 % of the samples. Its largest line is a.py:4, with 20.0 %. It is called back from a.py:7, which takes 24.0 % more.", text)

    def test_lines_with_few_of_the_samples_say_so(self):
        with open(os.path.join(ROOT, "tests", "golden", "scalene", "ok_v240_loops.json"), encoding="utf-8") as file:
            profile = json.load(file)
        for row in [row for file in profile["files"].values() for row in file["lines"] + file["functions"]]:
            for field in ("n_cpu_percent_c", "n_cpu_percent_python", "n_sys_percent"):
                row[field] /= 1000
        text = self.ok("show", self.json("add", self.file("few.json", json.dumps(profile).encode()))["id"])
        self.assertRegex(text, r"The lines have 0\.\d+ % of the samples\. The file does not say where the others are\.")
        self.assertIn(" of the samples of all lines.", text)
        self.assertNotIn("The lines have", self.show("scalene/ok_v240_loops.json")[1])

    def test_own_threads_are_not_the_program(self):
        _, text = self.show("scalene/ok_v240_profile_all.json")
        self.assertIn("t += pow(i, 2, 7) takes 21.9 % of the samples.", text)
        self.assertIn("Warning: 75.0 % of the samples are those of Scalene's own threads", text)

    def test_the_leak_and_the_peak_are_named(self):
        _, text = self.show("scalene/ok_v240_leak.json")
        self.assertIn(" Memory peaks at 324 MiB. leak.py:6 leaks with a likelihood of 97.3 %, at most 136 MiB/s.", text)

    def test_times_are_compared_not_shares(self):
        base, new = (self.add(f"scalene/ok_v240_{name}.json") for name in ("loops", "loops_slower"))
        rows = {row["name"].strip(): row for row in self.json("diff", base, new)["rows"]}
        loop = [rows[name] for name in ("for i in range(n):", "t += i * i % 7 + i * 3 % 5 + i ** 2 % 13")]
        self.assertAlmostEqual(sum(row["base"] for row in loop), 0.7469 * 2.943, 3)
        self.assertAlmostEqual(sum(row["new"] for row in loop), 0.2738 * 9.545, 2)


class Pyinstrument(Fields):
    def test_calls_left_out_are_named(self):
        _, text = self.show("speedscope/ok_pyinstrument.json")
        self.assertRegex(text, r"15.60 s +98.8 %   15.60 s .* \[calls left out\]\n")
        self.assertIn("Warning: pyinstrument left out calls with less than 1 % of the time: 15.60 s", text)
        self.assertIn("main (app.py:9) takes 98.8 % of the time, in [calls left out].", text)
        _, text = self.show("speedscope/ok_few_events.json")
        self.assertIn("Warning: the events cover 0.1 % of the time", text)

    def test_awaiting_is_waiting(self):
        _, text = self.show("pyinstrument/ok_session_await.pyisession")
        self.assertIn("load_page (", text)


    def test_lines_are_those_of_definitions(self):
        """All samples of a function are at the line of its `def`: that says neither where it works nor that it waits."""
        _, text = self.show("pyinstrument/ok_session_await.pyisession")
        self.assertIn("defined at ", text)
        self.assertNotIn("all at ", text)
        self.assertNotIn("which may wait", text)

    def test_dump_has_no_counts_and_no_time_twice(self):
        run, text = self.show("pstats/ok_pyinstrument.prof")
        self.assertIn("small: called from deep.py:20", text)
        row = self.query(run, "SELECT ncalls, cumtime_s FROM functions WHERE name = 'spin'")[0]
        self.assertIsNone(row["ncalls"])
        self.assertAlmostEqual(row["cumtime_s"], 0.301015, 6)  # of 3.612 s: each of 12 levels has it


class Yappi(Fields):
    def test_time_in_c_belongs_to_its_caller(self):
        run, text = self.show("pstats/ok_yappi.prof")
        self.assertIn("load (heavy.py:4) takes 53.2 % of the time itself.", text) # with its <listcomp>
        self.assertIn("Next: rank (heavy.py:9) 44.2 %.", text)
        self.assertEqual(self.query(run, "SELECT tool FROM run")[0]["tool"], "yappi")

    def test_counts_are_all_and_primitive(self):
        run, _ = self.show("pstats/ok_yappi_recursive.prof")
        row = self.query(run, "SELECT ncalls, primitive_calls FROM functions WHERE name = 'rec'")[0]
        self.assertEqual(row, {"ncalls": 15, "primitive_calls": 3})
        summary = self.json("show", run)["summary"]
        self.assertEqual((summary["total_calls"], summary["primitive_calls"]), (151, 139))

    def test_waits_of_coroutines_are_no_saving(self):
        _, text = self.show("pstats/ok_yappi_async.prof")
        self.assertIn("of the own times, which include waits.", text)
        self.assertNotIn("could save", text)


class LineProfiler(Fields):
    def test_times_with_an_exponent_have_three_digits(self):
        run, text = self.show("line_text/ok_three_digits.txt")
        self.assertIn("times that are printed with three digits, such as 1.2e+10: 1", text)
        self.assertEqual(self.json("show", run)["summary"]["three_digits_from"], 1.23e10)

    def test_a_change_of_the_last_printed_digit_is_none(self):
        with open(os.path.join(ROOT, "tests", "golden", "line_text", "ok_three_digits.txt"), encoding="utf-8") as file:
            text = file.read()
        runs = []
        for i, digits in enumerate(["1.23"] * 5 + ["1.24"] * 5):
            path = self.file(f"{i}.txt", (text.replace("1.23e", digits + "e") + "\n" * i).encode())
            runs.append(self.json("add", path, "--name", f"r{i}")["id"])
        rows = {row["name"]: row for row in self.json("diff", ",".join(runs[:5]), ",".join(runs[5:]))["rows"]}
        self.assertEqual(rows["time.sleep(12.345)"]["verdict"], "same", rows)

class Austin(Fields):
    def test_time_of_the_collector_is_said(self):
        run, text = self.show("folded/ok_austin_gc.austin")
        self.assertEqual(self.json("show", run)["summary"]["gc_s"], 0.015243)
        self.assertNotIn("garbage collector", text)
        with open(os.path.join(ROOT, "tests", "golden", "folded", "ok_austin_gc.austin"), encoding="utf-8") as file:
            path = self.file("gc.austin", file.read().replace("# gc: 15243", "# gc: 650000").encode())
        text = self.ok("show", self.json("add", path)["id"])
        self.assertIn("50.7 % of the total is spent in the garbage collector", text)


class Printed(Fields):
    """The conclusion, the headline and the rows are of one table, and shares are of its printed total."""

    def test_functions_of_the_longest_profile(self):
        run, text = self.show("pstats_text/ok_paths.txt")
        self.assertIn("parse takes 40.0 % of the time. 20.00 ms of 50.00 ms in 2 calls.", text)
        self.assertRegex(text, r"Self time +of total .*\n 20.00 ms +40.0 % +21.00 ms")
        self.assertIn("printed in report 2 of 2, /it's, that of the longest profile", text)
        self.assertEqual([row["title"] for row in self.query(run, "SELECT title FROM reports")], ["/items", "/it's"])

    def test_operators(self):
        _, text = self.show("key_averages/ok_half.txt")
        self.assertRegex(text, r"\n1.000 ms +80.0 %  aten::addmm")
        self.assertRegex(text, r"Self CPU time +of total .*\n +1.000 ms +80.0 %")

class Nsys(Fields):
    def test_the_profilers_own_work_is_no_operator(self):
        run, _ = self.show("nsys/ok_full.sqlite")
        text = self.ok("show", run, "--of", "operators", "--rows", "60")
        self.assertIn("cudaStreamIsCapturing", text)
        self.assertNotIn("CUPTI flush", text)
        self.assertEqual(len(self.query(run, "SELECT 1 FROM slices WHERE name = 'CUPTI flush'")), 1)


del Fields  # its tests are those of the others
