# SPDX-License-Identifier: MIT
"""Traces of XLA's profiler as JSON, made event by event."""
import gzip
import json

PYTHON, WORKER, POOL, STREAM, OPS = 1, 2, 3, 4, 5


def names(process, pid, *threads):
    return [{"ph": "M", "pid": pid, "name": "process_name", "args": {"name": process}}] + [
        {"ph": "M", "pid": pid, "tid": tid, "name": "thread_name", "args": {"name": name}} for tid, name in threads]


def slice_of(name, tid, ts, dur, pid=701, **args):
    return {"ph": "X", "pid": pid, "tid": tid, "ts": ts, "dur": dur, "name": name, **({"args": args} if args else {})}


def operator(name, tid, ts, dur):
    of = {"device_ordinal": "0", "hlo_module": "jit_f", "hlo_op": name, "run_id": "1"}
    return [slice_of(name, tid, ts, dur, **of), slice_of(f"end: {name}", tid, ts + dur, 1, _src="x.cc")]


def step(number, ts, sort):
    """1000 us: `load` 100, then the program waits for dot (200) and, if sort, as long for a sort."""
    made = [slice_of("train", PYTHON, ts, 1000, step_num=str(number)), slice_of("load", PYTHON, ts, 100),
            slice_of("CommonPjRtBuffer::Await", PYTHON, ts + 200, 700, _src="y.cc")]
    made += operator("dot", WORKER, ts + 200, 200)
    if sort:
        made += operator("sort.0", POOL, ts + 401, sort)
    made.append(slice_of("ThunkExecutor::Execute (wait for completion)", WORKER, ts + 405, 400))
    made.append(slice_of("ThreadpoolListener::Record", POOL, ts + 400, 1e-6))
    return made


def recording(*events):
    made = names("/host:CPU", 701, (PYTHON, "python"), (WORKER, "tf_XLAExecute/1"), (POOL, "tf_XLAEigen/2"))
    for event in events:
        made += event
    return gzip.compress(json.dumps({"displayTimeUnit": "ns", "metadata": {"highres-ticks": True}, "traceEvents": made + [{}]}).encode())
