# SPDX-License-Identifier: MIT
"""Timings of the corpus: every figure equals the oracle's."""
import functools
import glob
import json
import os
import unittest

from corpus import CORPUS, CorpusTest, Shelf, has, needs, paths

TIMING = os.path.join(CORPUS, "made", "timing")


def timing(*patterns):
    found = [path for pattern in patterns for path in sorted(glob.glob(os.path.join(TIMING, pattern)))]
    return [path for path in found if ".oracle.json" not in path]


def oracle(path):
    with open(path + ".oracle.json", encoding="utf-8") as file:
        return json.load(file)


HYPERFINE = ("hyperfine*.json",)
PYTEST = ("pytest_benchmark*.json",)
TIME = ("bash_time.txt", "bash_time_over*.txt", "bash_time_p.txt", "gnu_time_default.txt", "gnu_time_p.txt", "gnu_time_v*.txt", "sh_time.txt", "zsh_time.txt")
TIMEIT = ("timeit.*.txt", "timeit_[mnsuv]*.txt", "ipython_timeit*.txt")
TOP = ("top_b_*.txt",)
# Formats of the reader's own, and other programs: nobody can know what their figures are.
STORAGES = "wild/pytest-benchmark"
UNKNOWN = ("bash_timeformat.txt", "gnu_time_format.txt", "ps_one_pid.txt", "timeit_error*.txt")


@functools.cache
def shelf():
    """All that measures, also from the wild."""
    made = Shelf()
    made.add(timing(*HYPERFINE, *PYTEST, *TIME, *TIMEIT, *TOP) + (paths(STORAGES) if has(STORAGES) else []))
    return made


class Measured(CorpusTest):
    fill = staticmethod(shelf)

    def rows(self, path):
        rows = self.shelf.sql(path, "SELECT * FROM measurements ORDER BY id")
        return [dict(row, more=json.loads(row["more"])) for row in rows]

    def close(self, have, want, places=1e-12):
        if want is None:
            self.assertIsNone(have)
        else:
            self.assertAlmostEqual(have, want, delta=abs(want) * places)


class All(Measured):
    def test_all_are_imported_and_accounted_for(self):
        self.assertEqual(self.shelf.refused, {})
        for run in self.shelf.runs.values():
            self.assertEqual(run["rejected"], 0)


class Unknown(unittest.TestCase):
    def test_what_names_no_figures_is_refused(self):
        other = Shelf()
        other.add(timing(*UNKNOWN))
        self.assertEqual(other.runs, {})


class Time(Measured):
    KEYS = {"real_s": "real", "user_s": "user", "sys_s": "sys", "cpu_percent": "CPU", "max_rss_kib": "max RSS",
            "minor_faults": "minor faults", "major_faults": "major faults",
            "User time (seconds)": "user", "System time (seconds)": "sys", "Percent of CPU this job got": "CPU",
            "Elapsed (wall clock) time (h:mm:ss or m:ss)": "real", "Average shared text size (kbytes)": "average shared text size",
            "Average unshared data size (kbytes)": "average unshared data size", "Average stack size (kbytes)": "average stack size",
            "Average total size (kbytes)": "average total size", "Maximum resident set size (kbytes)": "max RSS",
            "Average resident set size (kbytes)": "average RSS", "Major (requiring I/O) page faults": "major faults",
            "Minor (reclaiming a frame) page faults": "minor faults", "Voluntary context switches": "voluntary switches",
            "Involuntary context switches": "involuntary switches", "Swaps": "swaps", "File system inputs": "file system inputs",
            "File system outputs": "file system outputs", "Socket messages sent": "socket messages sent",
            "Socket messages received": "socket messages received", "Signals delivered": "signals",
            "Page size (bytes)": "page size", "Exit status": "exit status"}

    def test_each_command_equals_the_oracle(self):
        for path in timing(*TIME):
            rows = self.rows(path)
            runs = oracle(path)["runs"]
            self.assertEqual({row["more"]["run"] for row in rows}, set(range(1, len(runs) + 1)))
            for number, want in enumerate(runs, 1):
                with self.subTest(os.path.basename(path), run=number):
                    mine = [row for row in rows if row["more"]["run"] == number]
                    have = {row["name"]: row["value"] for row in mine}
                    self.assertEqual({row["group"] for row in mine}, {want.pop("command", "")})
                    ended = want.pop("ended", None)
                    if ended:
                        key = "ended by signal" if "signal" in ended[0] else "exit status"
                        self.assertEqual(mine[0]["more"][key], ended[1])
                    for key, value in want.items():
                        self.assertEqual(have[self.KEYS[key]], value, key)


