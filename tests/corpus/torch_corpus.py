# SPDX-License-Identifier: MIT
"""PyTorch traces of the corpus: the operators are those of key_averages(), by name and by input shapes."""
import bisect
import collections
import decimal
import functools
import gzip
import json
import os
import re
import unittest

from corpus import CORPUS, EMPTY_LISTS, CorpusTest, Shelf, paths

FOLDER = "made/torch-trace"
COLUMNS = ("name, input_shapes, kind, calls, cpu_total_us, self_cpu_us, cpu_bytes, self_cpu_bytes, device_bytes, flops, "
           "self_device_us, device_total_us")
HOST_KINDS = (1, 2, 4) # operators, annotations, runtime calls
US_A_CALL = 1.0        # a time may be off by this much for each call: the file rounds


def oracles():
    """(oracle, path of a trace) of each trace that has one."""
    top = os.path.join(CORPUS, FOLDER)
    for name in sorted(os.listdir(top)):
        if ".oracle.json" in name:
            with (gzip.open if name.endswith(".gz") else open)(os.path.join(top, name), "rb") as file:
                doc = json.load(file)
            for trace in doc["traces"]:
                if trace not in EMPTY_LISTS:
                    yield doc, os.path.join(top, trace)


@functools.cache
def torch_shelf():
    shelf = Shelf()
    shelf.add(sorted({path for _, path in oracles()}))
    return shelf


