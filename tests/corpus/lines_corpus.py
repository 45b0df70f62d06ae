# SPDX-License-Identifier: MIT
"""Line-level profiles of the corpus: each hit, tick, MiB and percentage equals the oracle's, or this file's own reading."""
import functools
import json
import os
import re
import unittest

from corpus import CorpusTest, Shelf, number, oracle, paths, text

# Without an order: rows come as their table holds them, in the order of the file.
LINES = "SELECT file, function, first_line, line, block, source, hits, ticks, mem_mib, increment_mib, occurrences FROM lines"
MADE = ("made/line-profiler", "made/memory-profiler", "made/scalene")
WILD = ("wild/lprof", "wild/line-profiler-text", "wild/memory-profiler", "wild/mprof", "wild/scalene")
# What the tools wrote when they had nothing to say: usage errors, `mprof peak`, nothing at all, {}.
EMPTY = re.compile(r"lp40_.*sorted_summary|\.mprof_peak\.txt$|killed\.dat$|too_short|mem_children_no_profile"
                   r"|scalene15\d\d_(full|stdout)\.txt$|scalene15\d\d_short\.log$")


def is_profile(path):
    return os.path.isfile(path) and not EMPTY.search(os.path.basename(path))


def files(*folders, ending=""):
    return [path for path in paths(*folders) if is_profile(path) and path.endswith(ending)]


@functools.cache
def lines_shelf():
    shelf = Shelf()
    shelf.add(files(*MADE, *WILD))
    return shelf


def plain(line):
    return re.sub(r"\x1b\[[0-9;]*m|\x1b\].*?(\x07|\x1b\\)", "", line)


class Lines(CorpusTest):
    fill = staticmethod(lines_shelf)

    def rows(self, path, statement=LINES):
        return self.shelf.sql(path, statement)


class Everything(Lines):
    def test_all_are_imported(self):
        self.assertEqual(self.shelf.refused, {})

    def test_ledgers_account_for_everything(self):
        for path in files(*MADE, *WILD):
            with self.subTest(os.path.basename(path)):
                ledger = self.shelf.show(path)["ledger"]
                self.assertEqual(ledger["read"], sum(ledger[key] for key in ("stored", "repaired", "rejected", "other")))
                self.assertEqual(ledger["rejected"], 0)

    def test_what_is_none_is_refused(self):
        shelf = Shelf()
        others = [path for path in paths(*MADE) if os.path.isfile(path) and not is_profile(path)]
        shelf.add(others)
        self.assertEqual(shelf.runs, {})
        for path, line in shelf.refused.items():
            if "too_short" in path and path.endswith(".json"):
                self.assertIn("the program ran for too short a time", line)