class Top(Measured):
    SUFFIXES = {"m": 1 << 10, "g": 1 << 20, "t": 1 << 30}

    def kib(self, printed):
        return float(printed[:-1]) * self.SUFFIXES[printed[-1]] if printed[-1] in self.SUFFIXES else float(printed)

    def test_each_frame_equals_the_oracle(self):
        for path in timing(*TOP):
            with self.subTest(os.path.basename(path)):
                frames = oracle(path)["frames"]
                have = self.shelf.sql(path, "SELECT process, name, value FROM counters ORDER BY process, name, t_ns")
                want = sorted(((row["PID"], "CPU", i, float(row["%CPU"])) for i, frame in enumerate(frames) if i
                               for row in frame["rows"]), key=lambda point: point[:3])
                want += sorted(((row["PID"], "RES", i, self.kib(row["RES"])) for i, frame in enumerate(frames)
                                for row in frame["rows"]), key=lambda point: point[:3])
                want.sort(key=lambda point: point[:3])
                self.assertEqual([(row["process"], row["name"], row["value"]) for row in have],
                                 [(pid, name, value) for pid, name, _, value in want])
                self.assertEqual(self.shelf.show(path)["summary"]["frames"], len(frames))


class Timeit(Measured):
    def test_timeit_equals_the_oracle(self):
        for path in timing(*TIMEIT[:2]):
            rows, want = self.rows(path), oracle(path)
            self.assertEqual(len(rows), len(want["results"]))
            for row, result in zip(rows, want["results"]):
                with self.subTest(os.path.basename(path)):
                    self.assertEqual((row["more"]["loops"], row["n"]), (result["loops"], result["repeat"]))
                    if "best_s" in result:
                        self.assertEqual((row["statistic"], row["unit"], row["rounded"]), ("best", "s", 1))
                        self.close(row["value"], result["best_s"])
                    else:
                        self.close(row["mean"], result["mean_s"])
                        self.close(row["stddev"], result["stdev_s"])
                    if want.get("raw_times_s"):
                        raw = want["raw_times_s"]
                        self.close(row["mean"], sum(raw) / len(raw) / result["loops"])
                        self.assertIsNotNone(row["q1"])

    def test_ipython_equals_the_oracle(self):
        for path in timing(TIMEIT[2]):
            rows, want = self.rows(path), oracle(path)
            loops = [row for row in rows if row["group"] == "%timeit"]
            self.assertEqual(len(loops), len(want["timeit"]))
            for row, result in zip(loops, want["timeit"]):
                with self.subTest(os.path.basename(path)):
                    self.assertEqual((row["more"]["loops"], row["n"]), (result["loops"], result["runs"]))
                    self.close(row["mean"], result["mean_s"])
                    self.close(row["stddev"], result["stdev_s"])
            for number, result in enumerate(want["time"], 1):
                have = {row["name"]: row["value"] for row in rows if row["group"] == f"%time {number}"}
                for part in ("user", "sys", "total", "wall"):
                    self.close(have[part], result[part + "_s"])


class Hyperfine(Measured):
    def test_each_command_equals_the_oracle(self):
        for path in timing(*HYPERFINE):
            rows, want = self.rows(path), oracle(path)["results"]
            walls = [row for row in rows if row["group"] == "wall clock"]
            peaks = [row for row in rows if row["group"] == "peak memory"]
            self.assertEqual(len(walls), len(want))
            for i, result in enumerate(want):
                with self.subTest(os.path.basename(path), command=result["command"]):
                    wall = walls[i]
                    if result["command"] != 'sh -c "exit 3"':  # which has a name
                        self.assertEqual(wall["name"], result["command"])
                    self.assertEqual((wall["n"], wall["unit"]), (result["n"], "s"))
                    self.assertEqual(wall["more"]["exit codes"], " ".join(map(str, result["exit_codes"])))
                    for key in ("mean", "median", "min", "max", "stddev"):
                        self.close(wall[key], result[key + "_s"])
                    for key in ("mean", "stddev"):  # the tool's own, bit for bit
                        if result[f"tool_{key}_s"] is not None:
                            self.assertEqual(wall[key], result[f"tool_{key}_s"])
                    self.assertEqual(json.loads(wall["parameters"] or "{}"), result["parameters"] or {})
                    if result["max_memory_bytes"] is not None:
                        self.assertEqual(peaks[i]["max"], result["max_memory_bytes"])


class PytestBenchmark(Measured):
    def test_each_benchmark_equals_the_oracle(self):
        for path in timing(*PYTEST):
            said = oracle(path)
            rows = self.rows(path)
            self.assertEqual(self.shelf.sql(path, "SELECT tool_version FROM run"), [{"tool_version": said["version"]}])
            self.assertEqual(len(rows), len(said["benchmarks"]))
            for row, want in zip(rows, said["benchmarks"]):
                with self.subTest(os.path.basename(path), benchmark=want["fullname"]):
                    self.assertEqual((row["name"], row["group"] or None, row["n"]),
                                     (want["fullname"], want["group"], want["rounds"]))
                    self.assertEqual(row["more"]["iterations"], want["iterations"])
                    self.assertEqual(row["more"]["ops"], want["ops"])
                    self.assertEqual(row["more"].get("param"), want["param"])
                    for key in ("mean", "median", "min", "max", "stddev"):
                        self.assertEqual(row[key], want[key + "_s"])

    @needs(STORAGES)
    def test_files_without_raw_times(self):
        rows = self.rows(os.path.join(CORPUS, STORAGES, "storage-2015-v2.json"))
        self.assertEqual([(row["name"], row["n"], row["mean"], row["q1"]) for row in rows],
                         [("tests/test_func/test_perf.py::test_engine", 10, 20.03409411907196, 19.70645785331726)])


if __name__ == "__main__":
    unittest.main()
