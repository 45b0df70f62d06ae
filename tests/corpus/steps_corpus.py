# SPDX-License-Identifier: MIT
"""Steps and breakdowns of real torch traces: every breakdown sums to its step, and steps, parts and devices equal this file's own
reading of the JSON, which goes another way (unions that grow role by role instead of one sweep)."""
import bisect
import decimal
import functools
import gzip
import json
import os

from corpus import ROOT, CorpusTest, Shelf, paths

FOLDERS = ("made/torch-trace", "wild/torch-trace")
ROLES = ("kernel", "memcpy", "memset", "communication", "runtime", "dataloader", "cpu")
RECORDED = os.path.join(ROOT, "tests", "recorded", "torch-cuda")
LARGEST = 40_000_000 # bytes of JSON that this file's own reading takes on


def is_trace(path):
    """By name: neither what a trace is compared with nor torch's memory timelines."""
    return path.endswith((".json", ".json.gz")) and not path.endswith((".oracle.json", ".oracle.json.gz")) and "memory_timeline" not in path


def traces():
    recorded = [os.path.join(RECORDED, name) for name in sorted(os.listdir(RECORDED))]
    return [path for path in paths(*FOLDERS) + recorded if is_trace(path)]


@functools.cache
def shelf():
    filled = Shelf()
    filled.add(traces())
    return filled


def ns(value):
    return int((value * 1000).to_integral_value(decimal.ROUND_DOWN)) if isinstance(value, decimal.Decimal) else int(value) * 1000


