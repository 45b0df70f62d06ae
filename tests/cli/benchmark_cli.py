# SPDX-License-Identifier: MIT
"""Benchmark files in diff, check and trend: each row is judged on its own, by the samples in the files."""
import json
import unittest

from program import ShelfTest

SHAPE = [-0.04, 0.01, 0.0, -0.02, 0.03, 0.02, -0.01, 0.04, -0.03, 0.0]  # of the samples of a benchmark


def samples_of(median):
    return [median * (1 + part) for part in SHAPE]


def pytest_benchmark(rows, data=True, machine=None, spread=0.02):
    """{name: median in seconds}, as `pytest --benchmark-json` writes it. spread: of a file without data, as a share."""
    benchmarks = []
    for name, median in rows.items():
        values = samples_of(median)
        stats = {"min": min(values), "max": max(values), "mean": sum(values) / len(values), "median": median, "stddev": spread * median,
                 "rounds": len(values), "iterations": 1, "q1": (1 - spread) * median, "q3": (1 + spread) * median}
        benchmarks.append({"group": None, "name": name, "fullname": f"test_app.py::{name}", "params": None,
                           "stats": {**stats, **({"data": values} if data else {})}})
    return {"machine_info": machine or {"python_version": "3.13.1", "cpu": {"brand_raw": "CPU 1"}}, "commit_info": {"id": "1"},
            "benchmarks": benchmarks, "datetime": "2026-01-01T00:00:00+00:00", "version": "5.3.1"}


def google_benchmark(rates):
    """{name: items per second}, as `--benchmark_repetitions=10 --benchmark_out` writes it. All take 1 ms."""
    rows = [{"name": name, "run_name": name, "run_type": "iteration", "repetitions": 10, "repetition_index": i, "threads": 1, "iterations": 100,
             "real_time": value, "cpu_time": value, "time_unit": "ms", "items_per_second": rate * (2 - value)}
            for name, rate in rates.items() for i, value in enumerate(samples_of(1.0))]
    return {"context": {"date": "2026-01-01T00:00:00+00:00", "num_cpus": 2, "mhz_per_cpu": 2000, "caches": []}, "benchmarks": rows}


def hyperfine(rows, primary="time_wall_clock", codes=None):
    """{command: (seconds, bytes)}, as hyperfine 2.0 writes it."""
    results = []
    for command, (seconds, size) in rows.items():
        metrics = {"time_wall_clock": (samples_of(seconds), "second"), "time_user": (samples_of(seconds / 4), "second"),
                   "memory_peak_resident": (samples_of(size), "byte")}
        runs = [{**{key: {"value": values[i], "unit": unit} for key, (values, unit) in metrics.items()}, "exit_code": (codes or {}).get(command, 0)}
                for i in range(len(SHAPE))]
        summary = {key: {"unit": unit, "count": len(values), "mean": sum(values) / len(values), "stddev": 0.02 * values[2], "median": values[2],
                         "min": min(values), "max": max(values)} for key, (values, unit) in metrics.items()}
        results.append({"command": command, "measurements": runs, "parameters": {}, "summary": summary})
    return {"schema_version": 2, "metadata": {"hyperfine_version": "2.0.0", "platform": {"os": "linux", "architecture": "x86_64"}},
            "primary_metric": primary, "results": results}


class BenchmarkTest(ShelfTest):
    def setUp(self):
        super().setUp()
        self.n = 0

    def add(self, document, *options):
        self.n += 1
        return self.json("add", self.file(f"{self.n}.json", json.dumps(document).encode()), "--name", f"run {self.n}", *options)["id"]

    def add_text(self, text):
        self.n += 1
        return self.json("add", self.file(f"{self.n}.txt", text.encode()), "--name", f"run {self.n}")["id"]

    def check(self, *args, status=0):
        done = self.run_verb("check", *args)
        self.assertEqual((done.returncode, done.stderr), (status, b""), done.stdout)
        return done.stdout.decode().splitlines()


