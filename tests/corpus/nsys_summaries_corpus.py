# SPDX-License-Identifier: MIT
"""The summaries of exports of Nsight Systems against the rows of the exports themselves, read with Python's sqlite3."""
import collections
import contextlib
import functools
import json
import re
import sqlite3
import statistics

from corpus import CorpusTest, Shelf, paths, served

KERNELS = "SELECT start, end, (SELECT value FROM StringIds WHERE id = demangledName) FROM CUPTI_ACTIVITY_KIND_KERNEL"
CALLS = "SELECT start, end, (SELECT value FROM StringIds WHERE id = nameId) FROM {}"
RANGES = ("SELECT start, end, coalesce(text, (SELECT value FROM StringIds WHERE id = textId)), globalTid FROM NVTX_EVENTS"
          " WHERE eventType IN (59, 60) AND end IS NOT NULL")
WORKS = ("CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET")


@functools.cache
def shelf():
    filled = Shelf()
    filled.add([path for path in paths("wild/nsys-sqlite") if path.endswith(".sqlite")])
    return filled


@functools.cache
def link():
    return served(shelf())


class Export:
    """The rows of a file; none of a table that it lacks."""

    def __init__(self, path):
        self.db = sqlite3.connect(f"file:{path}?immutable=1", uri=True)
        self.tables = {name for name, in self.db.execute("SELECT name FROM sqlite_master")}

    def rows(self, table, statement):
        return self.db.execute(statement.format(table)).fetchall() if table in self.tables else []

    def lists(self, table, statement, name=lambda text: text):
        """Name -> durations."""
        lists = collections.defaultdict(list)
        for start, end, text, *_ in self.rows(table, statement):
            lists[name(text)].append(end - start)
        return dict(lists)

    def works(self):
        """(process, correlation) -> what that call launched."""
        launched = collections.defaultdict(list)
        for table in WORKS:
            for start, end, process, correlation in self.rows(table, "SELECT start, end, globalPid, correlationId FROM {}"):
                launched[process >> 24, correlation].append((start, end))
        return launched

    def projected(self):
        """Name -> lengths of the projected ranges."""
        launched, lists = self.works(), collections.defaultdict(list)
        calls = self.rows("CUPTI_ACTIVITY_KIND_RUNTIME", "SELECT start, globalTid, correlationId FROM {}")
        for start, end, name, thread in self.rows("NVTX_EVENTS", RANGES + " AND eventType = 59"):
            works = [work for at, of, correlation in calls if of == thread and start <= at < end for work in launched[of >> 24, correlation]]
            if works:
                lists[name].append(max(last for _, last in works) - min(first for first, _ in works))
        return dict(lists)


class Summaries(CorpusTest):
    fill = staticmethod(shelf)

    def each(self):
        for path in paths("wild/nsys-sqlite"):
            if path.endswith(".sqlite"):
                export = Export(path)
                with self.subTest(path), contextlib.closing(export.db):
                    yield path, export

    def report(self, path, name):
        link().request("GET", f"/api/v1/runs/{self.shelf.of(path)['id']}/summary?report={name}&limit=1000")
        table = json.loads(link().getresponse().read())
        return {row["name"]: row for row in (dict(zip(table["columns"], row)) for row in table["rows"])}

    def same(self, rows, lists, before=""):
        self.assertEqual(set(rows), set(lists))
        for name, values in lists.items():
            wanted = {"total": sum(values), "avg": statistics.fmean(values), "med": statistics.median(values), "min": min(values), "max": max(values),
                      "stddev": statistics.stdev(values) if len(values) > 1 else 0}
            self.assertEqual(rows[name]["calls"], len(values), name)
            for key, value in wanted.items():
                self.assertAlmostEqual(rows[name][f"{before}{key}_ns"], value, delta=1e-9 * abs(value), msg=f"{key} of {name}")

    def test_kernels(self):
        for path, export in self.each():
            self.same(self.report(path, "cuda_gpu_kern_sum"), export.lists("CUPTI_ACTIVITY_KIND_KERNEL", KERNELS))

    def test_calls(self):
        without_version = functools.partial(re.sub, r"_v\d{4,}$", "")
        for path, export in self.each():
            called = export.lists("CUPTI_ACTIVITY_KIND_RUNTIME", CALLS, without_version)
            self.same(self.report(path, "cuda_api_sum"), called)

    def test_calls_of_the_system(self):
        for path, export in self.each():
            self.same(self.report(path, "osrt_sum"), export.lists("OSRT_API", CALLS))

    def test_copies(self):
        for path, export in self.each():
            copied = [size for table in WORKS[1:] for size, in export.rows(table, "SELECT bytes FROM {}")]
            sizes = self.report(path, "cuda_gpu_mem_size_sum").values()
            self.assertEqual((sum(row["total_bytes"] for row in sizes), sum(row["calls"] for row in sizes)), (sum(copied), len(copied)))
            taken = [end - start for table in WORKS[1:] for start, end in export.rows(table, "SELECT start, end FROM {}")]
            self.assertEqual(sum(row["total_ns"] for row in self.report(path, "cuda_gpu_mem_time_sum").values()), sum(taken))

    def test_ranges(self):
        for path, export in self.each():
            self.same(self.report(path, "nvtx_sum"), export.lists("NVTX_EVENTS", RANGES))

    def test_ranges_on_the_device(self):
        for path, export in self.each():
            self.same(self.report(path, "nvtx_gpu_proj_sum"), export.projected(), "proj_")