class LineProfiler(Lines):
    def test_pickles_equal_the_oracle(self):
        compared = 0
        for path in files("made/line-profiler", ending=".lprof"):
            with self.subTest(os.path.basename(path)):
                doc, stored = oracle(path), {}
                for row in self.rows(path):
                    self.assertEqual(row["block"], 1)
                    stored.setdefault((row["file"], row["first_line"], row["function"]), []).append(
                        [row["line"], row["hits"], row["ticks"]])
                known = {(text(f["file"]), f["line"], text(f["function"])): f["lines"] for f in doc["timings"]}
                self.assertEqual(stored, {key: lines for key, lines in known.items() if lines})
                summary = self.shelf.show(path)["summary"]
                self.assertEqual(number(summary["unit_s"]), number(doc["unit"]))
                self.assertEqual(summary["functions"], doc["functions"])
                self.assertEqual(summary["functions_run"], doc["functions_with_hits"])
                self.assertEqual(summary["ticks"], sum(f["total"] for f in doc["timings"]))
                self.assertEqual((summary["rounded"], summary["lines"]), (0, sum(map(len, known.values()))))
                compared += 1
        self.assertGreater(compared, 30)

    def test_wild_pickles_equal_pickletools(self):
        for path in files("wild/lprof", ending=".lprof"):
            with self.subTest(os.path.basename(path)):
                known = {}
                for key, rows in unpickled(path).timings.items():
                    for line, hits, ticks in rows:
                        old = known.get((key, line), (0, 0))
                        known[key, line] = (old[0] + hits, old[1] + ticks)
                stored = {((r["file"], r["first_line"], r["function"]), r["line"]): (r["hits"], r["ticks"]) for r in self.rows(path)}
                self.assertEqual(stored, known)

    def test_reports_equal_what_is_printed(self):
        """An independent reading: every numbered line of a block, cut by words where it is not a source."""
        for path in files("made/line-profiler", "wild/line-profiler-text", ending=".txt"):
            with self.subTest(os.path.basename(path)):
                printed, inside = [], False
                with open(path, encoding="utf-8") as file:
                    for line in file:
                        line = plain(line.rstrip("\n"))
                        if line.startswith("Line #"):
                            inside = True
                        elif not line.strip():
                            inside = False
                        elif inside and (match := re.match(r" *(\d+)(?: +([\d.e+]+) +([\d.e+]+) +[\d.e+]+(?: +[\d.]+| {9}))?(?=  |$)", line)):
                            printed.append([int(match[1])] + [float(x) if x else None for x in match.group(2, 3)])
                stored = [[r["line"], r["hits"], r["ticks"]] for r in self.rows(path)]
                self.assertEqual(stored, printed)

    def test_reports_agree_with_their_pickles(self):
        """Each printed time is that of the .lprof beside it, rounded."""
        compared = 0
        for path in files("made/line-profiler", ending=".txt"):
            pickle = os.path.join(os.path.dirname(path), os.path.basename(path).split(".")[0] + ".lprof")
            if not os.path.exists(pickle) or "kernprof_v" in path or "source_missing" in path:
                continue
            units = [self.shelf.show(p)["summary"]["unit_s"] for p in (path, pickle)]
            exact = {(r["file"], r["line"], r["hits"]): r["ticks"] for r in self.rows(pickle)}
            with self.subTest(os.path.basename(path)):
                for row in self.rows(path):
                    if row["hits"] is None:
                        continue
                    ticks = exact.get((row["file"], row["line"], row["hits"]))
                    self.assertIsNotNone(ticks, row)
                    self.assertAlmostEqual(row["ticks"], ticks * units[1] / units[0], delta=0.0501)
                    compared += 1
        self.assertGreater(compared, 200)

    def test_sources_are_kept(self):
        path = next(p for p in files("made/line-profiler") if p.endswith("lp50_basics.rich_sorted_summary.txt"))
        stored = {r["line"]: r["source"] for r in self.rows(path)}
        with open(os.path.join(os.path.dirname(path), "src", "basics.py"), encoding="utf-8") as file:
            lines = file.read().splitlines()
        for line, source in stored.items():
            if "…" not in source:  # rich cuts what is wider than the terminal
                self.assertEqual(source, lines[line - 1].rstrip())


def blocks_of(rows):
    """The rows of memory_profiler of each printed block."""
    found = {}
    for row in rows:
        found.setdefault((row["function"], row["first_line"], row["block"]), []).append(row)
    return list(found.values())


def growth(block):
    """What the calls of a block added: the memory at their end less that at their start."""
    first = block[0]
    return block[-1]["mem_mib"] - (first["increment_mib"] if (first["occurrences"] or 1) > 1 else first["mem_mib"])


class MemoryProfiler(Lines):
    def test_reports_equal_the_oracle(self):
        compared = 0
        for path in files("made/memory-profiler", ending=".txt"):
            with self.subTest(os.path.basename(path)):
                known = [row for block in oracle(path)["blocks"] for row in block["rows"]]
                stored = [[r["line"], r["mem_mib"], r["increment_mib"], r["occurrences"], r["source"].lstrip(" ")] for r in self.rows(path)]
                self.assertEqual(stored, known)
                compared += len(known)
        self.assertGreater(compared, 80)

    def test_blocks_and_sums(self):
        for path in files("made/memory-profiler", "wild/memory-profiler", ending=".txt") + files("wild/memory-profiler", ending=".log"):
            with self.subTest(os.path.basename(path)):
                with open(path, encoding="utf-8") as file:
                    blocks = sum(line.startswith("Line #") for line in file)
                rows, summary = [r for r in self.rows(path) if r["mem_mib"] is not None], self.shelf.show(path)["summary"]
                self.assertEqual(summary["blocks"], blocks)
                self.assertEqual(summary["peak_mib"], max(r["mem_mib"] for r in rows))
                self.assertEqual(len(blocks_of(rows)), blocks)
                self.assertAlmostEqual(summary["increment_mib"], sum(growth(block) for block in blocks_of(rows)), places=5)
                self.assertNotIn(None, {r["function"] for r in rows})