class Conclusion(BenchmarkTest):
    """Only rows that are alternatives are compared by a ratio; noise is no difference."""

    def said(self, document, name="run.json"):
        """The sentence and the table of causes, as `show` prints them."""
        self.n += 1
        content = document if isinstance(document, bytes) else json.dumps(document).encode()
        run = self.json("add", self.file(f"{self.n}-{name}", content), "--name", f"run {self.n}")["id"]
        return self.ok("show", run).split("\n\n", 1)[1].split("\nMeasurements")[0]

    def grouped(self, rows, group):
        document = pytest_benchmark(rows)
        for benchmark in document["benchmarks"]:
            benchmark["group"] = group
        return document

    def test_benchmarks_without_a_group_are_not_compared(self):
        text = self.said(pytest_benchmark({"test_codec[crc-300]": 1e-5, "test_codec[hex_builtin-300]": 1.06e-5, "test_slow": 0.002}))
        self.assertTrue(text.startswith("test_app.py::test_slow takes longest: 2.000 ms, mean of 10 runs, "), text)
        self.assertNotIn("times", text)

    def test_the_lowest_of_rates_is_named(self):
        def jmh(rates):
            return [{"jmhVersion": "1.37", "benchmark": f"shop.Bench.{name}", "mode": "thrpt", "threads": 1, "forks": 1, "measurementIterations": 10,
                     "primaryMetric": {"score": rate, "scoreError": 0.1, "scoreConfidence": [rate - 0.1, rate + 0.1], "scorePercentiles": {},
                                       "scoreUnit": "ops/s", "rawData": [samples_of(rate)]}, "secondaryMetrics": {}} for name, rate in rates.items()]
        self.assertTrue(self.said(jmh({"copy": 2.0})).startswith("shop.Bench.copy is 2 ops/s, "))
        self.assertTrue(self.said(jmh({"copy": 2.0, "move": 1.5})).startswith("shop.Bench.move has the lowest value: 1.5 ops/s, "))

    def test_rows_have_their_spread_and_state(self):
        document = google_benchmark({"BM_copy": 2.0})
        for name, state in (("BM_move", {"error_occurred": True, "error_message": "no file"}), ("BM_old", {"skipped": True, "skip_message": "no disk"})):
            document["benchmarks"].append({"name": name, "run_name": name, "run_type": "iteration", "repetitions": 1, "repetition_index": 0, "threads": 1,
                                           **state, "iterations": 0, "real_time": 0, "cpu_time": 0, "time_unit": "ms"})
        table = self.ok("show", self.add(document)).split("\n\nMeasurements, ")[1].split("\n")
        self.assertEqual(table[0], "in the order of the file")
        self.assertEqual(table[1].split(), ["value", "stddev", "n", "better", "measurement"])
        self.assertIn(["failed", "lower", "BM_move"], [line.split() for line in table])
        self.assertIn("2 items/s", "\n".join(table))
        self.assertIn("higher", "\n".join(table))
        run = self.add(pytest_benchmark({"test_b": 0.02, "test_a": 0.001}))
        by_name = self.ok("show", run, "--sort", "name").split("\nMeasurements by name\n")[1].split("\n")
        self.assertRegex(by_name[1], r"^1\.000 ms +\d+\.\d % +10 +lower +test_app\.py::test_a$")

    def test_a_run_is_called_by_its_command(self):
        """IPython on Windows: no CPU time was seen, so only the wall time is said."""
        text = "CPU times: total: 0 ns\nWall time: 3 s\n\n%%time\nCPU times: total: 0 ns\nWall time: 5 s\n"
        self.assertIn("%time 2 takes longest: 5.000 s.", self.said(text.encode(), "cells.txt"))

    def test_growth_with_a_parameter(self):
        rows = {"test_codec[crc-300]": 1e-5, "test_codec[crc-1000]": 3.2e-5, "test_codec[crc-3000]": 9.6e-5,
                "test_codec[hex_join-300]": 1e-5, "test_codec[hex_join-1000]": 11e-5, "test_codec[hex_join-3000]": 98e-5,
                "test_codec[sha256-4]": 1e-5, "test_codec[sha512-4]": 9e-5, "test_other": 0.5}
        text = self.said(pytest_benchmark(rows))
        self.assertTrue(text.startswith("test_app.py::test_codec[hex_join-N] grows with the square of N: 300 \u2192 3000 takes 98 times as long."), text)
        self.assertIn("test_codec[hex_join-N]: grows with the square of N, 300 \u2192 3000 takes 98 times as long", text)
        self.assertIn("test_codec[crc-N]: grows in proportion to N, 300 \u2192 3000 takes 9.6 times as long", text)
        self.assertNotIn("sha", text)

    def test_growth_that_follows_no_law(self):
        text = self.said(pytest_benchmark({"test_a[n=10]": 1e-5, "test_a[n=20]": 1e-5, "test_a[n=40]": 16e-5}))
        self.assertTrue(text.startswith("test_app.py::test_a[n=N] grows faster than N: 10 \u2192 40 takes 16 times as long."), text)
        for few in ({"test_a[10]": 1e-5, "test_a[20]": 1.01e-5}, {"test_a[10]": 1e-5, "test_a[1000]": 1e-3},
                    {"test_a[10]": 1e-5, "test_a[20]": 2e-5, "test_a[39]": 3.9e-5}):
            self.assertNotIn("grows", self.said(pytest_benchmark(few)))

    def test_slowest_tests_of_a_suite(self):
        """Parameters of tests are cases, of which each runs once: that their times grow says nothing."""
        times = {"test_case[1]": 0.1, "test_case[2]": 0.2, "test_case[8]": 0.8, "test_load": 3.0, "test_save": 2.5, "test_none": 0.0}
        cases = "".join(f'<testcase classname="shop" name="{name}" time="{time:.3f}" />' for name, time in times.items())
        skipped = '<testcase classname="shop" name="test_old" time="0.000"><skipped type="pytest.skip" message="no" /></testcase>'
        suite = f'<testsuites><testsuite name="pytest" errors="0" failures="0" skipped="1" tests="7" time="6.6">{cases}{skipped}</testsuite></testsuites>'
        text = self.said(suite.encode(), "junit.xml")
        self.assertTrue(text.startswith("The 2 slowest of 6 tests take 83.3 % of 6.600 s: 45.5 % in shop.test_load, 37.9 % in shop.test_save."), text)
        self.assertIn("7 results: 1 skipped.", text)
        lines = "".join(f"{time:.2f}s call     test_shop.py::{name}\n" for name, time in sorted(times.items(), key=lambda item: -item[1]) if time)
        text = self.said(f"{'=' * 31} slowest durations {'=' * 31}\n{lines}{'=' * 31} 7 passed in 6.80s {'=' * 31}\n".encode(), "tests.log")
        self.assertTrue(text.startswith("The 2 slowest of 5 listed durations take 83.3 % of 6.600 s: 45.5 % in call test_shop.py::test_load, "), text)
        text = self.said(suite.replace("3.000", "30.000").encode(), "junit.xml")
        self.assertTrue(text.startswith("shop.test_load takes 89.3 % of the 33.60 s of 6 tests."), text)

    def test_benchmarks_of_a_group_are_compared_at_equal_parameters(self):
        rows = {"test_jinja[10]": 1e-5, "test_mako[10]": 4e-5, "test_jinja[20]": 2e-5, "test_mako[20]": 8e-5}
        text = self.said(self.grouped(rows, "render"))
        self.assertTrue(text.startswith("test_app.py::test_mako[20] is 4.00 \u00b1"), text)
        self.assertIn(" times slower than test_app.py::test_jinja[20].", text)
        self.assertNotIn("[10]", text)

    def test_noise_is_no_difference(self):
        text = self.said(self.grouped({"test_a": 1e-5, "test_b": 1.01e-5}, "g"))
        self.assertTrue(text.startswith("No clear difference between test_app.py::test_a and test_app.py::test_b."), text)
        self.assertIn("test_b: 1.01 \u00b1 0.03 times as long, no clear difference", text)

    def test_the_slowest_command_is_named(self):
        text = self.said(hyperfine({"dict": (0.1, 1 << 20), "counter": (0.113, 1 << 20), "list": (0.394, 1 << 20)}))
        self.assertTrue(text.startswith("list is 3.94 \u00b1 0.11 times slower than dict."), text)

    def test_unstable_and_skipped_rows_are_counted(self):
        document = pytest_benchmark({"test_calm": 1e-3, "test_wild": 2e-3, "test_wilder": 1e-3, "test_slow": 0.1})
        for benchmark, share in zip(document["benchmarks"][1:3], (0.1, 0.3)):
            benchmark["stats"]["stddev"] = share * benchmark["stats"]["mean"]
        self.assertIn("- 4 results: 2 unstable (standard deviation 10 % of the mean or more; most: test_app.py::test_wilder with 30 %).", self.said(document))
        self.assertNotIn(" results: ", self.said(pytest_benchmark({"test_calm": 1e-3, "test_slow": 0.1})))
        text = self.said(hyperfine({"a": (0.1, 1 << 20), "b": (0.2, 1 << 20), "c": (0.3, 1 << 20)}, codes={"b": 1}))
        self.assertIn("- 3 results: 1 failed.", text)

    def test_all_rows_of_a_large_file_are_considered(self):
        rows = {f"test_a{i}": 1e-3 for i in range(1, 1500)}
        text = self.said(pytest_benchmark({**rows, "test_last": 0.5}))
        self.assertTrue(text.startswith("test_app.py::test_last takes longest: 500.0 ms"), text)

    def test_medians_of_skewed_samples_are_compared(self):
        document = hyperfine({"a": (0.1, 1 << 20), "b": (0.2, 1 << 20)})
        runs = document["results"][0]["measurements"]
        runs[0]["time_wall_clock"]["value"] = 9.0
        summary = document["results"][0]["summary"]["time_wall_clock"]
        summary.update(mean=sum(run["time_wall_clock"]["value"] for run in runs) / len(runs), stddev=2.8, max=9.0)
        text = self.said(document)
        self.assertTrue(text.startswith("b is 2.00 \u00b1"), text)
        self.assertIn("(median of ", text)

    def test_values_of_0_are_not_compared(self):
        """hyperfine subtracts the time of the shell: a command that fails at once can take 0 s in most runs."""
        result = {"command": "app [ERROR]", "mean": 3e-6, "stddev": 5.2e-6, "median": 0.0, "user": 5e-8, "system": 0.0, "min": 0.0, "max": 9e-6,
                  "times": [9e-6, 0.0, 0.0]}
        self.assertEqual(self.said({"results": [result]}), "At least half of the measured values are 0: too short to be measured.\n")

    def test_time_of_ipython_waits(self):
        text = self.said(b"In [2]: %time fetch()\nCPU times: user 5.5 ms, sys: 2.3 ms, total: 7.8 ms\nWall time: 209 ms\n", "log.txt")
        self.assertEqual(text, "fetch() uses 7.800 ms of CPU in 209.0 ms: it waits 96.3 % of the time.\n")