def load(path):
    """The X events of a trace, None when it is too large or is no strict JSON."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        text = file.read(LARGEST + 1)
    if len(text) > LARGEST:
        return None
    try:
        document = json.loads(text, parse_float=decimal.Decimal, strict=False)
    except ValueError:
        return None
    events = document["traceEvents"] if isinstance(document, dict) else document
    rows = []
    for event in events:
        if event.get("ph") == "X" and isinstance(event.get("dur", 0), (int, decimal.Decimal)):
            start, dur = ns(event["ts"]), max(ns(event.get("dur", 0)), 0)
            rows.append((event.get("cat", "").lower(), str(event.get("name", "")), start, start + dur, event.get("args") or {}))
    return rows


def union(intervals):
    joined = []
    for start, end in sorted(map(tuple, intervals)):
        if start >= end:
            continue
        if joined and start <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], end)
        else:
            joined.append([start, end])
    return joined


def length(joined, start, end):
    first = max(bisect.bisect_right(joined, [start]) - 1, 0)
    total = 0
    for a, b in joined[first:]:
        if a >= end:
            break
        total += max(min(b, end) - max(a, start), 0)
    return total


HOST = ("cpu_op", "operator", "user_annotation")
RUNTIME = ("cuda_runtime", "cuda_driver", "runtime", "xpu_runtime", "mtia_runtime")
DEVICE = {"kernel": "kernel", "gpu_memcpy": "memcpy", "memcpy": "memcpy", "gpu_memset": "memset", "memset": "memset"}


def role_of(cat, name):
    if cat in RUNTIME:
        return "runtime"
    if cat in HOST or cat == "gpu_user_annotation":
        if name.startswith("ProfilerStep#"):
            return None
        if name[:5] in ("nccl:", "gloo:") and name[5:] in ("broadcast", "reduce", "all_reduce", "all_gather", "reduce_scatter"):
            return "communication"
        loads = name.startswith(("enumerate(DataLoader)#", "enumerate(DataPipe)#")) and name.endswith("__next__")
        if loads or "annotation" in cat:  # an annotation is a name for time, not work
            return "dataloader" if loads else None
        return "cpu"
    return None


class Reading:
    """What tb_plugin and HTA would say of a trace with steps."""

    def __init__(self, rows):
        self.host_steps = sorted((start, end, name) for cat, name, start, end, _ in rows
                                 if cat in HOST and name.startswith("ProfilerStep#"))
        calls = {}
        for cat, _, start, end, args in rows:
            if cat in RUNTIME and "correlation" in args:
                calls.setdefault(args["correlation"], []).append((start, end))
        self.ambiguous = any(len(set(found)) > 1 for found in calls.values()) or 0 in calls
        self.work = [(start, end, cat, name, calls.get(args.get("correlation"), [None])[0])
                     for cat, name, start, end, args in rows if cat in DEVICE]
        self.rows = rows

    def step_of(self, call):
        if call is None:
            return None
        i = bisect.bisect_right(self.host_steps, (call[0], 1 << 80)) - 1
        return i if i >= 0 and call[1] <= self.host_steps[i][1] else None

    def steps(self):
        """(start, end, name, counted) as tb_plugin draws them."""
        inside, outside = [[] for _ in self.host_steps], []
        for work in self.work:
            i = self.step_of(work[4])
            (outside if i is None else inside[i]).append(work)
        if not any(inside):
            return [(*step, True) for step in self.host_steps]
        previous = self.host_steps[0][0]
        if inside[0]:
            first = min(work[0] for work in inside[0])
            previous = max([previous] + [work[1] for work in outside if work[1] < first])
        steps = []
        for (start, end, name), works in zip(self.host_steps, inside):
            start = max(start, previous)
            end = max([start, end] + [work[1] for work in works])
            steps.append((start, end, name))
            previous = end
        kept = len(steps)
        while kept and not inside[kept - 1]:
            kept -= 1
        if kept > 1 and len(inside[kept - 2]) * 0.8 > len(inside[kept - 1]):
            kept -= 1
        kept = kept if len(steps) > 1 else 1
        return [(*step, i < kept) for i, step in enumerate(steps)]

    def parts(self, steps):
        """tb_plugin's roles of each step, each as what it adds to the union of those before it."""
        intervals = {role: [] for role in ROLES}
        for cat, name, start, end, _ in self.rows:
            if role := role_of(cat, name):
                intervals[role].append((start, end))
        for start, end, cat, _, _ in self.work:
            intervals[DEVICE[cat]].append((start, end))
        covered, before, parts = [], [0] * len(steps), [{} for _ in steps]
        for role in ROLES:
            covered = union(covered + intervals[role])
            for i, (start, end, *_) in enumerate(steps):
                now = length(covered, start, end)
                parts[i][role], before[i] = now - before[i], now
        for i, (start, end, *_) in enumerate(steps):
            parts[i]["other"] = end - start - before[i]
        return parts

    def temporal(self):
        """HTA: (kernel time, idle, compute, non-compute), without what the last of several steps launched."""
        work = self.work
        if len(self.host_steps) > 1:
            work = [w for w in work if w[4] and w[4][0] < self.host_steps[-1][0]]
        if not work:
            return (0, 0, 0, 0)
        start, end = min(w[0] for w in work), max(w[1] for w in work)
        idle = end - start - length(union(w[:2] for w in work), start, end)
        compute = length(union(w[:2] for w in work if w[2] == "kernel"), start, end)
        return (end - start, idle, compute, end - start - idle - compute)


def plain(reading):
    """Without collectives on the device, one device, correlations that say one thing."""
    return (reading.host_steps and not reading.ambiguous and not any("nccl" in work[3].lower() for work in reading.work)
            and len({str(args.get("device")) for cat, *_, args in reading.rows if cat == "kernel"}) <= 1)


