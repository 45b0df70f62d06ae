# SPDX-License-Identifier: MIT
"""Exports of Nsight Systems in the corpus: every figure beside the same one asked of the file itself."""
import functools
import re
import sqlite3
import unittest
from collections import Counter, defaultdict

from corpus import CorpusTest, Shelf, paths

DEVICE = {"KERNEL": "kernel", "MEMCPY": "gpu_memcpy", "MEMSET": "gpu_memset", "SYNCHRONIZATION": "cuda_sync"}
PUSH_POP = 59


@functools.cache
def nsys_shelf():
    shelf = Shelf()
    shelf.add(paths("wild/nsys-sqlite"))
    return shelf


class Export:
    """The rows of a file."""

    def __init__(self, path):
        self.db = sqlite3.connect(f"file:{path}?immutable=1", uri=True)
        self.tables = {name for name, in self.db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}

    def rows(self, table, columns):
        return self.db.execute(f"SELECT {columns} FROM {table}").fetchall() if table in self.tables else []

    @functools.cached_property
    def strings(self):
        return dict(self.rows("StringIds", "id, value"))

    def calls(self):
        """(name, duration, globalTid, start, end, correlation) of CUDA's calls, without the version in the name."""
        return [(re.sub(r"_v\d{4,}$", "", self.strings[name]), end - start, tid, start, end, correlation) for start, end, name, tid, correlation
                in self.rows("CUPTI_ACTIVITY_KIND_RUNTIME", "start, end, nameId, globalTid, correlationId")]

    def ranges(self):
        """(name, start, end, globalTid) of push/pop ranges."""
        return [(self.strings[text_id] if text is None else text, start, end, tid) for kind, text, text_id, start, end, tid
                in self.rows("NVTX_EVENTS", "eventType, text, textId, start, end, globalTid") if kind == PUSH_POP]

    def launched(self):
        """For each kernel with a call in the file (start, end, call)."""
        calls = {(tid >> 24, correlation): (start, end, tid) for _, _, tid, start, end, correlation in self.calls()}
        kernels = self.rows("CUPTI_ACTIVITY_KIND_KERNEL", "start, end, correlationId, globalPid")
        return [(start, end, calls[pid >> 24, correlation]) for start, end, correlation, pid in kernels if (pid >> 24, correlation) in calls]


def by_name(rows):
    sums = defaultdict(lambda: [0, 0, None, 0])
    for name, duration in rows:
        row = sums[name]
        row[0] += 1
        row[1] += duration
        row[2] = duration if row[2] is None else min(row[2], duration)
        row[3] = max(row[3], duration)
    return {name: tuple(row) for name, row in sums.items()}


