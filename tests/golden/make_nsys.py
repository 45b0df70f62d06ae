#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the samples of tests/golden/nsys: exports of Nsight Systems as several versions lay them out, a few rows each.

The files are kept, since SQLite's own version stands in them: run this after a change here, then PS_GOLDENS=write golden_test.
"""
import os
import sqlite3
import sys

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "nsys")
KERNEL = ("start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL,"
          " correlationId INTEGER, globalPid INTEGER, demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL,"
          " registersPerThread INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER,"
          " staticSharedMemory INTEGER, dynamicSharedMemory INTEGER, graphNodeId INTEGER")


def pid(process):
    return 1 << 48 | process << 24


def tid(process, thread):
    return pid(process) | thread


class Export:
    def __init__(self, name, tables):
        self.path = os.path.join(FOLDER, name)
        if os.path.exists(self.path):
            os.remove(self.path)
        self.db = sqlite3.connect(self.path)
        self.db.execute("PRAGMA page_size = 1024")
        for table, columns in tables.items():
            self.db.execute(f"CREATE TABLE {table} ({columns})")

    def add(self, table, *rows):
        for row in rows:
            self.db.execute(f"INSERT INTO {table} VALUES ({','.join('?' * len(row))})", row)
        return self

    def close(self):
        self.db.commit()
        self.db.close()


def strings(export, *names):
    export.add("StringIds", *enumerate(names))


def full():
    """2025.5: two processes with the same correlations, all kinds of rows, and some that are wrong."""
    e = Export("ok_full.sqlite", {
        "StringIds": "id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL",
        "ENUM_CUDA_MEMCPY_OPER": "id INTEGER PRIMARY KEY, name TEXT, label TEXT",
        "ENUM_CUDA_MEM_KIND": "id INTEGER PRIMARY KEY, name TEXT, label TEXT",
        "META_DATA_EXPORT": "name TEXT, value TEXT",
        "TARGET_INFO_SESSION_START_TIME": "utcEpochNs INTEGER, utcTime TEXT",
        "ANALYSIS_DETAILS": "globalVid INTEGER, duration INTEGER",
        "TARGET_INFO_GPU": "id INTEGER, name TEXT, totalMemory INTEGER, smCount INTEGER, computeMajor INTEGER, computeMinor INTEGER",
        "TARGET_INFO_CUDA_DEVICE": "gpuId INTEGER, cudaId INTEGER, pid INTEGER",
        "PROCESSES": "globalPid INTEGER, pid INTEGER, name TEXT",
        "ThreadNames": "nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER",
        "DIAGNOSTIC_EVENT": "timestamp INTEGER, timestampType INTEGER, source INTEGER, severity INTEGER, text TEXT, globalPid INTEGER",
        "CUPTI_ACTIVITY_KIND_RUNTIME": "start INTEGER NOT NULL, end INTEGER, eventClass INTEGER, globalTid INTEGER,"
                                       " correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER",
        "CUPTI_ACTIVITY_KIND_KERNEL": KERNEL,
        "CUPTI_ACTIVITY_KIND_MEMCPY": "start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER,"
                                      " globalPid INTEGER, bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER",
        "CUPTI_ACTIVITY_KIND_MEMSET": "start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER,"
                                      " globalPid INTEGER, value INTEGER, bytes INTEGER, memKind INTEGER",
        "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION": "start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER,"
                                               " correlationId INTEGER, globalPid INTEGER, syncType INTEGER, eventId INTEGER",
        "CUPTI_ACTIVITY_KIND_GRAPH_TRACE": "start INTEGER, end INTEGER, deviceId INTEGER, graphId INTEGER, contextId INTEGER, streamId INTEGER,"
                                           " correlationId INTEGER, globalPid INTEGER, graphExecId INTEGER",
        "OSRT_API": "start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER, nameId INTEGER, returnValue INTEGER, nestingLevel INTEGER",
        "MPI_P2P_EVENTS": "start INTEGER, end INTEGER, globalTid INTEGER, textId INTEGER, size INTEGER",
        "PROFILER_OVERHEAD": "start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER, returnValue INTEGER",
        "NVTX_EVENTS": "start INTEGER NOT NULL, end INTEGER, eventType INTEGER, rangeId INTEGER, category INTEGER, text TEXT,"
                       " globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER, int64Value INTEGER, doubleValue REAL",
        "CUDA_GPU_MEMORY_USAGE_EVENTS": "start INTEGER, globalPid INTEGER, deviceId INTEGER, address INTEGER, bytes INTEGER,"
                                        " memKind INTEGER, memoryOperationType INTEGER",
        "TARGET_INFO_GPU_METRICS": "typeId INTEGER, metricId INTEGER, metricName TEXT",
        "GPU_METRICS": "timestamp INTEGER, typeId INTEGER, metricId INTEGER, value INTEGER",
        "SCHED_EVENTS": "start INTEGER, cpu INTEGER, isSchedIn INTEGER, globalTid INTEGER",
    })
    strings(e, "[Unknown]", "cudaLaunchKernel_v7000", "cuMemcpyHtoDAsync_v2", "cudaStreamIsCapturing_v10000", "void gemm<float>(int)", "gemm",
            "read", "main", "registered", "MPI_Send", "CUPTI flush", "cudaGraphLaunch_v10000", "relu(float*)", "relu")
    e.add("ENUM_CUDA_MEMCPY_OPER", (1, "CUDA_MEMCPY_KIND_HTOD", "Host-to-Device"))
    e.add("ENUM_CUDA_MEM_KIND", (0, "P", "Pageable"), (2, "D", "Device"))
    e.add("META_DATA_EXPORT", ("EXPORT_PRODUCT_VERSION", "2025.5.1.121"), ("EXPORT_SCHEMA_VERSION", "3.23.3"))
    e.add("TARGET_INFO_SESSION_START_TIME", (1763851018220901611, "2025-11-22T22:36:58"))
    e.add("ANALYSIS_DETAILS", (1 << 48, 100000))
    e.add("TARGET_INFO_GPU", (3, "NVIDIA H200", 150137864192, 132, 9, 0))
    e.add("TARGET_INFO_CUDA_DEVICE", (3, 0, 70), (3, 0, 71))
    e.add("PROCESSES", (pid(70), 70, "python"), (pid(71), 71, "python"), (pid(99), 99, "idle"))
    e.add("ThreadNames", (7, 20, tid(70, 70)))
    e.add("DIAGNOSTIC_EVENT", (0, 1, 1, 1, "fine", pid(70)), (1, 1, 1, 2, "perf event\nparanoid", pid(70)), (2, 1, 1, 3, "CUDA failed.", pid(70)))
    e.add("CUPTI_ACTIVITY_KIND_RUNTIME",
          (1000, 1500, 0, tid(70, 70), 5, 1, 0), (1100, 1200, 1, tid(70, 70), 6, 2, 0), (1000, 1400, 0, tid(71, 71), 5, 1, 0),
          (3000, 3100, 0, tid(70, 70), 9, 11, 0), (9000, None, 0, tid(70, 70), 10, 3, 0), (4000, 3900, 0, tid(70, 70), 11, 3, 0),
          (4000, 4100, 0, None, 12, 3, 0), (5000, 5100, 0, tid(70, 70), 13, 500, 0))
    row = (32, 4, 2, 1, 128, 1, 1, 16, 1024)
    e.add("CUPTI_ACTIVITY_KIND_KERNEL",
          (2000, 2600, 0, 1, 7, 5, pid(70), 4, 5, *row, None), (2100, 2400, 0, 1, 7, 5, pid(71), 4, 5, *row, None),
          (3200, 3300, 0, 1, 7, 9, pid(70), 12, 13, *row, 1), (3300, 3500, 0, 1, 7, 9, pid(70), 12, 13, *row, 2))
    e.add("CUPTI_ACTIVITY_KIND_MEMCPY", (1700, 1900, 0, 1, 7, 6, pid(70), 4096, 1, 0, 2), (1950, 1960, 0, 1, 13, None, pid(70), 8, 99, 9, 2))
    e.add("CUPTI_ACTIVITY_KIND_MEMSET", (1600, 1650, 0, 1, 7, None, pid(70), 0, 64, 2))
    e.add("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", (3000, 3600, 0, 1, 4294967295, None, pid(70), 4, 4294967295))
    e.add("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", (6000, 6100, 0, 2, 1, 7, None, pid(70), 8))
    e.add("OSRT_API", (-700, -200, 27, tid(70, 70), 6, 0, 0), (7000, 7900, 27, tid(70, 72), 6, -1, 0))
    e.add("MPI_P2P_EVENTS", (8000, 8500, tid(70, 70), 9, 1 << 20))
    e.add("PROFILER_OVERHEAD", (100, 200, tid(70, 70), 10, 0))
    e.add("NVTX_EVENTS",
          (0, None, 75, None, None, "NCCL", tid(70, 70), None, None, 2, None, None), (0, None, 33, None, 4, "phase", tid(70, 70), None, None, 0, None, None),
          (0, None, 39, None, None, "loader", tid(70, 72), None, None, 0, None, None),
          (900, 3900, 59, None, 4, "step", tid(70, 70), None, None, 0, 42, None), (950, 1600, 59, None, None, None, tid(70, 70), None, 8, 0, None, None),
          (2900, 3150, 59, None, 9, "allreduce", tid(70, 70), None, None, 2, None, 1.5), (8600, None, 59, None, None, "open", tid(70, 70), None, None, 0, None, None),
          (500, 5000, 60, 1, None, "request", tid(70, 70), tid(70, 72), None, 0, None, None),
          (4000, 6000, 60, 2, None, "other request", tid(70, 72), None, None, 0, None, None),
          (7000, None, 60, 3, None, "request", tid(70, 72), None, None, 0, None, None),
          (1234, None, 34, None, None, "here", tid(70, 70), None, None, 0, None, None), (5, None, 76, None, None, None, tid(70, 70), None, None, 2, None, None))
    e.add("CUDA_GPU_MEMORY_USAGE_EVENTS", (4000, pid(70), 0, 4096, 1000, 2, 1), (500, pid(70), 0, 4096, 1000, 2, 0), (600, pid(70), 0, 8192, 50, 1, 0),
          (700, pid(71), 0, 12288, None, 2, 0))
    e.add("TARGET_INFO_GPU_METRICS", (256 + 3, 1, "SMs Active [Throughput %]"))
    e.add("GPU_METRICS", (1000, 256 + 3, 1, 50), (2000, 256 + 3, 1, 75), (2000, 256 + 3, 9, 1), (None, 256 + 3, 1, 1))
    e.add("SCHED_EVENTS", (10, 0, 1, tid(70, 70)), (20, 0, 0, tid(70, 70)))
    e.close()


def old():
    """2020: no tables of words, no classes of calls, no domains, no processes."""
    e = Export("ok_old.sqlite", {
        "StringIds": "id INTEGER NOT NULL PRIMARY KEY, value TEXT",
        "CUPTI_ACTIVITY_KIND_RUNTIME": "start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER",
        "CUPTI_ACTIVITY_KIND_KERNEL": "start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER,"
                                      " globalPid INTEGER, shortName INTEGER",
        "CUPTI_ACTIVITY_KIND_MEMCPY": "start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,"
                                      " bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER",
        "NVTX_EVENTS": "start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER",
    })
    e.db.executemany("INSERT INTO StringIds VALUES (?, ?)", [(10, "axpy"), (12, "cudaLaunchKernel_v7000"), (900, "cuLaunchKernel")])
    e.add("CUPTI_ACTIVITY_KIND_RUNTIME", (100, 200, tid(7, 8), 1, 12), (300, 400, tid(7, 8), 2, 900))
    e.add("CUPTI_ACTIVITY_KIND_KERNEL", (250, 260, 0, 1, 7, 1, pid(7), 10), (450, 480, 0, 1, 7, 2, pid(7), 10), (500, 510, 0, 2, 7, 3, pid(7), 10))
    e.add("CUPTI_ACTIVITY_KIND_MEMCPY", (270, 280, 0, 7, 1, pid(7), 12, 2, 2, 0))
    e.add("NVTX_EVENTS", (90, 210, 59, "one", tid(7, 8)), (90, None, 34, "mark", tid(7, 8)))
    e.close()


def managed():
    """Migrations of managed memory: by page faults of a kernel, beside them, asked for by the program, by the host, out of a full device, unknown."""
    e = Export("ok_managed.sqlite", {
        "StringIds": "id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL",
        "ENUM_CUDA_MEMCPY_OPER": "id INTEGER PRIMARY KEY, name TEXT, label TEXT",
        "ENUM_CUDA_UNIF_MEM_MIGRATION": "id INTEGER PRIMARY KEY, name TEXT, label TEXT",
        "CUPTI_ACTIVITY_KIND_RUNTIME": "start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER",
        "CUPTI_ACTIVITY_KIND_KERNEL": KERNEL,
        "CUPTI_ACTIVITY_KIND_MEMCPY": "start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER,"
                                      " globalPid INTEGER, bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER, migrationCause INTEGER",
    })
    strings(e, "[Unknown]", "cudaLaunchKernel_v7000", "add(float*)", "add")
    e.add("ENUM_CUDA_MEMCPY_OPER", (11, "CUDA_MEMCPY_KIND_UVM_HTOD", "Unified Host-to-Device"))
    e.add("ENUM_CUDA_UNIF_MEM_MIGRATION", (2, "CUDA_UNIFIED_MEMORY_MIGRATION_CAUSE_COHERENCE", "Page fault"))
    e.add("CUPTI_ACTIVITY_KIND_RUNTIME", (0, 1000, tid(7, 7), 1, 1))
    e.add("CUPTI_ACTIVITY_KIND_KERNEL", (2000, 102000, 0, 1, 7, 1, pid(7), 2, 3, 32, 4, 1, 1, 128, 1, 1, 0, 0, None))
    e.add("CUPTI_ACTIVITY_KIND_MEMCPY",
          *((start, start + 9000, 0, 1, 4294967295, None, pid(7), 65536, kind, 4, 4, cause)
            for start, kind, cause in ((3000, 11, 2), (13000, 11, 3), (23000, 11, 1), (33000, 12, 2), (43000, 12, 4), (53000, 13, 2), (63000, 11, None))))
    e.close()


def empty():
    """Nothing was recorded."""
    e = Export("ok_empty.sqlite", {"StringIds": "id INTEGER NOT NULL PRIMARY KEY, value TEXT", "META_DATA_EXPORT": "name TEXT, value TEXT"})
    e.add("META_DATA_EXPORT", ("EXPORT_PRODUCT_VERSION", "2026.1.1.204"))
    e.close()


def v2022():
    """2022: the version stands in EXPORT_META_DATA; nothing was traced."""
    e = Export("ok_2022.sqlite", {"StringIds": "id INTEGER NOT NULL PRIMARY KEY, value TEXT", "EXPORT_META_DATA": "name TEXT, value TEXT"})
    e.add("EXPORT_META_DATA", ("EXPORT_PRODUCT_VERSION", "2022.4.2.18"), ("EXPORT_SCHEMA_VERSION", "2.7.1"))
    e.close()


def odd():
    """Views, virtual tables, indices and columns that are computed: none may run or be believed."""
    e = Export("ok_odd.sqlite", {
        "StringIds": "id INTEGER NOT NULL PRIMARY KEY, value BLOB",
        "OSRT_API": "start INTEGER, end INTEGER, globalTid INTEGER, nameId TEXT, returnValue INTEGER AS (start * 2)",
        "NVTX_EVENTS": "start, end, eventType, text, globalTid, PRIMARY KEY (start, text)) WITHOUT ROWID; --",
    })
    e.db.execute("CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE n(start) AS (SELECT 1 UNION ALL SELECT start + 1 FROM n)"
                 " SELECT start, start AS end, 0 AS deviceId FROM n")
    e.db.execute("CREATE VIRTUAL TABLE GPU_METRICS USING fts5(timestamp, value)")
    e.db.execute("CREATE INDEX by_end ON OSRT_API(end)")
    e.add("StringIds", (1, b"bytes"), (2, "na\x00me"))
    e.db.execute("INSERT INTO OSRT_API(start, end, globalTid, nameId) VALUES (10, 20, ?, 'text'), (30.0, 40.5, ?, '2'), ('x', 1, 1, 1)",
                 (tid(1, 1), tid(1, 1)))
    e.add("NVTX_EVENTS", (1, 2, 59, "a\u00e9\U0001f600", tid(1, 1)), (2, 3, 59, "b", -tid(1, 1)), (1 << 62, (1 << 62) + 5, 59, "far", tid(1, 1)))
    e.close()


def bad():
    """A file that ends too early, one with a page of something else, one that is none."""
    with open(os.path.join(FOLDER, "ok_full.sqlite"), "rb") as file:
        whole = file.read()
    def write(name, content):
        with open(os.path.join(FOLDER, name), "wb") as file:
            file.write(content)
    write("bad_cut.sqlite", whole[:len(whole) // 2])
    write("bad_page.sqlite", whole[:1024 * 20] + b"\x5a" * 1024 * 6 + whole[1024 * 26:])
    write("bad_schema.sqlite", whole[:1024] + b"\0" * 1024 * 8 + whole[1024 * 9:])
    write("bad_head.sqlite", b"SQLite format 3\0" + b"\0" * 84 + b"CREATE TABLE StringIds(id)")


def main():
    os.makedirs(FOLDER, exist_ok=True)
    for make in (full, old, managed, empty, v2022, odd, bad):
        make()
    return 0


if __name__ == "__main__":
    sys.exit(main())