CERTAIN = "of 100 checks without a change, about 1 finds a row over its limit by chance, whatever the number of rows"


class Check(BenchmarkTest):
    def test_each_benchmark_is_checked(self):
        """Those over the limit are listed, those that changed most first; the others are counted."""
        base = self.add(pytest_benchmark({"test_a": 0.001, "test_b": 0.02, "test_c": 3e-6, "test_d": 0.5}))
        new = self.add(pytest_benchmark({"test_a": 0.001, "test_b": 0.03, "test_c": 6e-6, "test_d": 0.2}))
        self.assertEqual(self.check(new, "--against", base, status=1),
                         ["over    test_app.py::test_c  6.000 µs  baseline 3.000 µs  +100.0 %, significant",
                          "over    test_app.py::test_b  30.00 ms  baseline 20.00 ms  +50.0 %, significant",
                          "2 of 4 over the limit; 1 better, 1 within", CERTAIN])
        report = json.loads(self.run_verb("check", new, "--against", base, "--json").stdout)
        self.assertEqual((report["checked"], report["over"]), (4, 2))
        self.assertEqual(report["measurements"], {"within": 1, "over": 2, "missing": 0, "added": 0, "unknown": 0, "better": 1, "unmeasured": 0})
        self.assertEqual([finding["what"][-6:] for finding in report["findings"]], ["test_c", "test_b"])

    def test_samples_tell_a_change_from_noise(self):
        base = self.add(pytest_benchmark({"test_a": 0.001, "test_b": 0.02}))
        new = self.add(pytest_benchmark({"test_a": 0.00101, "test_b": 0.02}))
        lines = self.check(new, "--against", base, "--fail-on", "+0.5%")
        self.assertEqual(lines[0], "0 of 2 over the limit; 2 within")
        self.assertRegex(lines[1], r"^2 rows: the noise is too great to show the allowed growth in 9 of 10 cases(; compare \d+ files of each side)?$")
        self.assertEqual(self.check(new, "--against", base, "--fail-on", "+50%"), ["0 of 2 over the limit; 2 within", CERTAIN])

    def test_without_samples_the_deviation_tells_a_change_from_noise(self):
        base = self.add(pytest_benchmark({"test_a": 0.001, "test_b": 0.02}, data=False))
        new = self.add(pytest_benchmark({"test_a": 0.0012, "test_b": 0.021}, data=False))
        self.assertIn("+20.0 %, significant", self.check(new, "--against", base, status=1)[0])
        self.assertEqual(self.check(new, "--against", base, "--fail-on", "+3%", status=1)[1], "1 of 2 over the limit; 1 within")
        self.check(new, "--against", base, "--fail-on", "+20%")

    def test_growth_without_a_spread_is_of_unknown_significance(self):
        """It is listed, and does not fail: nothing tells it from noise."""
        base, new = (self.add_text(f"20 loops, best of 5: {value} msec per loop\n\n50 loops, best of 5: 3 msec per loop\n") for value in (10, 13))
        lines = self.check(new, "--against", base)
        self.assertRegex(lines[0], r"^unknown .*13\.\d* ms  baseline 10\.\d* ms  \+30\.0 %, significance unknown$")
        self.assertEqual(lines[1].strip(), "the files have no samples and no deviation: record them with samples, or compare several files of each side")
        self.assertEqual(lines[2], "0 of 2 over the limit; 1 within, 1 of unknown significance")

    def test_exactly_the_allowed_growth_is_within(self):
        for base_value, new_value, percent in ((0.02, 0.021, 5), (0.1, 0.105, 5), (0.3, 0.36, 20), (0.7, 0.77, 10)):
            base = self.add(pytest_benchmark({"test_a": base_value, "test_b": 1.0}, data=False, spread=1e-4))
            new = self.add(pytest_benchmark({"test_a": new_value, "test_b": 1.0}, data=False, spread=1e-4))
            self.check(new, "--against", base, "--fail-on", f"+{percent}%")
            self.check(new, "--against", base, "--fail-on", f"+{percent - 0.001}%", status=1)

    def test_a_fall_of_a_rate_is_the_regression(self):
        base, new = (self.add(google_benchmark({"BM_copy": rate, "BM_move": 2e9 / rate})) for rate in (2.0, 1.5))
        lines = self.check(new, "--against", base, status=1)
        self.assertEqual(lines[0], "over    BM_copy items_per_second  1.5 items/s  baseline 2 items/s  -25.0 %, significant")

    def test_a_benchmark_that_failed_before_is_no_regression(self):
        good, bad = google_benchmark({"BM_copy": 2.0, "BM_move": 1e9}), google_benchmark({"BM_copy": 2.0})
        bad["benchmarks"].append({"name": "BM_move", "run_name": "BM_move", "run_type": "iteration", "repetitions": 1, "repetition_index": 0, "threads": 1,
                                  "error_occurred": True, "error_message": "no file", "iterations": 0, "real_time": 0, "cpu_time": 0, "time_unit": "ms"})
        other = {**bad, "context": {**bad["context"], "date": "2026-01-02T00:00:00+00:00"}}
        good, bad, other = self.add(good), self.add(bad), self.add(other)
        self.assertIn("1 of 2 measurements failed or skipped (BM_move), 1 within noise", self.ok("diff", good, bad))
        self.assertEqual(self.check(bad, "--against", good, status=1)[0], "missing BM_move  baseline 1.000 ms  failed or skipped")
        self.assertIn("1 of 2 measurements within noise, 1 failed or skipped on both sides", self.ok("diff", bad, bad))
        self.assertEqual(self.check(other, "--against", bad)[0], "0 of 2 over the limit; 1 within, 1 failed or skipped on both sides")
        self.assertIn("1 of 2 measurements within noise, 1 failed or skipped in the base only", self.ok("diff", bad, good))
        self.assertEqual(self.check(good, "--against", bad)[0], "0 of 2 over the limit; 1 within, 1 added")

    def test_more_files_give_more_verdicts(self):
        """Two files a side that do not overlap by much were no verdict; a row is judged by the spread of the files."""
        shifts = (0.0, 0.01, -0.008, 0.004)
        rows = {f"test_{i}": 0.001 * (1 + i) for i in range(12)}
        sides = []
        for growth in (1, 1.05):
            sides.append([self.add(pytest_benchmark({name: value * (growth if i == 3 else 1) * (1 + shifts[(i + k) % 4])
                                                     for i, (name, value) in enumerate(rows.items())})) for k in range(4)])
        found = [sum(row["verdict"] == "up" for row in self.json("diff", ",".join(sides[0][:n]), ",".join(sides[1][:n]))["rows"]) for n in (1, 4)]
        self.assertEqual(found, [0, 1])

    def test_a_renamed_benchmark_does_not_pass(self):
        base = self.add(pytest_benchmark({"test_a": 0.001, "test_b": 0.02}))
        new = self.add(pytest_benchmark({"test_a": 0.001, "test_c": 0.04}))
        lines = self.check(new, "--against", base, status=1)
        self.assertEqual(lines[:2], ["missing test_app.py::test_b  baseline 20.00 ms  not in this run", "0 of 3 over the limit, 1 missing; 1 within, 1 added"])

    def test_no_time_is_no_success(self):
        base = self.add(pytest_benchmark({"test_a": 0.001, "test_b": 0.02}))
        new = self.add(pytest_benchmark({"test_a": 0, "test_b": 0}))
        self.assertIn("no time was measured", self.check(new, "--against", base, status=1)[0])

    def test_a_command_that_failed_does_not_pass(self):
        base = self.add(hyperfine({"a": (0.2, 1 << 20), "b": (0.1, 1 << 20)}))
        new = self.add(hyperfine({"a": (0.01, 1 << 20), "b": (0.1, 1 << 20)}, codes={"a": 137}))
        self.assertEqual(self.check(new, "--against", base, status=1)[0], "missing wall clock: a  10.00 ms  baseline 200.0 ms  a run failed")
        self.assertNotIn("faster", self.ok("diff", base, new))

    def test_memory_counts_if_it_grew_significantly(self):
        base = self.add(hyperfine({"a": (0.2, 1 << 20), "b": (0.1, 1 << 20)}))
        new = self.add(hyperfine({"a": (0.2, 2 << 20), "b": (0.1, 1 << 20)}))
        lines = self.check(new, "--against", base, status=1)
        self.assertIn("over    peak memory: a  2.00 MiB  baseline 1.00 MiB  +100.0 %, significant", lines)
        self.assertEqual(lines[1], "1 of 3 over the limit; 2 within")

    def test_another_machine_is_a_warning(self):
        rows = {"test_a": 0.001, "test_b": 0.02}
        base = self.add(pytest_benchmark(rows))
        new = self.add(pytest_benchmark(rows, machine={"python_version": "3.15.0", "cpu": {"brand_raw": "CPU 2"}}))
        words = "recorded in different environments: CPU CPU 1 against CPU 2; Python 3.13.1 against 3.15.0"
        self.assertIn("warning " + words, self.check(new, "--against", base))
        self.assertIn(words[1:], self.ok("diff", base, new))
        self.assertNotIn("environments", self.ok("diff", base, base))

    def test_a_limit_of_the_headline_counts_for_each_benchmark(self):
        run = self.add(pytest_benchmark({"test_a": 0.001, "test_b": 0.02}))
        lines = self.check(run, "--budget", "headline=2ms", status=1)
        self.assertEqual([line.split()[:2] for line in lines], [["within", "test_app.py::test_a"], ["over", "test_app.py::test_b"]])


