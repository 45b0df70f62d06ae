#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make_torch_memory.py: writes the samples of tests/golden/torch_memory, the same every time: small memory snapshots of PyTorch whose numbers can be
checked by hand. `mini` is the example that importers/memory/snapshot.h explains: what is older than the window comes from frees and from blocks."""
import json
import os
import pickle

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "torch_memory")

FORWARD = [{"filename": "??", "line": 0, "name": "torch::unwind::unwind()"}, {"filename": "model.py", "line": 12, "name": "forward"},
           {"filename": "train.py", "line": 3, "name": "<module>"}]
LOSS = [{"filename": "train.py", "line": 8, "name": "loss"}, FORWARD[2]]


def event(action, addr, size, t=None, frames=None, stream=0, **more):
    out = {"action": action, "device_free" if action == "oom" else "addr": addr, "size": size, "stream": stream, **more}
    if t is not None:
        out["time_us"] = t
    out["frames"] = frames if frames is not None else []
    return out


def segment(address, blocks, device=0, stream=0, kind="large", pool=(0, 0), expandable=False):
    total = sum(block["size"] for block in blocks)
    used = sum(block["size"] for block in blocks if block["state"] == "active_allocated")
    return {"device": device, "address": address, "total_size": total, "allocated_size": used, "active_size": used, "requested_size": used, "stream": stream,
            "segment_type": kind, "segment_pool_id": pool, "is_expandable": expandable, "frames": [], "blocks": blocks}


def block(address, size, requested=0, state="inactive", frames=None):
    return {"address": address, "size": size, "requested_size": requested, "state": state, "frames": frames or []}


def mini():
    a, b, c, d = 0x1000, 0x2000, 0x3000, 0x3200
    blocks = [block(c, 512, 50, "active_allocated", LOSS), block(d, 1024, 1000, "active_allocated", FORWARD), block(0x3600, 512)]
    trace = [event("free_completed", a, 100, 10), event("alloc", b, 30, 11, FORWARD), event("alloc", c, 50, 12, LOSS),
             event("free_requested", b, 30, 13, FORWARD), event("free_completed", b, 30, 14, FORWARD)]
    return {"segments": [segment(c, blocks)], "device_traces": [trace], "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "", "max_split_size": -1,
            "garbage_collection_threshold": 0.0, "expandable_segments": False, "roundup_power2_divisions": {"1": 0}},
            "external_annotations": [{"stage": "START", "name": "Optimizer.step#SGD.step", "device": 0, "time_us": 12}]}


def oom():
    """Two devices: a failed allocation with most memory in holes; a block that waits for another stream."""
    blocks = []
    for i in range(8):
        blocks.append(block(0x10000 + i * 2048, 1024, 1000, "active_allocated", FORWARD))
        blocks.append(block(0x10000 + i * 2048 + 1024, 1024))
    waits = [block(1 << 40, 512, 500, "active_pending_free", LOSS), block((1 << 40) + 512, 512)]
    first = [event("segment_alloc", 0x10000, 16384, 1)]
    first += [event("alloc", 0x10000 + i * 1024, 1000, 2 + i, FORWARD) for i in range(16)]
    for i in range(1, 16, 2):
        first += [event("free_requested", 0x10000 + i * 1024, 1000, 30 + i, FORWARD), event("free_completed", 0x10000 + i * 1024, 1000, 30 + i, FORWARD)]
    first += [event("oom", 512, 4096, 60, LOSS), event("snapshot", 0, 8192, 61)]
    second = [event("segment_map", 1 << 40, 1024, 1, stream=140000000), event("alloc", 1 << 40, 500, 2, LOSS, stream=140000000),
              event("free_requested", 1 << 40, 500, 3, LOSS, stream=140000000)]
    return {"segments": [segment(0x10000, blocks), segment(1 << 40, waits, device=1, stream=140000000, pool=(0, 7), expandable=True)],
            "device_traces": [first, second]}


def history():
    """torch 2.0: blocks have a history, newest first, instead of an address."""
    blocks = [{"size": 512, "state": "active_allocated", "history": [{"addr": 4096, "real_size": 400, "frames": LOSS}, {"addr": 4096, "real_size": 5}]},
              {"size": 1536, "state": "inactive"}]
    return {"segments": [{"device": 0, "address": 4096, "total_size": 2048, "allocated_size": 512, "active_size": 512, "stream": 0, "segment_type": "small",
                          "blocks": blocks}], "device_traces": [[event("snapshot", 0, 512)]]}


def odd():
    """Records that are rejected or repaired, and those that are only unusual."""
    high = (1 << 63) + 4096
    trace = [event("alloc", high, 64, 1, FORWARD, compile_context="0/0", user_metadata="step 1", category="gradient", pool_id=(0, 0)),
             event("alloc", high + 512, -5, 2), event("defrag", 1, 2, 3), {"action": "alloc"}, 7, event("alloc", high, 70, 4, LOSS, compile_context="N/A"),
             event("free_completed", 5, 1 << 62, 5), event("alloc", high + 1024, 30, None, [{"name": "lambda"}, 3]), event("snapshot", 0, 0, 6)]
    blocks = [block(high, 512, 70, "active_allocated", LOSS), {"size": 100, "state": "gone"}, block(high + 1024, 512, 30, "active_awaiting_free")]
    return {"segments": [segment(high, [blocks[0], blocks[2]], stream=(1 << 63) + 8), dict(segment(1, []), blocks=[blocks[1]], total_size=4096),
                         {"device": 0}, dict(segment(2, []), device=5000)],
            "device_traces": [trace], "external_annotations": [{"stage": "MIDDLE", "name": "x"}, 3], "allocator_settings": {"a": {"b": [1]}, 5: 6}}


def many():
    """More events than a batch of pickle, a level of detail and a deep stack."""
    deep = [{"filename": "deep.py", "line": i, "name": "recurse"} for i in range(1010)]
    trace = []
    for i in range(513):
        trace += [event("alloc", 4096 + 512 * (i % 3), 1 + i % 5, i, deep if i == 1 else LOSS), event("free_completed", 4096 + 512 * (i % 3), 1 + i % 5, i)]
    return {"segments": [segment(4096, [block(4096, 2048)])], "device_traces": [trace]}


def write(name, data):
    with open(os.path.join(FOLDER, name), "wb") as file:
        file.write(data)


def main():
    os.makedirs(FOLDER, exist_ok=True)
    for protocol in (2, 3, 4, 5):
        write(f"ok_mini_p{protocol}.pickle", pickle.dumps(mini(), protocol))
    write("ok_mini.json", json.dumps(mini()).encode())
    write("ok_oom.pickle", pickle.dumps(oom(), 4))
    write("ok_oom.json", json.dumps(oom()).encode())
    write("ok_history.pickle", pickle.dumps(history(), 4))
    write("ok_list.pickle", pickle.dumps(oom()["segments"], 4))
    write("ok_list.json", json.dumps(oom()["segments"]).encode())
    write("ok_empty.pickle", pickle.dumps({"segments": [], "device_traces": [[], []]}, 4))
    write("ok_odd.pickle", pickle.dumps(odd(), 4).replace(b"step 1", b"step \xff"))
    write("ok_many.pickle", pickle.dumps(many(), 4))
    good = pickle.dumps(mini(), 4)
    write("bad_cut.pickle", good[:300])
    write("bad_global.pickle", b"\x80\x04}\x94(\x8c\x08segments\x94cposix\nsystem\nu.")
    write("bad_stack_global.pickle", b"\x80\x04}\x94(\x8c\x08segments\x94\x8c\x05posix\x8c\x06system\x93u.")
    write("bad_reduce.pickle", b"\x80\x04}\x94(\x8c\x08segments\x94]\x94K\1\x85Ru.")
    write("bad_memo.pickle", b"\x80\x04}\x94(\x8c\x08segments\x94]\x94\x8c\x0ddevice_traces\x94j\xff\xff\0\0u.")
    write("bad_own_child.pickle", b"\x80\x04}\x94(\x8c\x08segments\x94]\x94\x8c\x0ddevice_traces\x94]\x94(h\4eu.")
    write("bad_segments.pickle", b"\x80\x04}\x94(\x8c\x08segments\x94K\1u.")
    write("bad_nested.pickle", b"\x80\x04}\x94(\x8c\x08segments\x94" + b"](" * 70 + b"e" * 70 + b"u.")
    write("bad_frame.pickle", b"\x80\x04\x95\xff\xff\0\0\0\0\0\0}\x94(\x8c\x08segments\x94]\x94u.")
    write("bad_stack.pickle", b"\x80\x04}\x94(\x8c\x08segments\x94]\x94uu.")
    write("bad_cut.json", json.dumps(mini()).encode()[:700])
    write("bad_segments.json", b'{"segments": 5, "device_traces": [[]]}')


if __name__ == "__main__":
    main()
