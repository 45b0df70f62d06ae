#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""made_pair.py FOLDER: writes a trace and a memory snapshot of one made training, trace.pt.trace.json and memory.json, whose times agree: in each step a
thread runs the modules Net and Linear, whose operator aten::addmm allocates 8 MiB (and aten::mul 1 MiB that stay), while another thread runs backward.
Numbers are those of torch 2.2 or later: times of the trace count from baseTimeNanoseconds, those of the snapshot from 1970."""
import json
import os
import sys

BASE_NS = 1_700_000_000_000_000_000
START_US = 1_700_000_000_500_000  # of the trace and of the snapshot
STEP_US = 1000
MIB = 1 << 20
ACTIVATION = 0x7F00_0000_0000
KEPT = 0x7F10_0000_0000


def frame(name, file, line):
    return {"name": name, "filename": file, "line": line}


TRAIN = [frame("step", "/app/train.py", 31), frame("<module>", "/app/train.py", 50)]
LINEAR = [frame("forward", "/venv/lib/python3.11/site-packages/torch/nn/modules/linear.py", 125), frame("forward", "/app/model.py", 14), *TRAIN]
SCALE = [frame("forward", "/app/model.py", 15), *TRAIN]


def allocation_times(step):
    """Us after START_US at which a step allocates what it frees, and what it keeps."""
    return step * STEP_US + 210, step * STEP_US + 410


def trace(steps, records=True):
    """records: with profile_memory=True, which writes each allocation with its address."""
    events = []

    def add(name, cat, at, dur, tid=1, **args):
        events.append({"ph": "X", "name": name, "cat": cat, "pid": 100, "tid": tid, "ts": round((START_US * 1000 - BASE_NS) / 1000 + at, 3), "dur": dur, "args": args})

    total = 0

    def record(at, size, address, tid=1):
        nonlocal total
        total += size
        events.append({"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", "pid": 100, "tid": tid, "ts": (START_US * 1000 - BASE_NS) / 1000 + at,
                       "args": {"Device Type": 1, "Device Id": 0, "Bytes": size, "Addr": address, "Total Allocated": total, "Total Reserved": 16 * MIB}})

    for step in range(steps):
        t = step * STEP_US
        add(f"ProfilerStep#{step}", "user_annotation", t, 900)
        add("train.py(30): step", "python_function", t + 10, 880, **{"Python id": step * 10 + 1})
        add("nn.Module: Net_0", "python_function", t + 100, 400, **{"Python id": step * 10 + 2, "Python parent id": step * 10 + 1, "Python module id": 0})
        add("/app/model.py(12): forward", "python_function", t + 110, 380, **{"Python id": step * 10 + 3, "Python parent id": step * 10 + 2})
        add("nn.Module: Linear_0", "python_function", t + 150, 150, **{"Python id": step * 10 + 4, "Python parent id": step * 10 + 3, "Python module id": 1})
        add("aten::linear", "cpu_op", t + 180, 100, **{"External id": step * 10 + 1})
        add("aten::addmm", "cpu_op", t + 200, 50, **{"External id": step * 10 + 2})
        add("aten::mul", "cpu_op", t + 400, 60, **{"External id": step * 10 + 3})
        add("aten::sum", "cpu_op", t + 150, 600, tid=2, **{"External id": step * 10 + 4})  # another thread, all the time
        if records:
            freed, kept = allocation_times(step)
            record(freed, 8 * MIB, ACTIVATION)
            record(kept, MIB, KEPT + step * MIB)
            record(t + 700, -8 * MIB, ACTIVATION)
    return {"schemaVersion": 1, "baseTimeNanoseconds": BASE_NS, "deviceProperties": [{"id": 0, "name": "GPU"}], "traceEvents": events}


def snapshot(steps, times=True, shift_us=0):
    """times: written by torch 2.2 and later. shift_us: another clock."""
    events = []

    def add(action, at, address, size, frames):
        events.append({"action": action, "addr": address, "size": size, "stream": 0, "frames": frames, **({"time_us": START_US + shift_us + at} if times else {})})

    add("segment_alloc", 0, ACTIVATION, 8 * MIB, [])
    for step in range(steps):
        freed, kept = allocation_times(step)
        add("alloc", freed, ACTIVATION, 8 * MIB, LINEAR)
        add("alloc", kept, KEPT + step * MIB, MIB, SCALE)
        add("free_requested", step * STEP_US + 700, ACTIVATION, 8 * MIB, TRAIN)
        add("free_completed", step * STEP_US + 700, ACTIVATION, 8 * MIB, TRAIN)

    def segment(address, blocks):
        return {"device": 0, "address": address, "total_size": sum(b["size"] for b in blocks), "allocated_size": 0, "active_size": 0, "requested_size": 0, "stream": 0,
                "segment_type": "large", "segment_pool_id": [0, 0], "is_expandable": False, "frames": [], "blocks": blocks}

    kept = [{"address": KEPT + i * MIB, "size": MIB, "requested_size": MIB, "state": "active_allocated", "frames": SCALE} for i in range(steps)]
    free = {"address": ACTIVATION, "size": 8 * MIB, "requested_size": 0, "state": "inactive", "frames": []}
    return {"segments": [segment(ACTIVATION, [free]), segment(KEPT, kept)], "device_traces": [events]}


def write(folder, steps=6):
    for name, made in (("trace.pt.trace.json", trace(steps)), ("memory.json", snapshot(steps))):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            json.dump(made, file)


if __name__ == "__main__":
    write(sys.argv[1])