class Interval(BenchmarkTest):
    def test_an_interval_has_the_difference_of_medians_of_two_modes(self):
        def recording(values):
            made = pytest_benchmark({"test_a": sorted(values)[4] / 2 + sorted(values)[3] / 2})
            made["benchmarks"][0]["stats"]["data"] = values
            return made

        base = self.add(recording([0.0200, 0.0205, 0.0206, 0.0204, 0.0203, 0.0207, 0.0201, 0.0202]))
        new = self.add(recording([0.0260, 0.0264, 1.9, 0.0261, 2.1, 0.0263, 2.3, 0.0262]))
        [row] = json.loads(self.ok("diff", base, new, "--json"))["rows"]
        self.assertLess(row["delta"], 0.01)
        self.assertLessEqual(row["low"], row["delta"])
        self.assertGreaterEqual(row["high"], row["delta"])


class Show(BenchmarkTest):
    def test_the_headline_is_of_all_benchmarks(self):
        run = self.add(pytest_benchmark({"test_a": 0.001, "test_b": 0.004}))
        shown = self.ok("show", run)
        self.assertRegex(shown, r"headline +2\.000 ms geometric mean of 2\n")
        self.assertRegex(shown, r"\nbenchmarks +2\n")
        self.assertNotRegex(shown, r"\nmeasurements +\d+\n")
        run = self.add(hyperfine({"a": (0.01, 1 << 20), "b": (0.2, 1 << 20)}, codes={"a": 3}))
        self.assertRegex(self.ok("show", run), r"headline +200\.0 ms mean\n")

    def test_a_command_that_failed_is_not_the_fastest(self):
        run = self.add(hyperfine({"a": (0.01, 1 << 20), "b": (0.2, 1 << 20), "c": (0.1, 1 << 20)}, codes={"a": 137}))
        self.assertIn("b is 2.00 \u00b1 0.06 times slower than c", self.ok("show", run))
        run = self.add(hyperfine({"a": (0.01, 1 << 20), "b": (0.2, 1 << 20)}, codes={"a": 137}))
        self.assertNotIn("faster", self.ok("show", run))

    def test_the_primary_metric_is_the_headline(self):
        run = self.add(hyperfine({"a": (0.01, 4 << 20), "b": (0.2, 1 << 20)}, primary="memory_peak_resident"))
        text = self.ok("show", run)
        self.assertIn("2.00 MiB geometric mean of 2", text)
        self.assertIn("a needs 4.00 ± 0.11 times as much as b", text)


