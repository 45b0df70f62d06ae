# SPDX-License-Identifier: MIT
"""PyTorch's memory snapshots of the corpus: all sums, the live bytes at 20 events and the owners of the peak equal what a reader of the whole
pickle computes (corpus/tools/oracle_torch_memory.py); damaged and hostile files are refused."""
import collections
import csv
import functools
import gzip
import json
import os
import pickle
import re
import unittest

from corpus import CORPUS, CorpusTest, Shelf, has, needs, paths, sha256

FOLDER = os.path.join("wild2", "torch-memory")
BAD = os.path.join("wild2", "bad", "torch-memory")
MANIFEST = os.path.join("wild2", "bad", "MANIFEST-a.tsv")


def oracle(path):
    stem = path.removesuffix(".gz")
    for name, opener in ((stem + ".oracle.json", open), (stem + ".oracle.json.gz", gzip.open)):
        if os.path.exists(name):
            with opener(name, "rt") as file:
                return json.load(file)
    raise AssertionError(f"{path} has no oracle")


@functools.cache
def snapshot_shelf():
    shelf = Shelf()
    shelf.add(paths(FOLDER))
    return shelf


class Snapshots(CorpusTest):
    fill = staticmethod(snapshot_shelf)

    def each_device(self):
        for path in paths(FOLDER):
            known = oracle(path)
            sums = {str(row["device"]): row for row in self.shelf.sql(path, "SELECT * FROM memory_devices")}
            self.assertEqual(set(sums), set(known["devices"]), path)
            for device, numbers in known["devices"].items():
                with self.subTest(os.path.basename(path), device=device):
                    yield path, int(device), numbers, sums[device]

    def test_all_are_read(self):
        self.assertEqual(self.shelf.refused, {})
        for path in paths(FOLDER):
            self.assertEqual(self.shelf.of(path)["kind"], "torch-memory")

    def test_sums_of_blocks(self):
        for _, _, known, row in self.each_device():
            for key in ("segments", "reserved", "allocated", "requested", "rounding", "free", "inactive_split", "events"):
                self.assertEqual(row[key], known[key], key)
            self.assertEqual(row["largest_free"], known["largest_free_block"])
            self.assertAlmostEqual(row["fragmentation"], known.get("fragmentation", 0), delta=1e-12)
            self.assertEqual(row["pending"], known["block_bytes"].get("active_pending_free", 0))

    def test_blocks_and_segments(self):
        for path, device, known, _ in self.each_device():
            rows = self.shelf.sql(path, f"SELECT state, count(*) AS n, sum(bytes) AS bytes FROM memory_blocks WHERE device = {device} GROUP BY state")
            self.assertEqual({row["state"]: row["n"] for row in rows}, known["blocks"])
            self.assertEqual({row["state"]: row["bytes"] for row in rows}, known["block_bytes"])
            rows = self.shelf.sql(path, "SELECT address, bytes, allocated, active, requested, stream, type, blocks FROM memory_segments "
                                        f"WHERE device = {device} ORDER BY bytes DESC, address LIMIT 20")
            for row, want in zip(rows, known["largest_segments"], strict=True):
                stream = row["stream"] and self.shelf.sql(path, f"SELECT pointer FROM snapshot_stream WHERE id = {row['stream']}")[0]["pointer"]
                self.assertEqual([row["address"] % 2**64, row["bytes"], row["allocated"], row["active"], row["requested"], stream % 2**64, row["type"],
                                  row["blocks"]], want)

    def test_sums_of_the_trace(self):
        for path, device, known, row in self.each_device():
            if not known["events"]:
                self.assertEqual((row["ooms"], row["peak_event"], row["live_before"]), (0, None, row["peak_live"]))
                continue
            self.assertEqual([row["before_count"], row["live_before"]], known["alive_before"])
            self.assertEqual(row["peak_live"], known["peak_live"])
            self.assertEqual(-1 if row["peak_event"] is None else row["peak_event"], known["peak_index"])
            self.assertEqual(row["live_end"], known["final_live"])
            self.assertEqual(row["reserved_before"], known["reserved_before"])
            self.assertEqual(row["peak_reserved"], known["peak_reserved"])
            if "time_us" in known:
                self.assertEqual([row["first_us"], row["last_us"]], known["time_us"])
            oom = self.shelf.sql(path, f"SELECT event, bytes, address FROM memory_events WHERE device = {device} AND action = 'oom' ORDER BY event")
            self.assertEqual([[o["event"], o["bytes"], o["address"]] for o in oom], known["oom"])
            self.assertEqual(row["ooms"], len(known["oom"]))
            actions = self.shelf.sql(path, f"SELECT action, count(*) AS n FROM memory_events WHERE device = {device} GROUP BY action")
            self.assertEqual({a["action"]: a["n"] for a in actions}, known["actions"])

    def test_live_bytes_at_20_events(self):
        for path, device, known, _ in self.each_device():
            for event, live in known.get("live_at", []):
                rows = self.shelf.sql(path, f"SELECT allocated FROM memory_events WHERE device = {device} AND event = {event}")
                self.assertEqual([row["allocated"] for row in rows], [live], event)
                rows = self.shelf.sql(path, f"SELECT sum(bytes) AS bytes FROM memory_allocations WHERE device = {device} "
                                            f"AND coalesce(start_event, -1) <= {event} AND (end_event IS NULL OR end_event > {event})")
                self.assertEqual(rows[0]["bytes"] or 0, live, event)

    def test_levels_of_detail(self):
        for path, device, known, _ in self.each_device():
            events = collections.defaultdict(list)
            for row in self.shelf.sql(path, f"SELECT event, allocated, reserved FROM memory_events WHERE device = {device}"):
                events[row["event"] // 1024].append((row["allocated"], row["reserved"]))
            rows = self.shelf.sql(path, f"SELECT * FROM memory_levels WHERE device = {device}")
            self.assertEqual(len(rows), len(events))
            for row in rows:
                live, reserved = zip(*events[row["first_event"] // 1024])
                self.assertEqual((row["live_min"], row["live_max"], row["live_last"]), (min(live), max(live), live[-1]))
                self.assertEqual((row["reserved_max"], row["reserved_last"]), (max(reserved), reserved[-1]))
                self.assertEqual(live[row["live_max_event"] - row["first_event"]], row["live_max"])

    def stack_text(self, stacks, stack):
        parts = []
        while stack:
            row = stacks[stack]
            self.assertFalse(row["hidden"])
            parts.append(f"{row['file']}:{row['line'] or 0}:{row['function']}")
            stack = row["parent"]
        return ";".join(parts)

    def test_owners_of_the_peak(self):
        for path, device, known, row in self.each_device():
            stacks = {row["stack"]: row for row in self.shelf.sql(path, "SELECT * FROM memory_stacks")}
            owners = self.shelf.sql(path, f"SELECT stack, bytes, count FROM memory_owners WHERE device = {device}")
            self.assertEqual(sum(owner["bytes"] for owner in owners), row["peak_live"])
            if not known["events"]:
                continue
            self.assertEqual(len(owners), known["stacks_at_peak"])
            named = sorted(([owner["bytes"], owner["count"], self.stack_text(stacks, owner["stack"])] for owner in owners),
                           key=lambda owner: (-owner[0], owner[2]))
            self.assertEqual(named[:20], known["top_stacks_at_peak"])

    def test_the_flame_is_the_live_set_at_the_peak(self):
        for path in paths(FOLDER):
            peaks = self.shelf.sql(path, "SELECT coalesce(sum(peak_live), 0) AS bytes FROM memory_devices")[0]["bytes"]
            total = self.shelf.sql(path, "SELECT coalesce(sum(self), 0) AS bytes FROM nodes")[0]["bytes"]
            self.assertEqual((total, self.shelf.sql(path, "SELECT headline_value AS v FROM run")[0]["v"]), (peaks, peaks), path)

    def test_settings_and_annotations(self):
        for path in paths(FOLDER):
            known = oracle(path)
            header = self.shelf.sql(path, "SELECT v FROM meta WHERE k = 'header.allocator_settings'")
            settings = json.loads(header[0]["v"]) if header else {}
            settings.pop("roundup_power2_divisions", None)
            self.assertEqual(settings, known["allocator_settings"], path)
            marks = self.shelf.sql(path, "SELECT t.text AS name, count(*) AS n FROM snapshot_mark m JOIN snapshot_text t ON t.id = m.name "
                                         "WHERE NOT m.ends GROUP BY 1 ORDER BY 2 DESC")
            self.assertEqual(sum(mark["n"] for mark in marks), known["annotations"][1].get("START", 0), path)
            names = {mark["name"]: mark["n"] for mark in marks}
            for name, n in known["annotation_names"].items():
                self.assertEqual(names[name], n, path)


class Unpickler(pickle.Unpickler):
    """Snapshots have neither classes nor functions."""

    def find_class(self, module, name):
        raise pickle.UnpicklingError(f"{module}.{name}")


@functools.cache
def snapshot_of(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        whole = json.load(file) if path.endswith(".json") else Unpickler(file).load()
    return whole if isinstance(whole, dict) else {"segments": whole, "device_traces": []}


HIDDEN_NAMES = ("unwind::unwind", "CapturedTraceback::gather", "gather_with_cpp", "_start", "__libc_start_main", "PyEval_", "PyObject_", "PyFunction_")
HIDDEN_FILES = ("core/boxing", "/Register", "/Redispatch", "pythonrun.c", "Modules/main.c", "Objects/call.c", "Objects/methodobject.c", "pycore_ceval.h",
                "ceval.c", "cpython/abstract.h")
# those of the corpus: in all files; in files below the folder of libraries
PLUMBING = {"wrapper", "_wrapper", "wrapped", "wrapped_func", "__torch_dispatch__", "__torch_function__"}
LIBRARY_PLUMBING = re.compile(
    r"((contextlib|functools|runpy|threading|concurrent/futures/thread)\.py:.*|<frozen runpy>:.*|accelerate/.*:new_forward"
    r"|torch/(_compile|_jit_internal|_ops|overrides|autograd/function|autograd/profiler|distributed/c10d_logger|utils/(_contextlib|_device|_pytree))\.py:.*"
    r"|torch/.*:(_fn|inner|_inner|inner_fn|decorate_context)|torch/_dynamo/.*:(fn|_compile_wrapper|__call__)"
    r"|torch/nn/modules/module\.py:(_call_impl|_wrapped_call_impl|_slow_forward))")


def is_hidden(frame):
    return any(part in frame["name"] for part in HIDDEN_NAMES) or any(part in frame["filename"] for part in HIDDEN_FILES)


def is_shown_in_python(frame):
    file, name = frame["filename"], frame["name"]
    if is_hidden(frame) or not (file.endswith(".py") or file.startswith("<")):
        return False
    below = re.sub(r".*(/site-packages/|/python3\.\d+/)", "", file)
    return name not in PLUMBING and not LIBRARY_PLUMBING.fullmatch(f"{below}:{name}")


def text_of(frames, shown):
    return ";".join(f"{f['filename'] if f['filename'] != '??' else ''}:{f['line']}:{f['name']}" for f in frames if shown(f))


def holes_of(segment):
    """Free bytes between the blocks in use."""
    hole = 0
    for block in segment["blocks"]:
        if block["state"] == "inactive":
            hole += block["size"]
            continue
        yield hole
        hole = 0
    yield hole


class Replay:
    """The live set of a device after each event, by walking the whole trace."""

    def __init__(self, snapshot, device):
        self.events = snapshot["device_traces"][device] if device < len(snapshot["device_traces"]) else []
        self.segments = [segment for segment in snapshot["segments"] if segment["device"] == device]
        self.allocations, opened = [], {}
        for i, event in enumerate(self.events):
            if event["action"] == "alloc":
                if event["addr"] in opened:  # its free is missing
                    opened.pop(event["addr"])["end"] = i
                opened[event["addr"]] = self.add(i, None, event["addr"], event["size"], event.get("frames", []))
            elif event["action"] == "free_completed":
                if event["addr"] in opened:
                    opened.pop(event["addr"])["end"] = i
                else:
                    self.add(-1, i, event["addr"], event["size"], event.get("frames", []))
        for segment in self.segments:
            at = segment["address"]
            for block in segment["blocks"]:
                address = block.get("address", at)
                at = address + block["size"]
                if block["state"] != "inactive" and address not in opened:
                    history = block.get("history") or [{}]
                    size = block.get("requested_size", history[0].get("real_size", block["size"]))
                    self.add(-1, None, address, size, block.get("frames", history[0].get("frames", [])))

    def add(self, start, end, address, size, frames):
        self.allocations.append({"start": start, "end": end, "address": address, "bytes": size, "frames": frames})
        return self.allocations[-1]

    def segments_at(self, at):
        """[start, end, is expandable] in the order of addresses: the segments at the end, with the events after `at` undone one by one."""
        ranges = [[s["address"], s["address"] + s["total_size"], bool(s.get("is_expandable"))] for s in self.segments]
        for event in reversed(self.events[at + 1:]):
            action = event["action"]
            if not action.startswith("segment_"):
                continue
            start, end = event["addr"], event["addr"] + event["size"]
            if action in ("segment_free", "segment_unmap"):
                ranges.append([start, end, action == "segment_unmap"])
                continue
            pieces = []
            for a, b, expandable in ranges:
                pieces += [[a, b, expandable]] if b <= start or a >= end else [p for p in ([a, start, expandable], [end, b, expandable]) if p[0] < p[1]]
            ranges = pieces
        joined = []
        for a, b, expandable in sorted(ranges):
            if joined and expandable and joined[-1][2] and joined[-1][1] == a:
                joined[-1][1] = b
            else:
                joined.append([a, b, expandable])
        return joined

    def live(self, at):
        return [a for a in self.allocations if a["start"] <= at and (a["end"] is None or a["end"] > at)]

    def moments(self):
        n = len(self.events)
        return sorted({-1, *(k * (n - 1) // 19 for k in range(20))}) if n else [-1]


class Views(CorpusTest):
    """The views of snapshots equal a plain replay of the whole pickle."""
    fill = staticmethod(snapshot_shelf)

    def view(self, path, name, **parameters):
        query = "&".join(f"{key}={value}" for key, value in parameters.items())
        return self.shelf.ask("GET", f"/runs/{self.shelf.of(path)['id']}/snapshot{name}?{query}")

    def each_device(self):
        for path in paths(FOLDER):
            for device in self.view(path, "")["devices"]:
                with self.subTest(os.path.basename(path), device=device["number"]):
                    yield path, device, Replay(snapshot_of(path), device["number"])

    def stack_texts(self, path):
        stacks, texts = {row["stack"]: row for row in self.shelf.sql(path, "SELECT * FROM memory_stacks")}, {None: []}
        for stack, row in stacks.items():
            texts[stack] = [{"filename": row["file"], "line": row["line"] or 0, "name": row["function"]}, *texts[row["parent"]]]
        return texts

    def test_devices(self):
        for path in paths(FOLDER):
            answer = self.view(path, "")
            rows = self.shelf.sql(path, "SELECT * FROM memory_devices ORDER BY device")
            self.assertEqual([d["number"] for d in answer["devices"]], [row["device"] for row in rows])
            for device, row in zip(answer["devices"], rows):
                self.assertEqual([device["peak_live"], device["live_end"], device["reserved_end"], device["events"], device["ooms"]],
                                 [row["peak_live"], row["live_end"], row["reserved"], row["events"], row["ooms"]])
                if device == max(answer["devices"], key=lambda d: (d["ooms"] > 0, 0 if d["ooms"] else d["peak_live"], -d["number"])):
                    summary = self.shelf.show(path)["summary"]
                    self.assertEqual([summary[key] for key in ("peak_live_bytes", "reserved_at_peak_bytes", "live_end_bytes", "ooms")],
                                     [device[key] for key in ("peak_live", "reserved_at_peak", "live_end", "ooms")])
                live = self.view(path, "/live", device=device["number"], at="peak")
                self.assertEqual((live["live"], live["reserved"]), (device["peak_live"], device["reserved_at_peak"]))
                marks = [mark for mark in answer["marks"] if mark["device"] == device["number"]]
                self.assertEqual([[m["event"], m["asked"], m["free"]] for m in marks if m["kind"] == "oom"],
                                 oracle(path)["devices"][str(row["device"])].get("oom", []))
                if row["ooms"]:
                    self.assertEqual(device["cursor"], row["oom_event"])
            starts = [mark for mark in answer["marks"] if mark["kind"] == "annotation"]
            self.assertEqual(len(starts) + answer["marks_without_place"], oracle(path)["annotations"][1].get("START", 0), path)

    def test_live_set_by_stack(self):
        for path, device, replay in self.each_device():
            texts = self.stack_texts(path)
            for at in replay.moments():
                live = replay.live(at)
                for plumbing, shown in ((1, lambda f: not is_hidden(f)), (0, is_shown_in_python)):
                    want = collections.defaultdict(lambda: [0, 0])
                    for a in live:
                        freed = plumbing == 0 and a["start"] < 0 and a["end"] is not None  # only the stack of its free is known
                        row = want["" if freed else text_of(a["frames"], shown)]
                        row[0] += a["bytes"]
                        row[1] += 1
                    answer = self.view(path, "/live", device=device["number"], at=at, plumbing=plumbing, limit=10000)
                    got = {text_of(texts[row["stack"]], shown): [row["bytes"], row["count"]] for row in answer["rows"]}
                    self.assertEqual((answer["live"], answer["count"]), (sum(a["bytes"] for a in live), len(live)))
                    self.assertEqual(len(got), len(answer["rows"]))
                    self.assertEqual(got, dict(want), (at, plumbing))

    def test_live_set_otherwise(self):
        for path, device, replay in self.each_device():
            for at in replay.moments()[::6]:
                whole = self.view(path, "/live", device=device["number"], at=at)
                sizes = collections.Counter(a["bytes"] for a in replay.live(at))
                rows = self.view(path, "/live", device=device["number"], at=at, by="size", limit=10000)["rows"]
                self.assertEqual({row["name"]: row["count"] for row in rows}, {f"{size} B": n for size, n in sizes.items()})
                for by in ("caller", "file", "module", "stream"):
                    few = self.view(path, "/live", device=device["number"], at=at, by=by, limit=2)
                    self.assertEqual(sum(row["bytes"] for row in few["rows"]) + few["omitted"]["bytes"], whole["live"])
                    self.assertEqual(sum(row["count"] for row in few["rows"]) + few["omitted"]["count"], whole["count"])

    def test_lifetimes_of_stacks(self):
        for path, device, replay in self.each_device():
            texts, lifetimes = self.stack_texts(path), collections.defaultdict(list)
            for a in replay.allocations:
                if a["start"] >= 0:
                    lifetimes[text_of(a["frames"], is_shown_in_python)].append((len(replay.events) if a["end"] is None else a["end"]) - a["start"])
            for row in self.view(path, "/live", device=device["number"], at="peak", limit=10000)["rows"]:
                if row["stack"]:
                    known = sorted(lifetimes[text_of(texts[row["stack"]], is_shown_in_python)])
                    self.assertEqual(row["lifetime"], known[(len(known) - 1) // 2] if known else None)

    def test_flame(self):
        for path, device, replay in self.each_device():
            for at in replay.moments()[::4]:
                for plumbing in (0, 1):
                    rows = self.view(path, "/live", device=device["number"], at=at, plumbing=plumbing, limit=10000)["rows"]
                    flame = self.view(path, "/flame", device=device["number"], at=at, plumbing=plumbing)
                    self.assertEqual(flame["sum"], sum(row["bytes"] for row in rows))
                    self.assertEqual(flame["allocations"], sum(row["count"] for row in rows))
                    own = list(flame["total"])
                    for i, parent in enumerate(flame["parent"]):
                        self.assertLess(parent, i)
                        if parent >= 0:
                            own[parent] -= flame["total"][i]
                    self.assertGreaterEqual(min(own, default=0), 0)
                    by_stack = {row["stack"]: row["bytes"] for row in rows}
                    for i, (stack, frame) in enumerate(zip(flame["stack"], flame["frame"])):
                        if stack is not None or frame == -2:
                            self.assertEqual(own[i], by_stack.get(stack, 0))
                    self.assertEqual(sum(own), flame["sum"])

    def test_timeline(self):
        for path, device, replay in self.each_device():
            rows = {row["event"]: (row["allocated"], row["reserved"])
                    for row in self.shelf.sql(path, f"SELECT event, allocated, reserved FROM memory_events WHERE device = {device['number']}")}
            n = device["events"]
            ranges = ((0, n, 7), (0, n, 4096), (n // 3, n // 2, 100), (n // 2, n // 2 + 1, 10))
            for start, end, columns in (r for r in ranges if r[0] < min(r[1], n)):
                for by in ("stack", "stream", "pool", "category"):
                    answer = self.view(path, "/timeline", **{"device": device["number"], "from": start, "to": end, "columns": columns, "by": by})
                    width = answer["columns"]
                    self.assertEqual(width, min(columns, end - start))
                    for column in range(width):
                        covered = [e for e in range(start + -(-column * (end - start) // width), start + -(-(column + 1) * (end - start) // width)) if e in rows]
                        best = max(covered, key=lambda e: (rows[e][0], -e))
                        self.assertEqual(answer["event"][column], best)
                        self.assertEqual(answer["live"][column], rows[best][0])
                        self.assertEqual(answer["reserved"][column], max(rows[e][1] for e in covered))
                    self.assertEqual([sum(parts) for parts in zip(*answer["parts"])], answer["live"], by)
                    self.assertEqual(len(answer["names"]), len(answer["parts"]))
            if n and device["has_times"]:
                answer = self.view(path, "/timeline", device=device["number"], columns=300, x="time")
                self.assertEqual([sum(parts) for parts in zip(*answer["parts"])], answer["live"])
                self.assertEqual(max(answer["live"]), max(live for live, _ in rows.values()))
                self.assertEqual(answer["event"], sorted(answer["event"]))
                for event, live in zip(answer["event"], answer["live"]):
                    self.assertEqual(live, rows[event][0] if event >= 0 else device["live_before"])

    def test_segments(self):
        for path, device, replay in self.each_device():
            known = {event: live for event, live in oracle(path)["devices"][str(device["number"])].get("live_at", [])}
            for at in replay.moments():
                answer = self.view(path, "/segments", device=device["number"], at=at)
                self.assertTrue(answer["exact"], answer["note"])
                got = [[int(s["address"], 16), int(s["address"], 16) + s["bytes"], s["expandable"]] for s in answer["segments"]]
                joined = []
                for a, b, expandable in got:  # the file may have neighbours that are one mapped range
                    if joined and expandable and joined[-1][2] and joined[-1][1] == a:
                        joined[-1][1] = b
                    else:
                        joined.append([a, b, expandable])
                self.assertEqual(joined, replay.segments_at(at))
                self.assertEqual(answer["reserved"], sum(s["bytes"] for s in answer["segments"]))
                self.assertEqual(answer["reserved"], self.view(path, "/live", device=device["number"], at=at, limit=0)["reserved"])
                if at in known:
                    self.assertEqual(answer["live"], known[at])
                blocks = {int(s["address"], 16) + b[0]: b for s in answer["segments"] for b in s["blocks"]}
                self.assertEqual({address: b[2] for address, b in blocks.items()}, {a["address"]: a["bytes"] for a in replay.live(at)})
                for s in answer["segments"]:
                    free = 0
                    for offset, size, *_ in s["blocks"]:
                        self.assertGreaterEqual(offset, free)
                        free = offset + size
                    self.assertLessEqual(free, s["bytes"])
                waits = set()
                for i, event in enumerate(replay.events[:at + 1]):
                    if event["action"] == "free_requested":
                        following = replay.events[i + 1] if i + 1 < len(replay.events) else {"action": ""}
                        if (following["action"], following.get("addr")) != ("free_completed", event["addr"]):
                            waits.add(event["addr"])
                    elif event["action"] in ("free_completed", "alloc"):
                        waits.discard(event["addr"])
                got = {address for address, b in blocks.items() if b[5] == "waits"}
                self.assertLessEqual(waits & set(blocks), got)
                self.assertTrue(all(a["start"] < 0 for a in replay.live(at) if a["address"] in got - waits))

    def test_segments_at_the_end_are_those_of_the_file(self):
        for path, device, replay in self.each_device():
            answer = self.view(path, "/segments", device=device["number"], at="end")
            self.assertEqual([(int(s["address"], 16), s["bytes"], s["large"], s["expandable"]) for s in answer["segments"]],
                             sorted((s["address"], s["total_size"], s["segment_type"] == "large", bool(s.get("is_expandable"))) for s in replay.segments))
            files = {}
            for segment in replay.segments:
                at = segment["address"]
                for block in segment["blocks"]:
                    at = block.get("address", at)
                    if block["state"] != "inactive":
                        files[at] = (block["size"], "live" if block["state"] == "active_allocated" else "waits")
                    at += block["size"]
            self.assertEqual({int(s["address"], 16) + b[0]: (b[1], b[5]) for s in answer["segments"] for b in s["blocks"]}, files)
            self.assertEqual(answer["largest_hole"], max([0, *(hole for s in replay.segments for hole in holes_of(s))]))

    def test_lifetimes(self):
        for path, device, replay in self.each_device():
            n = device["events"]
            for start, end in ((0, n), (n // 3, n // 2), (n - 1, n)):
                if not 0 <= start < end:
                    continue
                want = [(a["start"], a["end"], a["bytes"], a["address"]) for a in replay.allocations if a["start"] < end and (a["end"] is None or a["end"] > start)]
                answer = self.view(path, "/lifetimes", **{"device": device["number"], "from": start, "to": end, "limit": 20000})
                got = [(a["start"], a["end"], a["bytes"], int(a["address"], 16)) for a in answer["allocations"]]
                self.assertEqual(sorted(got, key=str), sorted(want, key=str))
                self.assertEqual([a[0] for a in got], sorted(a[0] for a in got))
                few = self.view(path, "/lifetimes", **{"device": device["number"], "from": start, "to": end, "limit": 5})
                self.assertEqual(sorted(a["bytes"] for a in few["allocations"]), sorted(a[2] for a in want)[-5:])
                self.assertEqual(few["omitted"]["bytes"] + sum(a["bytes"] for a in few["allocations"]), sum(a[2] for a in want))
                for a in few["allocations"][:2]:
                    one = self.view(path, "/allocation", device=device["number"], id=a["id"])
                    self.assertEqual({key: one[key] for key in a}, a)
                    known = [b for b in replay.allocations if (b["start"], b["address"]) == (a["start"], int(a["address"], 16)) and b["end"] == a["end"]]
                    freed = a["start"] < 0 and a["end"] is not None
                    frames = [] if freed else [(f["name"], f["filename"].replace("??", ""), f["line"]) for f in known[0]["frames"]]
                    self.assertEqual([(f["name"] or "", f["file"] or "", f["line"] or 0) for f in one["frames"]], frames)

    def test_leaks(self):
        for path, device, replay in self.each_device():
            kept = [a for a in replay.allocations if a["start"] >= 0 and a["end"] is None]
            texts, by_text = self.stack_texts(path), collections.defaultdict(list)
            for a in kept:
                by_text[text_of(a["frames"], is_shown_in_python)].append(a)
            for query in ({}, {"steps": 7}):
                answer = self.view(path, "/leaks", device=device["number"], limit=1000, **query)
                self.assertEqual((answer["bytes"], answer["count"]), (sum(a["bytes"] for a in kept), len(kept)))
                for row in answer["rows"]:
                    own = by_text[text_of(texts[row["stack"]], is_shown_in_python)]
                    self.assertEqual((row["bytes"], row["count"]), (sum(a["bytes"] for a in own), len(own)))
                    self.assertEqual(row["bytes_per_step"], [sum(a["bytes"] for a in own if s["from"] <= a["start"] < s["to"]) for s in answer["steps"]])
                    self.assertEqual(row["count_per_step"], [sum(1 for a in own if s["from"] <= a["start"] < s["to"]) for s in answer["steps"]])

    def test_comparison(self):
        files = {os.path.basename(path).split(".")[0]: path for path in paths(FOLDER)}
        for first, second in (("kk_fwd128", "kk_log_fwd128"), ("kk_log_fwd128", "kk_fwd128"), ("kk_fwd128", "kk_full512"), ("sil_fp32", "octree"), ("octree", "octree")):
            if not {first, second} <= set(files):
                continue
            ids = [self.shelf.of(files[name])["id"] for name in (first, second)]
            devices = [self.view(files[name], "")["devices"][0] for name in (first, second)]
            for of, key in (("peak", "peak_live"), ("end", "live_end")):
                answer = self.shelf.ask("GET", f"/compare/snapshot?base={ids[0]}&new={ids[1]}&of={of}&base_device=0&new_device=0")
                self.assertEqual([answer[side]["live"] for side in ("base", "new")], [device[key] for device in devices])
                for side, device in zip(("base", "new"), devices):
                    self.assertEqual(sum(row[side] for row in answer["rows"]) + answer["omitted"][side], device[key])
                    self.assertEqual(answer["tree"][side]["sum"], device[key])
                changes = [abs(row["change"]) for row in answer["rows"]]
                self.assertEqual(changes, sorted(changes, reverse=True))
                self.assertEqual(sum(row["verdict"] not in ("new", "gone") and row["base_stack"] is not None for row in answer["rows"]),
                                 answer["common_stacks"] if not answer["omitted"]["rows"] else 0)
                parents = answer["tree"]["parent"]
                self.assertTrue(all(parent < i for i, parent in enumerate(parents)))
                for side in ("base", "new"):
                    totals = answer["tree"][side]["total"]
                    own = list(totals)
                    for i, parent in enumerate(parents):
                        if parent >= 0:
                            own[parent] -= totals[i]
                    self.assertGreaterEqual(min(own, default=0), 0)
                    self.assertEqual(sum(own), answer["tree"][side]["sum"])
            if first == second:
                self.assertEqual({row["verdict"] for row in answer["rows"]}, {"same"})
                self.assertIsNone(answer["begins_at"])

    def test_groups_have_the_largest_stacks(self):
        for path, device, _ in self.each_device():
            groups = [group for group in self.view(path, "")["groups"] if group["device"] == device["number"]]
            rows = [row for row in self.view(path, "/live", device=device["number"], at="peak", limit=10000)["rows"] if row["stack"]]
            self.assertEqual([group["group"] for group in groups], list(range(1, min(6, len(rows)) + 1)))
            self.assertEqual([row["bytes"] for row in rows[:6]], [next(r["bytes"] for r in rows if r["stack"] == group["stack"]) for group in groups])
            self.assertEqual(sorted(row["group"] for row in rows if row["group"] < 7), [group["group"] for group in groups])


@needs(os.path.join("wild2", "bad", "torch-memory"))
class BadSnapshots(unittest.TestCase):
    def test_manifest(self):
        with open(os.path.join(CORPUS, MANIFEST), encoding="utf-8") as file:
            rows = [row for row in csv.reader(file, delimiter="\t") if row and row[0].startswith("torch-memory/") and has(os.path.join("wild2", "bad", row[0]))]
        self.assertTrue(rows)
        for name, _, _, must, why in rows:
            with self.subTest(name, why=why):
                path = os.path.join(CORPUS, "wild2", "bad", name)
                if sha256(path) in {sha256(good) for good in paths(FOLDER)}:
                    continue  # bad_utf8.pickle of one edition is a copy of a good file; tests/golden/torch_memory/ok_odd.pickle has such a text
                shelf = Shelf()
                shelf.add([path])
                if must == "reject":
                    self.assertIn(path, shelf.refused)
                    self.assertNotIn("crashed", shelf.refused[path])
                    continue
                self.assertEqual(shelf.of(path)["kind"], "torch-memory")
                notes = shelf.sql(path, "SELECT severity, what FROM notes WHERE severity <> 'info'")
                self.assertEqual(any(note["severity"] in ("repaired", "rejected") for note in notes), must == "partial", notes)


if __name__ == "__main__":
    unittest.main()