class Nsys(CorpusTest):
    fill = staticmethod(nsys_shelf)

    def each(self):
        return [(path, Export(path)) for path in paths("wild/nsys-sqlite")]

    def slices(self, path, where):
        rows = self.shelf.sql(path, f"SELECT name, count(*) AS n, sum(duration_ns) AS ns, min(duration_ns) AS least, max(duration_ns) AS most"
                                    f" FROM slices WHERE {where} GROUP BY name")
        return {row["name"]: (row["n"], row["ns"], row["least"], row["most"]) for row in rows}

    def test_all_are_read(self):
        self.assertEqual(len(paths("wild/nsys-sqlite")), 5)
        for path, _ in self.each():
            run = self.shelf.of(path)
            self.assertEqual((run["kind"], run["repaired"], run["rejected"]), ("nsys", 0, 0))

    def test_ledger(self):
        """Each row of a table of events is there: drawn, or counted under its table's name."""
        for path, export in self.each():
            told = self.shelf.show(path)["ledger"]
            self.assertEqual(told["read"], told["stored"] + told["repaired"] + told["rejected"] + told["other"])
            events = 0
            for table in export.tables:
                columns = {row[1] for row in export.db.execute(f"PRAGMA table_info({table})")}
                events += len(export.rows(table, "1")) if columns & {"start", "timestamp"} else 0
            self.assertEqual(told["read"], events)

    def test_kernels(self):
        for path, export in self.each():
            want = by_name((export.strings[name], end - start) for name, start, end
                           in export.rows("CUPTI_ACTIVITY_KIND_KERNEL", "demangledName, start, end"))
            self.assertEqual(self.slices(path, "category = 'kernel'"), want)
            stored = self.shelf.sql(path, "SELECT count(*) AS n, coalesce(sum(total_us), 0) AS us FROM kernels WHERE name NOT LIKE '[CUDA%'")[0]
            self.assertEqual((stored["n"], round(stored["us"] * 1000)), (len(want), sum(row[1] for row in want.values())))

    def test_device_work(self):
        for path, export in self.each():
            for table, category in DEVICE.items():
                want = sorted((end - start, correlation) for start, end, correlation
                              in export.rows(f"CUPTI_ACTIVITY_KIND_{table}", "start, end, correlationId"))
                have = self.shelf.sql(path, f"SELECT duration_ns, json_extract(args, '$.correlation') AS c FROM slices WHERE category = '{category}'")
                self.assertEqual(sorted((row["duration_ns"], row["c"]) for row in have), want)

    def test_copies(self):
        for path, export in self.each():
            labels = dict(export.rows("ENUM_CUDA_MEMCPY_OPER", "id, label"))
            want = Counter((f"[CUDA memcpy {labels[kind]}]", size) for kind, size in export.rows("CUPTI_ACTIVITY_KIND_MEMCPY", "copyKind, bytes"))
            have = self.shelf.sql(path, "SELECT name, json_extract(args, '$.bytes') AS bytes FROM slices WHERE category = 'gpu_memcpy'")
            self.assertEqual(Counter((row["name"], row["bytes"]) for row in have), want)

    def test_calls(self):
        for path, export in self.each():
            want = by_name((name, duration) for name, duration, *_ in export.calls())
            self.assertEqual(self.slices(path, "category IN ('cuda_runtime', 'cuda_driver')"), want)

    def test_system_calls(self):
        for path, export in self.each():
            want = by_name((export.strings[name], end - start) for name, start, end in export.rows("OSRT_API", "nameId, start, end"))
            self.assertEqual(self.slices(path, "category = 'osrt'"), want)

    def test_ranges(self):
        for path, export in self.each():
            want = by_name((name, end - start) for name, start, end, _ in export.ranges())
            self.assertEqual(self.slices(path, "category = 'nvtx'"), want)

    def test_times_begin_together(self):
        """The first event is at 0 or less than a microsecond behind it, all others as far behind it as in the file."""
        for path, export in self.each():
            events = [start for table in ("CUPTI_ACTIVITY_KIND_RUNTIME", "OSRT_API", "PROFILER_OVERHEAD", "NVTX_EVENTS", "CUPTI_ACTIVITY_KIND_MEMSET",
                                          "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION")
                      for start, in export.rows(table, "start")]
            have = [row["start_ns"] for row in self.shelf.sql(path, "SELECT start_ns FROM slices ORDER BY start_ns")]
            self.assertLess(have[0], 1000)
            self.assertEqual([start - have[0] for start in have], sorted(start - min(events) for start in events))
            epoch, = export.rows("TARGET_INFO_SESSION_START_TIME", "utcEpochNs")[0]
            self.assertEqual(int(self.shelf.show(path)["summary"]["origin_us"]) * 1000 + have[0], epoch + min(events))

    def test_innermost_range_of_kernels(self):
        """The greatest start of those that hold the launch call, on its thread."""
        seen = 0
        for path, export in self.each():
            ranges = export.ranges()
            want = Counter()
            for _, _, (start, end, tid) in export.launched():
                around = [r for r in ranges if r[3] == tid and r[1] <= start and end <= r[2]]
                want[max(around, key=lambda r: r[1])[0] if around else None] += 1
            have = self.shelf.sql(path, "SELECT o.name AS name, count(*) AS n FROM slices k LEFT JOIN slices o ON o.id = k.operator_id"
                                        " WHERE k.category = 'kernel' AND k.launch_id IS NOT NULL GROUP BY 1")
            self.assertEqual({row["name"]: row["n"] for row in have}, dict(want))
            seen += sum(want.values())
        self.assertGreater(seen, 30)

    def test_launches(self):
        for path, export in self.each():
            have = self.shelf.sql(path, "SELECT k.duration_ns AS ns, l.duration_ns AS call FROM slices k JOIN slices l ON l.id = k.launch_id"
                                        " WHERE k.category = 'kernel'")
            self.assertEqual(sorted((row["ns"], row["call"]) for row in have),
                             sorted((end - start, call[1] - call[0]) for start, end, call in export.launched()))

    def test_devices(self):
        for path, _ in self.each():
            for row in self.shelf.sql(path, "SELECT DISTINCT process FROM slices WHERE category = 'kernel'"):
                self.assertRegex(row["process"], r"^GPU \d+$")

    def test_processes(self):
        for path, export in self.each():
            pids = {tid >> 24 & 0xFFFFFF for _, _, tid, *_ in export.calls()}
            have = {row["process"] for row in self.shelf.sql(path, "SELECT DISTINCT process FROM slices WHERE category LIKE 'cuda\\_%' ESCAPE '\\'"
                                                                   " AND category <> 'cuda_sync'")}
            self.assertEqual(have, {str(pid) for pid in pids})


if __name__ == "__main__":
    unittest.main()