@functools.cache
def head(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        return file.read(4096)


def is_array(path):
    """The export of torch.autograd.profiler: names and times, no shapes and no memory."""
    return head(path).lstrip().startswith(b"[")


def as_written(name, torch):
    """What the writer of the trace makes of a name: it escapes some letters away, and newer ones give up on others."""
    if torch.startswith("1."): # written as it is, and then read as JSON
        return re.sub(r"\\u([0-9a-f]{4})", lambda match: chr(int(match[1], 16)), name)
    if torch.startswith("2.14"):
        name = name.replace('"', "'")
        if re.search(r"[^ -~]", name.replace("\n", "")):
            return "unknown"
    return name.split("\0")[0].replace("\\", "/").replace("\n", "")


def shapes_of(text):
    return json.dumps(json.loads(text)) if text else "null"


class Torch(CorpusTest):
    def sums(self, path, view, by_shape):
        found = {}
        for row in self.shelf.sql(path, f"SELECT {COLUMNS} FROM {view}"):
            if row["kind"] in HOST_KINDS or row["name"] == "[memory]":
                found[row["name"], shapes_of(row["input_shapes"]) if by_shape else None] = row
        return found

    def known(self, doc, table, by_shape):
        """The oracle's rows by what the trace calls them: several names may have become one."""
        known = collections.defaultdict(lambda: collections.defaultdict(float))
        for row in doc[table]:
            key = as_written(row["key"], doc["torch"]), json.dumps(row["input_shapes"]) if by_shape else None
            sums = known[key]
            sums["async"] = sums["async"] or row["is_async"]
            for ours, theirs in (("calls", "count"), ("cpu_total_us", "cpu_time_total_us"), ("self_cpu_us", "self_cpu_time_total_us"),
                                 ("cpu_bytes", "cpu_memory_usage"), ("self_cpu_bytes", "self_cpu_memory_usage"), ("flops", "flops")):
                sums[ours] += row[theirs]
        return known

    def compare(self, doc, path, view, table):
        by_shape = view == "operators_by_shape"
        array = is_array(path)
        stored, known = self.sums(path, view, by_shape), self.known(doc, table, by_shape)
        if array: # the rows [memory] stand for records that this file does not have
            known = {key: row for key, row in known.items() if key[0] != "[memory]"}
        self.assertEqual(sorted(stored, key=str), sorted(known, key=str))
        for key, theirs in known.items():
            ours = stored[key]
            self.assertEqual(ours["calls"], theirs["calls"], key)
            if key[0] != "[memory]":
                for column in ("cpu_total_us", "self_cpu_us"):
                    self.assertAlmostEqual(ours[column], theirs[column], delta=US_A_CALL * ours["calls"], msg=f"{key} {column}")
            if not array:
                self.assertEqual((ours["cpu_bytes"], ours["self_cpu_bytes"]), (theirs["cpu_bytes"], theirs["self_cpu_bytes"]), key)
                if doc["options"].get("with_flops"):
                    self.assertEqual(ours["flops"], theirs["flops"], key)
        return len(known)


class KeyAverages(Torch):
    fill = staticmethod(torch_shelf)

    def test_all_are_imported(self):
        self.assertEqual(self.shelf.refused, {})

    def test_by_name(self):
        rows = 0
        for doc, path in oracles():
            with self.subTest(os.path.basename(path)):
                rows += self.compare(doc, path, "operators", "key_averages")
        self.assertGreater(rows, 1000)

    def test_by_shape(self):
        rows = 0
        for doc, path in oracles():
            if doc.get("key_averages_by_input_shape") and not is_array(path):
                with self.subTest(os.path.basename(path)):
                    rows += self.compare(doc, path, "operators_by_shape", "key_averages_by_input_shape")
        self.assertGreater(rows, 800)

    def test_self_times_sum_to_torchs_total(self):
        for doc, path in oracles():
            with self.subTest(os.path.basename(path)):
                ours = self.shelf.sql(path, "SELECT total(self_cpu_us) AS us, total(calls) AS calls FROM operators")[0]
                self.assertAlmostEqual(ours["us"], doc["self_cpu_time_total_us"], delta=max(1, US_A_CALL * ours["calls"]))


@functools.cache
def device_shelf():
    shelf = Shelf()
    shelf.add(paths("wild/torch-trace"))
    return shelf


WORK = ("kernel", "gpu_memcpy", "gpu_memset", "memcpy", "memset", "mtia_ccp_events")
WAITS = ("event_wait", "event_record")  # of MTIA, whose category does not say so
CALLS = ("cuda_runtime", "cuda_driver", "runtime", "mtia_runtime")
OPS = ("cpu_op", "operator")


def events_of(path):
    """Complete events as (category, ns, ns, event), or None when Python cannot read the file."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        try:
            doc = json.loads(file.read().decode("utf-8", "replace"), strict=False, parse_float=decimal.Decimal)
        except ValueError:
            return None
    found = []
    for event in doc["traceEvents"] if isinstance(doc, dict) else doc:
        if event.get("ph") == "X":
            start, duration = (int(decimal.Decimal(event.get(key) or 0) * 1000) for key in ("ts", "dur"))
            found.append((str(event.get("cat")).lower(), start, start + duration, event))
    return found


def deepest_op(ops, start, end):
    """The name of the innermost of a thread's operators around a call; ops are sorted by start."""
    best = None
    for at in range(bisect.bisect_right(ops, (start, 1 << 63, "")) - 1, -1, -1):
        if ops[at][0] <= start and end <= ops[at][1]:
            best = ops[at] if best is None or ops[at][1] - ops[at][0] < best[1] - best[0] else best
            break
    return best[2] if best else None


def device_time_of(events):
    """Operator name -> ns of what it launched itself, by correlation alone; work without a call is left out."""
    ops, calls, sums, orphans = collections.defaultdict(list), {}, collections.Counter(), 0
    for cat, start, end, event in events:
        if cat in OPS:
            ops[event["pid"], event["tid"]].append((start, end, event["name"]))
        elif cat in CALLS and "correlation" in event.get("args", {}):
            calls[event["args"]["correlation"]] = start, end, event["pid"], event["tid"]
    for thread in ops.values():
        thread.sort(key=lambda op: (op[0], -op[1]))
    for cat, start, end, event in events:
        if cat in WORK and event["name"] not in WAITS:
            call = calls.get(event.get("args", {}).get("correlation"))
            orphans += call is None
            name = call and deepest_op(ops[call[2:]], call[0], call[1])
            if name:
                sums[name] += end - start
    return +sums, orphans


def has_captured_graphs(events):
    names = {event["name"] for cat, _, _, event in events if cat in CALLS}
    return any("StreamBeginCapture" in name for name in names) and any("GraphLaunch" in name for name in names)


class DeviceWork(Torch):
    """Traces of real GPUs: an independent reading of who launched what."""
    fill = staticmethod(device_shelf)

    def test_operators_have_the_time_of_what_they_launched(self):
        compared = 0
        for path in paths("wild/torch-trace"):
            events = events_of(path) if self.shelf.of(path) else None
            if not events:
                continue
            known, orphans = device_time_of(events)
            with self.subTest(os.path.basename(path)):
                ours = self.shelf.sql(path, "SELECT name, sum(self_device_us) AS us FROM operators WHERE kind = 1 GROUP BY name")
                ours = {row["name"]: round(row["us"] * 1000) for row in ours if row["us"]}
                if not orphans and not has_captured_graphs(events): # else the operators are those of the capture: graph_replay_corpus.py
                    self.assertEqual(ours, dict(known))
                    compared += len(known)
        self.assertGreater(compared, 100)

    def test_kernels_sum_to_the_device_rows(self):
        for path in paths("wild/torch-trace"):
            events = events_of(path) if self.shelf.of(path) else None
            if not events:
                continue
            with self.subTest(os.path.basename(path)):
                known = collections.Counter()
                for cat, start, end, event in events:
                    if cat in WORK and event["name"] not in WAITS:
                        known[event["name"]] += end - start
                ours = self.shelf.sql(path, "SELECT name, sum(self_device_us) AS us FROM operators WHERE kind BETWEEN 6 AND 8 GROUP BY name")
                self.assertEqual({row["name"]: round(row["us"] * 1000) for row in ours if row["us"]}, dict(+known))


if __name__ == "__main__":
    unittest.main()