class Steps(CorpusTest):
    fill = staticmethod(shelf)

    def imported(self):
        return [path for path in traces() if path not in self.shelf.refused]

    def test_every_breakdown_sums_to_its_step(self):
        counted = 0
        for path in self.imported():
            with self.subTest(os.path.basename(path)):
                for row in self.shelf.sql(path, "SELECT s.name, s.duration_ns, p.definition, sum(p.ns) AS ns, min(p.ns) AS least"
                                                " FROM steps s JOIN step_parts p ON p.step = s.step GROUP BY s.step, p.definition"):
                    self.assertEqual(row["ns"], row["duration_ns"], row)
                    self.assertGreaterEqual(row["least"], 0)
                    counted += 1
        self.assertGreater(counted, 100)

    def test_devices_reconcile(self):
        for path in self.imported():
            with self.subTest(os.path.basename(path)):
                for row in self.shelf.sql(path, "SELECT * FROM device"):
                    self.assertEqual(row["hta_kernel_time_ns"], row["hta_compute_ns"] + row["hta_non_compute_ns"] + row["hta_idle_ns"])
                    self.assertLessEqual(row["busy_ns"], row["span_ns"])
                    self.assertLessEqual(row["overlap_ns"], row["communication_ns"])
                    self.assertTrue(row["sm_efficiency"] is None or 0 <= row["sm_efficiency"] <= 1)

    def test_steps_and_parts_equal_another_reading(self):
        compared = 0
        for path in self.imported():
            rows = load(path)
            reading = Reading(rows) if rows else None
            if not reading or not plain(reading):
                continue
            with self.subTest(os.path.basename(path)):
                self.compare(path, reading)
                compared += 1
        self.assertGreater(compared, 5)

    def compare(self, path, reading):
        origin = int(self.shelf.sql(path, "SELECT v FROM meta WHERE k = 'origin_us'")[0]["v"]) * 1000
        steps = reading.steps()
        stored = self.shelf.sql(path, "SELECT * FROM steps")
        self.assertEqual([(row["start_ns"] + origin, row["start_ns"] + row["duration_ns"] + origin, row["name"], bool(row["counted"]))
                          for row in stored], steps)
        found = {row["step"]: {} for row in stored}
        for part in self.shelf.sql(path, "SELECT step, name, ns FROM step_parts WHERE definition = 'tensorboard'"):
            found[part["step"]][part["name"]] = part["ns"]
        self.assertEqual(list(found.values()), reading.parts(steps))
        if reading.work:
            device, = self.shelf.sql(path, "SELECT * FROM device")
            self.assertEqual(tuple(device[f"hta_{word}_ns"] for word in ("kernel_time", "idle", "compute", "non_compute")),
                             reading.temporal())


def load_modules(path):
    """(path of module names) -> [calls, total ns, own ns] by containment on each thread; None without modules."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        text = file.read(LARGEST + 1)
    if b"Python module id" not in text or len(text) > LARGEST:
        return None
    try:
        document = json.loads(text, parse_float=decimal.Decimal, strict=False)
    except ValueError:
        return None
    threads, modules = {}, {}
    for event in document["traceEvents"]:
        if event.get("ph") == "X" and "Python module id" in event.get("args", {}):
            start = ns(event["ts"])
            threads.setdefault((event["pid"], event["tid"]), []).append((start, -ns(event["dur"]), event["name"]))
    for rows in threads.values():
        stack = []
        for start, minus, name in sorted(rows, key=lambda row: row[:2]):
            while stack and start >= stack[-1][0]:
                stack.pop()
            name = name.removeprefix("nn.Module: ")
            where = (*stack[-1][1], name) if stack else (name,)
            found = modules.setdefault(where, [0, 0, 0])
            found[0], found[1], found[2] = found[0] + 1, found[1] - minus, found[2] - minus
            if stack:
                modules[stack[-1][1]][2] += minus
            stack.append((start - minus, where))
    return modules


class Modules(CorpusTest):
    fill = staticmethod(shelf)

    def test_modules_equal_another_reading(self):
        compared = 0
        for path in traces():
            modules = None if path in self.shelf.refused else load_modules(path)
            if not modules:
                continue
            with self.subTest(os.path.basename(path)):
                where, found = {None: ()}, {}
                for row in self.shelf.sql(path, "SELECT * FROM modules ORDER BY id"):
                    where[row["id"]] = (*where[row["parent_id"]], row["name"])
                    found[where[row["id"]]] = [row["calls"], round(row["host_total_us"] * 1000), round(row["host_self_us"] * 1000)]
                self.assertEqual(found, modules)
                compared += 1
        self.assertGreater(compared, 1)
