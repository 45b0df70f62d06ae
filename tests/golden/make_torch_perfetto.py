#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a recorded trace again with the two writers of PyTorch 2.15, which need the packages torch and numpy, but no GPU.

usage: make_torch_perfetto.py     from the root of the repository

PyTorch 2.15 keeps device work in columns, from which it writes JSON or a .pftrace. The columns are filled from a trace of Kineto. What the
recording lacks is added: edges between the nodes of the graph, a host node, an event node, a wait of a stream, and counters."""
import enum
import gzip
import json
import os
import sys
import types

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
import made_pftrace  # noqa: E402
import numpy as np  # noqa: E402

SOURCE = os.path.join(ROOT, "tests", "recorded", "torch-cuda", "cuda_graph.trace.json.gz")
GRAPH, MHZ = 3, 1410


def writer():
    """torch.profiler._cuspy.trace, without the package cupti, of which only the names of calls are used."""
    module = types.ModuleType("cupti.cupti")
    module.Runtime_api_trace_cbid = module.Driver_api_trace_cbid = enum.IntEnum("cbid", {"unused": 0})
    sys.modules.update({"cupti": types.ModuleType("cupti"), "cupti.cupti": module})
    from torch.profiler._cuspy import trace
    return trace


def column(rows, get):
    return np.array([get(row) for row in rows], dtype=np.int64)


def texts(rows, get):
    out = np.empty(len(rows), dtype=object)
    out[:] = [get(row) for row in rows]
    return out


def argument(key):
    return lambda row: made_pftrace.number(row["args"].get(key))


def work_columns(rows):
    out = {"start_ns": column(rows, lambda row: row["start"]), "end_ns": column(rows, lambda row: row["end"]), "device_id": column(rows, lambda row: row["device"]),
           "stream_id": column(rows, lambda row: row["stream"]), "annotation": texts(rows, lambda row: None)}
    for key, name in (("context_id", "context"), ("correlation_id", "correlation"), ("channel", "channel"), ("channel_type", "channel_type"),
                      ("graph_id", "graph id"), ("graph_node_id", "node")):
        out[key] = column(rows, argument(name))
    return out


def kernel_columns(rows):
    out = work_columns(rows) | {"name": texts(rows, lambda row: row["name"]), "static_shared_memory": column(rows, lambda row: 0)}
    for key, name in (("registers_per_thread", "registers per thread"), ("dynamic_shared_memory", "shared memory"), ("priority", "priority"), ("queued", "queued")):
        out[key] = column(rows, argument(name))
    for name in ("grid", "block"):
        for i, axis in enumerate("xyz"):
            out[f"{name}_{axis}"] = column(rows, lambda row: row["args"][name][i])
    return out


def call_columns(rows, trace):
    ids = {name: i + 1 for i, name in enumerate(sorted({row["name"] for row in rows}))}
    trace._RUNTIME_CBID_NAMES = {number: name for name, number in ids.items()}
    return {"start_ns": column(rows, lambda row: row["start"]), "end_ns": column(rows, lambda row: row["end"]), "cbid": column(rows, lambda row: ids[row["name"]]),
            "process_id": column(rows, lambda row: row["pid"]), "thread_id": column(rows, lambda row: row["tid"]), "correlation_id": column(rows, argument("correlation"))}


def add_graph(window):
    """Numbers the nodes of each replay. Returns node -> nodes before it."""
    deps, replays = {}, {}
    for call in window.calls["cuda_runtime"]:
        if call["name"] == "cudaGraphLaunch":
            replays[call["args"]["correlation"]] = 0
    for row in window.work["kernel"]:
        correlation = row["args"]["correlation"]
        if correlation in replays:
            replays[correlation] += 1
            node = GRAPH << 32 | replays[correlation]
            row["args"] |= {"graph id": GRAPH, "node": node}
            if replays[correlation] > 1:
                deps[node] = [node - 1]
    return deps


def point_after(row, name, node, length):
    start = row["end"] + 200 + length
    return {**row, "name": name, "start": start, "end": start + length, "args": {**row["args"], "node": node}}


def environment(first, last):
    """Power, temperature and clocks, as CUPTI packs them."""
    kinds = ((3, 95_000), (2, 41), (1, MHZ | 1593 << 32))
    rows = [(t, kind, data) for t in (first, (first + last) // 2, last) for kind, data in kinds]
    return {"start_ns": np.array([row[0] for row in rows]), "device_id": np.zeros(len(rows), dtype=np.int64),
            "environment_kind": np.array([row[1] for row in rows]), "data": np.array([row[2] for row in rows], dtype=np.uint64)}


def columns_of(window, trace):
    deps = add_graph(window)
    kernels, calls = window.work["kernel"], window.calls["cuda_runtime"]
    last = kernels[-1]
    node = last["args"].get("node", 0)
    event, host = point_after(last, "EventRecord", node + 1, 0), point_after(last, "HostNode", node + 2, 900)
    deps |= {node + 1: [node], node + 2: [node]}
    sync = {"start_ns": np.array([calls[0]["start"] + 100]), "end_ns": np.array([calls[0]["start"] + 900]), "sync_type": np.array([2]), "context_id": np.array([1]),
            "stream_id": np.array([7]), "correlation_id": np.array([calls[0]["args"]["correlation"]]), "cuda_event_id": np.array([5]), "cuda_event_sync_id": np.array([6])}
    return {"kernel": kernel_columns(kernels), "graph_event_node": work_columns([event]),
            "graph_host_node": work_columns([host]) | {"process_id": np.array([1]), "thread_id": np.array([2]), "host_fn": texts([host], lambda row: "callback"),
                                                       "host_fn_addr": np.array([0x7f00])},
            "cuda_runtime": call_columns(calls, trace), "cuda_sync": sync, "environment": environment(kernels[0]["start"], last["end"]),
            "overhead": {"start_ns": np.array([calls[0]["start"]]), "end_ns": np.array([calls[0]["start"] + 50]), "name": texts([0], lambda row: "Command Buffer Full")},
            }, deps


def main():
    trace = writer()
    doc = made_pftrace.read(SOURCE)
    window = made_pftrace.window_of(doc)
    columns, deps = columns_of(window, trace)
    given = {"columns": columns, "thread_resource_map": {}, "graph_deps": deps}
    base = os.path.join(ROOT, "tests", "golden")
    with open("/tmp/kineto.json", "w", encoding="utf-8") as file:
        json.dump(doc | {"traceEvents": [event for event in doc["traceEvents"] if event.get("cat") not in (*made_pftrace.STAGES, *made_pftrace.CALLS, "ac2g")]}, file)
    trace.merge_trace_window_into_chrome_trace("/tmp/kineto.json", "/tmp/torch215.json", given, trace_name="torch215.json")
    trace.merge_trace_window_into_chrome_trace("/tmp/kineto.json", os.path.join(base, "torch_perfetto", "ok_graph.pftrace"), given)
    with open("/tmp/torch215.json", "rb") as file, open(os.path.join(base, "trace", "ok_torch215.json.gz"), "wb") as out:
        out.write(gzip.compress(file.read(), 9, mtime=0))


if __name__ == "__main__":
    main()