class Mprof(Lines):
    def test_recordings_equal_the_oracle(self):
        compared = 0
        for path in files("made/memory-profiler", "wild/mprof", ending=".dat"):
            with self.subTest(os.path.basename(path)):
                rows = self.shelf.sql(path, "SELECT t_s, process, kind, mib FROM memory")
                main = [(r["t_s"], r["mib"]) for r in rows if r["kind"] == "rss"]
                children = {}
                for r in rows:
                    if r["kind"] == "child":
                        children.setdefault(str(r["process"]), []).append([r["mib"], r["t_s"]])
                doc = oracle(path)
                if doc is None:
                    continue
                self.assertEqual(main, list(zip(doc["timestamp"], doc["mem_usage"])))
                self.assertEqual(children, doc["children"])
                self.assertEqual(self.shelf.show(path)["summary"]["peak_mib"], doc["peak_mib"])
                compared += len(rows)
        self.assertGreater(compared, 300)


def shown(line):
    """A line of the source as Scalene's own page shows it."""
    return line.rstrip("\r\n").replace("\\u003c", "<").replace("\\u003e", ">")


class Scalene(Lines):
    FIGURES = {"cpu_python_pct": "n_cpu_percent_python", "cpu_native_pct": "n_cpu_percent_c", "cpu_system_pct": "n_sys_percent",
               "gpu_pct": "n_gpu_percent", "gpu_avg_mib": "n_gpu_avg_memory_mb", "gpu_peak_mib": "n_gpu_peak_memory_mb", "avg_mib": "n_avg_mb",
               "peak_mib": "n_peak_mb", "malloc_mib": "n_malloc_mb", "mallocs": "n_mallocs", "growth_mib": "n_growth_mb",
               "usage_fraction": "n_usage_fraction", "python_fraction": "n_python_fraction", "copy_mib_s": "n_copy_mb_s",
               "core_utilization": "n_core_utilization"}

    def test_documents_equal_themselves(self):
        """Every figure of every line, bit for bit."""
        for path in files("made/scalene", "wild/scalene", ending=".json"):
            with self.subTest(os.path.basename(path)):
                with open(path, encoding="utf-8") as file:
                    doc = json.load(file)
                known = [[name, line["lineno"], shown(line["line"])] + [bits(line.get(key)) for key in self.FIGURES.values()]
                         for name, f in doc["files"].items() for line in f["lines"]]
                stored = [[r["file"], r["line"], r["source"]] + [bits(r[key]) for key in self.FIGURES]
                          for r in self.rows(path, f"SELECT file, line, source, {', '.join(self.FIGURES)} FROM lines")]
                self.assertEqual(stored, known)
                summary = self.shelf.show(path)["summary"]
                self.assertEqual(summary["elapsed_s"], doc["elapsed_time_sec"])
                self.assertEqual(summary["functions"], sum(len(f["functions"]) for f in doc["files"].values()))
                samples = [s for s in doc["samples"] if isinstance(s, list)]
                curve = self.shelf.sql(path, "SELECT t_s, mib FROM memory WHERE kind = 'footprint'")
                self.assertEqual([[r["t_s"], r["mib"]] for r in curve], [[t / 1e9, mib] for t, mib in samples])

    def test_oracle_sums(self):
        for path in files("made/scalene", ending=".json"):
            with self.subTest(os.path.basename(path)):
                for name, f in oracle(path)["files"].items():
                    sums = self.shelf.sql(path, "SELECT count(*) AS lines, total(cpu_python_pct) AS python, total(cpu_native_pct) AS c, "
                                          f"total(malloc_mib) AS malloc FROM lines WHERE file = '{name}'")[0]
                    self.assertEqual(sums["lines"], f["lines"])
                    for key, want in (("python", "sum_cpu_python"), ("c", "sum_cpu_c"), ("malloc", "sum_malloc_mb")):
                        self.assertAlmostEqual(sums[key], f[want], places=9)


def bits(value):
    return value if value is None else number(float(value))


class LineStats:
    """What the class of line_profiler is to a pickle: a place for timings and unit."""


def unpickled(path):
    """Our own LineStats stands for every class that the file names; nothing else of it is found."""
    import pickle

    class Reader(pickle.Unpickler):
        def find_class(self, module, name):
            if name != "LineStats":
                raise pickle.UnpicklingError(module)
            return LineStats

    with open(path, "rb") as file:
        return Reader(file, encoding="utf-8").load()


if __name__ == "__main__":
    unittest.main()