class Trend(BenchmarkTest):
    def test_each_benchmark_is_followed(self):
        for i in range(12):
            self.add(pytest_benchmark({"test_a": 0.001 + i * 1e-7, "test_b": (0.02 if i < 6 else 0.03) + i * 1e-6}), "--series", "bench")
        lines = self.ok("trend", "bench").splitlines()
        row = next(line for line in lines if "test_b" in line)
        self.assertIn("+50.1 %", row)
        self.assertIn("run 7", row)
        self.assertRegex(self.ok("trend", "bench", "--markdown"), r"\+50\.1 % \|[^|]*\| `run 7` \| `[^`]*test_b`")

    def test_a_jump_among_few_files_is_a_change_point(self):
        for i in range(6):
            self.add(pytest_benchmark({"test_a": 0.001 + i * 1e-7, "test_b": (0.02 if i < 3 else 0.023) + i * 1e-5}), "--series", "bench")
        rows = self.ok("trend", "bench").splitlines()
        self.assertIn(" run 4 ", next(line for line in rows if "::test_b " in line))
        self.assertNotIn(" run ", next(line for line in rows if "::test_a " in line))


class Diff(BenchmarkTest):
    def test_bytes_and_seconds_are_not_added(self):
        base = self.add(hyperfine({"a": (0.05, 4 << 20), "b": (0.1, 4 << 20)}))
        new = self.add(hyperfine({"a": (0.12, 4.04 * (1 << 20)), "b": (0.1, 4 << 20)}))
        text = self.ok("diff", base, new)
        self.assertIn("1 of 2 measurements slower (wall clock: a +140.0 %), 1 within noise", text)
        self.assertIn("wall clock: a", text.split("measurement\n")[1].splitlines()[0])
        self.assertNotIn("Σ", text)

    def test_added_and_removed_come_first_and_have_no_zero(self):
        base = self.add(pytest_benchmark({"test_a": 0.001, "test_b": 0.02}))
        new = self.add(pytest_benchmark({"test_a": 0.002, "test_c": 0.04}))
        text = self.ok("diff", base, new)
        self.assertIn("1 of 3 measurements removed (test_app.py::test_b), 1 added (test_app.py::test_c), 1 slower (test_app.py::test_a +100.0 %)", text)
        self.assertNotIn(" 0 s", text)

    def test_several_files_are_judged_by_all_samples(self):
        base = [self.add(pytest_benchmark({"test_a": 0.001 + i * 1e-6, "test_b": 0.02 + i * 1e-6})) for i in range(3)]
        new = [self.add(pytest_benchmark({"test_a": 0.0012 + i * 1e-6, "test_b": 0.02 + i * 1e-6})) for i in range(3, 6)]
        self.assertIn("1 of 2 measurements slower (test_app.py::test_a +20.3 %), 1 within noise", self.ok("diff", ",".join(base), ",".join(new)))

    def test_files_that_were_recorded_in_pairs(self):
        """The machine becomes 6 % slower from pair to pair; within the pairs one row takes 4 % longer."""
        sides = ([], [])
        for pair in range(4):
            for side in (0, 1):
                rows = {f"test_{i}": 0.001 * (1 + i) * 1.06 ** pair * (1 + 0.003 * ((i * 3 + pair * 5 + side * 2) % 4)) * (1.04 if side and i == 2 else 1)
                        for i in range(5)}
                sides[side].append(self.add(pytest_benchmark(rows), "--tag", "ab=x", "--tag", f"pair={pair}"))
        rows = self.json("diff", ",".join(sides[0]), ",".join(reversed(sides[1])))["rows"]
        self.assertEqual({row["basis"] for row in rows}, {"pairs"})
        self.assertEqual([row["name"][-6:] for row in rows if row["verdict"] == "up"], ["test_2"])

    def test_equal_names_are_different_measurements(self):
        document = pytest_benchmark({"test_a": 0.001, "test_b": 0.02})
        for row in document["benchmarks"]:
            row["fullname"] = "test_same"
        run = self.add(document)
        values = {row["name"]: row["base"] for row in self.json("diff", run, run)["rows"]}
        self.assertEqual(values, {"test_same": 0.001, "test_same (2)": 0.02})


if __name__ == "__main__":
    unittest.main()
