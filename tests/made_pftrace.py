#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a trace of Kineto (JSON) as the .pftrace that PyTorch 2.15 writes of the same run.

usage: made_pftrace.py TRACE.json[.gz] OUT.pftrace     also OUT.json: the JSON that PyTorch 2.15 would write, as far as a .pftrace holds it

PyTorch has two writers for one recording, and the .pftrace holds less: slices, device work and counters. `window_of` takes from a trace what
both need, `json_of` writes it as JSON, `encode` as .pftrace. The order of packets and fields is that of PyTorch's own encoder, so that its
output and that of `encode` are equal byte for byte."""
import bisect
import gzip
import json
import struct
import sys

# Category of a slice of a device: number and name of its stage, category of the stage.
STAGES = {
    "kernel": (1, "Kernel", 2),
    "gpu_memcpy": (2, "Memcpy", 0),
    "gpu_memset": (3, "Memset", 0),
    "gpu_user_annotation": (4, "Annotation", 0),
    "graph_event_node": (5, "EventRecord", 0),
    "graph_host_node": (6, "HostNode", 0),
}
FIRST_LANE = 100
BASE_NS = 7889238 * 10**9 # the times of PyTorch's JSON are since a multiple of this
CALLS = ("cuda_runtime", "cuda_driver")
OLD_CATEGORIES = {"operator": "cpu_op", "runtime": "cuda_runtime", "memcpy": "gpu_memcpy", "memset": "gpu_memset", "kernel": "kernel"} # torch 1.8
PROCESS = (("process_id", "4711"), ("process_name", "python"))
# Arguments of device work that are numbers of their own; all others are texts of a description, such as that of a collective.
NUMBERS = ("correlation", "priority", "queued", "channel", "channel_type", "graph id", "graph node id", "bytes", "value", "memory kind")
LAUNCH = ("grid", "block", "registers per thread", "shared memory")
# Arguments that Kineto computes, and PyTorch 2.15 does not write.
NOT_WRITTEN = ("External id", "blocks per SM", "warps per SM", "est. achieved occupancy %", "memory bandwidth (GB/s)", "stream wait ID")
COPY_WORDS = ("copy kind", "src kind", "dst kind", "flags", "original_stream") # in the JSON alone
WAITS = ("Event Sync", "Stream Wait Event")
WAIT_ARGS = ("wait_on_stream", "wait_on_cuda_event_id", "wait_on_cuda_event_record_corr_id")


class Window:
    """The slices of a trace; times are ns since 1970."""

    def __init__(self):
        self.base_ns = 0
        self.names = []                                # metadata events of processes and threads
        self.cpu, self.overhead, self.counters = [], [], []
        self.calls = {cat: [] for cat in CALLS}
        self.work = {cat: [] for cat in STAGES}        # dicts: start, end, device, stream, name, args
        self.syncs = []


def ns_of(us):
    return round(us * 1000)


def category_of(event):
    cat = event.get("cat", "")
    return OLD_CATEGORIES.get(cat.lower(), cat) if isinstance(cat, str) else ""


def window_of(doc):
    window = Window()
    doc = doc if isinstance(doc, dict) else {"traceEvents": doc}
    events = [event for event in doc["traceEvents"] if isinstance(event, dict)]
    added = int(doc.get("baseTimeNanoseconds", 0))
    first = min((ns_of(event["ts"]) for event in events if event.get("ph") == "X" and isinstance(event.get("ts"), (int, float))), default=0)
    window.base_ns = (added + first) // BASE_NS * BASE_NS
    for event in events:
        if event.get("ph") == "M" and event.get("name") in ("process_name", "thread_name"):
            window.names.append({**event, "pid": id_of(event.get("pid")), "tid": id_of(event.get("tid"))})
        if event.get("ph") != "X" or not isinstance(event.get("ts"), (int, float)) or category_of(event) in ("Trace", "trace"):
            continue
        cat = category_of(event)
        start = added + ns_of(event["ts"])
        row = {"cat": cat, "start": start, "end": start + max(ns_of(event.get("dur", 0)), 0), "pid": id_of(event.get("pid")), "tid": id_of(event.get("tid")),
               "name": str(event.get("name", "")), "args": event["args"] if isinstance(event.get("args"), dict) else {}}
        if cat in STAGES:
            add_work(window, row)
        elif cat in CALLS:
            window.calls[cat].append(row)
        elif cat == "cuda_sync":
            add_sync(window, row)
        elif cat == "overhead":
            window.overhead.append(row)
        else:
            window.cpu.append(row)
    cut_overlaps([row for cat, rows in window.work.items() for row in rows if cat != "gpu_user_annotation"])
    nest(window.syncs)
    return window


def id_of(value):
    """Old versions of PyTorch write numbers of threads as texts."""
    return int(value) if isinstance(value, str) and value.lstrip("-").isdigit() else value


def number(value, default=0):
    return value if isinstance(value, int) else default


def add_work(window, row):
    args = row["args"]
    row["device"], row["stream"] = number(args.get("device", row["pid"])), number(args.get("stream", row["tid"]))
    if row["cat"] in ("gpu_memcpy", "gpu_memset"):
        row["name"] = STAGES[row["cat"]][1]
    window.work[row["cat"]].append(row)


def add_sync(window, row):
    args = row["args"]
    device, stream = number(args.get("device", row["pid"])), number(args.get("stream", row["tid"]))
    row["pid"], row["tid"] = device, -1 if stream == 0xffffffff else stream
    row["args"] = {"stream": row["tid"], "correlation": correlation_of(row), "device": device, "context": number(args.get("context")),
                   **({key: number(args.get(key)) for key in WAIT_ARGS} | {"wait_on_stream": -1} if row["name"] in WAITS else {}), "cuda_sync_kind": row["name"]}
    window.syncs.append(row)


def description_of(args):
    """The arguments of device work that are neither numbers of their own nor a launch."""
    known = {"device", "context", "stream", *NUMBERS, *LAUNCH, *NOT_WRITTEN, *COPY_WORDS}
    return {key: value for key, value in args.items() if key not in known}


def cut_overlaps(rows):
    """PyTorch lets work of a stream end where the next begins; annotations keep their length."""
    last = {}
    for row in sorted(rows, key=lambda row: row["start"]):
        lane = row["device"], row["stream"]
        if lane in last:
            last[lane]["end"] = max(last[lane]["start"], min(last[lane]["end"], row["start"]))
        last[lane] = row


def nest(rows):
    """Cuts the waits of a stream so that they contain each other or do not overlap."""
    stacks = {}
    for row in sorted(rows, key=lambda row: (row["start"], -row["end"])):
        stack = stacks.setdefault((row["pid"], row["tid"]), [])
        while stack and stack[-1]["end"] < row["end"]:
            top = stack.pop()
            top["end"] = min(top["end"], row["start"])
        stack.append(row)


# --- JSON ---


def json_of(window):
    """The JSON of PyTorch 2.15, without what a .pftrace does not hold."""
    events = [event for event in window.names if event["name"] == "thread_name" or event["name"] == "process_name"]

    def add(row, cat, args):
        events.append({"ph": "X", "cat": cat, "name": row["name"], "pid": row["pid"], "tid": row["tid"],
                       "ts": (row["start"] - window.base_ns) / 1000, "dur": (row["end"] - row["start"]) / 1000, "args": args})

    def add_flow(phase, row, flow):
        end = {"bp": "e"} if phase == "f" else {}
        events.append({"ph": phase, "id": flow, "pid": row["pid"], "tid": row["tid"], "ts": (row["start"] - window.base_ns) / 1000,
                       "cat": "ac2g", "name": "ac2g", **end})

    for row in window.cpu:
        add(row, row["cat"], row["args"])
    for cat, rows in window.work.items():
        for row in rows:
            row = {**row, "pid": row["device"], "tid": row["stream"]}
            add(row, cat, work_args(row))
            if correlation_of(row) and cat != "gpu_user_annotation":
                add_flow("f", row, correlation_of(row))
    for cat, rows in window.calls.items():
        for row in rows:
            add(row, cat, call_args(row))
            if launches(row):
                add_flow("s", row, correlation_of(row))
    for row in window.overhead:
        add({**row, "pid": -1, "tid": 0}, "overhead", {})
    for row in window.syncs:
        add(row, "cuda_sync", row["args"])
    return {"schemaVersion": 1, "baseTimeNanoseconds": window.base_ns, "traceEvents": events}


def correlation_of(row):
    return number(row["args"].get("correlation"))


def work_args(row):
    args = row["args"]
    if row["cat"] == "gpu_user_annotation":
        return {}
    kept = {"device": row["device"], "context": number(args.get("context")), "stream": row["stream"]}
    kept |= {key: args[key] for key in (*NUMBERS, *LAUNCH) if args.get(key)}
    return kept | description_of(args)


def call_args(row):
    return {key: row["args"][key] for key in ("cbid", "correlation") if isinstance(row["args"].get(key), int)}


def launches(row):
    """Whether PyTorch links the call to the device work with its correlation."""
    name = row["name"]
    if row["cat"] == "cuda_driver":
        return name in ("cuLaunchKernel", "cuLaunchKernelEx") and correlation_of(row) != 0
    return correlation_of(row) != 0 and (name in ("cudaLaunchKernel", "cudaLaunchCooperativeKernel", "cudaLaunchCooperativeKernelMultiDevice",
                                                  "cudaLaunchKernelExC", "cudaGraphLaunch") or name.startswith(("cudaMemcpy", "cudaMemset")))


# --- Messages ---


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(n, value):
    """A field: an integer, a float, a text, or the bytes of a message."""
    if isinstance(value, float):
        return varint(n << 3 | 1) + struct.pack("<d", value)
    if isinstance(value, int):
        return varint(n << 3) + varint(value)
    value = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
    return varint(n << 3 | 2) + varint(len(value)) + value


def packet(fields):
    return field(1, fields)


def annotation_value(value):
    if isinstance(value, bool):
        return field(2, int(value))
    if isinstance(value, int):
        return field(4, value)
    if isinstance(value, float):
        return field(5, value)
    if isinstance(value, list):
        return b"".join(field(12, annotation_value(item)) for item in value)
    if isinstance(value, dict):
        return b"".join(field(11, annotation(key, value[key])) for key in sorted(value))
    return field(6, "null" if value is None else value)


def annotation(key, value):
    return field(10, key) + annotation_value(value)


def text_of(value):
    """A value of extra_data, which are texts."""
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


# --- The trace ---


class Tracks:
    def __init__(self, window):
        self.processes = {e["pid"]: e["args"].get("name", "") for e in window.names if e["name"] == "process_name"}
        self.threads = {(e["pid"], e["tid"]): e["args"].get("name", "") for e in window.names if e["name"] == "thread_name"}
        self.uuids, self.numbers, self.out = {}, {}, []

    def number_of(self, key):
        return key & 0x7fffffff if isinstance(key, int) else self.numbers.setdefault(key, len(self.numbers) + 1)

    def uuid_of(self, pid, tid, process="", thread=""):
        if (pid,) not in self.uuids:
            self.uuids[pid,] = uuid = len(self.uuids) + 1
            self.add(field(1, uuid) + field(3, field(1, self.number_of(pid)) + field(6, str(self.processes.get(pid) or process or pid))))
        if (pid, tid) not in self.uuids:
            self.uuids[pid, tid] = uuid = len(self.uuids) + 1
            name = str(self.threads.get((pid, tid)) or thread or tid)
            self.add(field(1, uuid) + field(5, self.uuids[pid,]) +
                     field(4, field(1, self.number_of(pid)) + field(2, self.number_of(tid)) + field(5, name)))
        return self.uuids[pid, tid]

    def add(self, descriptor):
        self.out.append(packet(field(60, descriptor)))


class Names:
    def __init__(self):
        self.iids = {}

    def iid(self, name):
        return self.iids.setdefault(name, len(self.iids) + 1)

    def interned(self, number, name_field=2):
        return b"".join(field(number, field(1, iid) + field(name_field, name)) for name, iid in self.iids.items())


def work_rows(window):
    """Device work in the order of the packets, which is that of their event ids."""
    return [row for rows in window.work.values() for row in rows]


class Encoder:
    def __init__(self, window):
        self.window = window
        self.tracks, self.names, self.cats = Tracks(window), Names(), Names()
        self.slices = []

    def group(self, rows, track, args, cat=None):
        """Begins of all slices, then their ends in the same order."""
        begins, closes = [], []
        for row in rows:
            uuid = track(row)
            head = field(8, row["start"]) + field(10, 1) + field(13, 2)
            body = field(9, 1) + field(11, uuid) + field(10, self.names.iid(row["name"]))
            if cat and cat(row):
                body += field(3, self.cats.iid(cat(row)))
            begins.append(packet(head + field(11, body + args(row))))
            closes.append(packet(field(8, row["end"]) + field(10, 1) + field(11, field(9, 2) + field(11, uuid))))
        self.slices += begins + closes

    def annotations(self, args, keys):
        return b"".join(field(4, annotation(key, args[key])) for key in keys if key in args)

    def add_slices(self):
        window, uuid_of = self.window, self.tracks.uuid_of
        self.group(window.cpu, lambda row: uuid_of(row["pid"], row["tid"]), lambda row: self.annotations(row["args"], sorted(row["args"])),
                   lambda row: row["cat"])
        launched = {}
        for i, row in enumerate(work_rows(window)):
            launched.setdefault(correlation_of(row), []).append(i + 1)
        for rows in window.calls.values():
            for row in sorted(rows, key=lambda row: (number(row["pid"]), number(row["tid"]))):
                uuid_of(row["pid"], row["tid"], f"process {row['pid']}", f"thread {row['tid']}")
            self.group(rows, lambda row: uuid_of(row["pid"], row["tid"]),
                       lambda row: self.correlation(row, launched) + self.annotations(call_args(row), ("cbid", "correlation")),
                       lambda row: row["cat"])
        self.group(window.overhead, lambda row: uuid_of(-1, 0, "Overhead", "Overhead"), lambda row: b"")
        for wanted in (False, True):
            rows = [row for row in window.syncs if (row["name"] in WAITS) == wanted]
            for device, stream in sorted({(row["pid"], row["tid"]) for row in rows}, key=lambda lane: (lane[0], lane[1] & 0xffffffff)):
                uuid_of(device, stream, f"GPU {device}", f"stream {stream}")
            self.group(rows, lambda row: uuid_of(row["pid"], row["tid"]), lambda row: self.annotations(row["args"], row["args"]))

    def correlation(self, row, launched):
        ids = launched.get(correlation_of(row)) if launches(row) else None
        return field(3000, b"".join(field(1, i) for i in ids)) if ids else b""

    def stages(self):
        """(packets of device work, interned data of them)"""
        rows = work_rows(self.window)
        if not rows:
            return b"", b""
        kernels = Names()
        lanes = sorted({(row["device"], row["stream"]) for row in rows})
        width = len(str(max(stream for _, stream in lanes)))
        specs = list(STAGES.values())
        specs += [(FIRST_LANE + i, f"[{stream:0{width}d}] stream {stream}", 0) for i, (_, stream) in enumerate(lanes)]
        out = []
        for i, row in enumerate(rows):
            lane = FIRST_LANE + bisect.bisect_left(lanes, (row["device"], row["stream"]))
            out.append(self.stage(row, i + 1, lane, kernels))
        interned = b"".join(field(24, field(1, iid) + field(2, name) + field(4, kind)) for iid, name, kind in specs)
        pid = next((key[0] for key in self.tracks.uuids if len(key) == 1), 0)
        interned += field(23, field(1, 1) + field(2, self.tracks.number_of(pid)))
        interned += kernels.interned(1000, 3)
        for iid, name in enumerate(("registers_per_thread", "shared_mem_dynamic", "thread_count"), 1):
            interned += field(1001, field(1, iid) + field(2, name))
        return b"".join(out), interned

    def stage(self, row, event, lane, kernels):
        args, cat = row["args"], row["cat"]
        body = field(1, event) + field(2, row["end"] - row["start"]) + field(11, row["device"]) + field(13, lane)
        body += field(14, STAGES[cat][0]) + field(5, 1)
        if cat in ("kernel", "gpu_user_annotation") and row["name"]:
            kernel = kernels.iid(row["name"])
            body += field(20, self.names.iid(row["name"]))
        grid, block = (args.get(key) for key in ("grid", "block"))
        if cat == "kernel" and grid and grid[0] > 0 and block:
            launch = [field(n, b"".join(field(i + 1, size) for i, size in enumerate(sizes))) for n, sizes in ((1, grid), (2, block))]
            counts = (number(args.get("registers per thread")), number(args.get("shared memory")), block[0] * block[1] * block[2])
            launch += [field(3, field(1, i + 1) + field(4, value)) for i, value in enumerate(counts) if value]
            body += field(19, kernel) + field(21, b"".join(launch))
        extra = [("device id", row["device"]), ("context id", number(args.get("context"))), ("stream id", row["stream"])]
        if cat != "gpu_user_annotation":
            extra += [(key, args[key]) for key in NUMBERS if args.get(key)]
        extra += PROCESS
        if cat != "gpu_user_annotation":
            extra += sorted(description_of(args).items())
        body += b"".join(field(6, field(1, key) + field(2, text_of(value))) for key, value in extra)
        return packet(field(8, row["start"]) + field(10, 1) + field(13, 2) + field(53, body))

    def encode(self):
        base = self.window.base_ns
        self.add_slices()
        stages, interned = self.stages()
        snapshot = b"".join(field(1, field(1, clock) + field(2, base)) for clock in (6, 1))
        out = [packet(field(8, base) + field(10, 1) + field(6, snapshot)), *self.tracks.out]
        out.append(packet(field(10, 1) + field(13, 1) + field(12, self.names.interned(2) + self.cats.interned(1) + interned)))
        return b"".join([*out, *self.slices, stages])


def encode(window):
    return Encoder(window).encode()


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    return json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)


def main(source, out):
    window = window_of(read(source))
    if out.endswith(".json"):
        with open(out, "w", encoding="utf-8") as file:
            json.dump(json_of(window), file)
    else:
        with open(out, "wb") as file:
            file.write(gzip.compress(encode(window), 1, mtime=0))


if __name__ == "__main__":
    main(*sys.argv[1:])
