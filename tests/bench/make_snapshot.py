#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make_snapshot.py MIB FILE: a memory snapshot of PyTorch of about that many MiB, the same every time, in little memory.

The opcodes are those that pickle writes with protocol 4: keys, actions and lists of frames are written once and then referred to, each dict
is memoized, and lists grow in batches of 1000. The allocator is simple: 4,096 slots of 2 MiB, a segment for each 64 of them. A quarter of the
slots is in use before the history begins and to its end; the others are allocated and freed at random, and all freed at the end.
"""
import random
import struct
import sys

SLOT, SLOTS, PER_SEGMENT, KEPT = 2 << 20, 4096, 64, 1024
BASE = 0x7f00_0000_0000
START_US = 1_700_000_000_000_000
STACKS, FUNCTIONS, DEPTH = 3000, 1500, 40


class Writer:
    """Writes the opcodes of a pickle and counts its memo."""

    def __init__(self, file):
        self.file, self.parts, self.size, self.memo, self.known = file, [b"\x80\x04"], 2, 0, {}

    def put(self, data):
        self.parts.append(data)
        self.size += len(data)
        if len(self.parts) > 20000:
            self.flush()

    def flush(self):
        self.file.write(b"".join(self.parts))
        self.parts = []

    def memoize(self):
        self.put(b"\x94")
        self.memo += 1

    def get(self, index):
        return b"h" + bytes([index]) if index < 256 else b"j" + struct.pack("<I", index)

    def text(self, value):
        if value in self.known:
            self.put(self.get(self.known[value]))
            return
        raw = value.encode()
        self.put(b"\x8c" + bytes([len(raw)]) + raw)
        self.known[value] = self.memo
        self.memoize()

    def value(self, value):
        if isinstance(value, str):
            self.text(value)
        elif isinstance(value, bool):
            self.put(b"\x88" if value else b"\x89")
        elif isinstance(value, int):
            self.put(self.integer(value))
        elif isinstance(value, tuple):
            for item in value:
                self.value(item)
            self.put(b"\x86")
            self.memoize()
        elif isinstance(value, Frames):
            value.write(self)
        elif isinstance(value, dict):
            self.dict(value)
        else:
            self.list(value)

    @staticmethod
    def integer(value):
        if 0 <= value < 256:
            return b"K" + bytes([value])
        if 0 <= value < 65536:
            return b"M" + struct.pack("<H", value)
        if value < 2**31:
            return b"J" + struct.pack("<i", value)
        n = value.bit_length() // 8 + 1
        return b"\x8a" + bytes([n]) + value.to_bytes(n, "little")

    def dict(self, items):
        self.put(b"}")
        self.memoize()
        if items:
            self.put(b"(")
            for key, value in items.items():
                self.text(key)
                self.value(value)
            self.put(b"u")

    def list(self, items):
        self.put(b"]")
        self.memoize()
        for i in range(0, len(items), 1000):
            self.put(b"(")
            for item in items[i:i + 1000]:
                self.value(item)
            self.put(b"e")


class Frames:
    """A list of frames that many events share."""

    def __init__(self, frames):
        self.frames, self.index = frames, None

    def write(self, out):
        if self.index is not None:
            out.put(out.get(self.index))
            return
        self.index = out.memo
        out.put(b"]")
        out.memoize()
        out.put(b"(")
        for frame in self.frames:
            if "index" in frame:
                out.put(out.get(frame["index"]))
            else:
                index = out.memo
                out.dict(frame)
                frame["index"] = index
        out.put(b"e")


def make_stacks(draw):
    functions = [{"filename": f"/home/user/model/part_{i % 60}.py", "name": f"forward_{i}", "line": 10 + i % 900} for i in range(FUNCTIONS)]
    native = [{"filename": "??", "name": name, "line": 0} for name in ("torch::unwind::unwind()", "at::_ops::mm::call(at::Tensor const&)", "PyEval_EvalFrame")]
    stacks = []
    for _ in range(STACKS):
        at, path = 0, []
        for _ in range(draw.randrange(DEPTH // 2, DEPTH)):
            at = (at * 7 + draw.choice((1, 2, 3))) % FUNCTIONS
            path.append(functions[at])
        stacks.append(Frames(native + path[::-1]))
    return stacks


def write_segments(out, stacks, draw):
    segments = []
    for first in range(0, SLOTS, PER_SEGMENT):
        blocks = []
        for slot in range(first, first + PER_SEGMENT):
            kept = slot < KEPT
            blocks.append({"address": BASE + slot * SLOT, "size": SLOT, "requested_size": SLOT - slot if kept else 0,
                           "state": "active_allocated" if kept else "inactive", "frames": draw.choice(stacks) if kept else []})
        used = sum(block["size"] for block in blocks if block["state"] != "inactive")
        segments.append({"device": 0, "address": BASE + first * SLOT, "total_size": PER_SEGMENT * SLOT, "stream": 0, "segment_type": "large",
                         "allocated_size": used, "active_size": used, "requested_size": sum(block["requested_size"] for block in blocks),
                         "segment_pool_id": (0, 0), "is_expandable": False, "frames": [], "blocks": blocks})
    out.list(segments)


def write_events(out, stacks, draw, target):
    """One list of events until the file has `target` bytes."""
    live, t, batch, heads = {}, START_US, 0, {}

    def key(text):
        return out.get(out.known[text])

    def event(action, slot, size, stack):
        nonlocal batch, t
        if batch == 0:
            out.put(b"(")
        t += 3
        if action in heads and stack.index is not None: # only references and numbers are left
            out.put(b"".join((heads[action], out.integer(BASE + slot * SLOT), key("size"), out.integer(size), key("stream"), b"K\0",
                              key("time_us"), out.integer(t), key("frames"), out.get(stack.index), b"u")))
            out.memo += 1
        else:
            out.dict({"action": action, "addr": BASE + slot * SLOT, "size": size, "stream": 0, "time_us": t, "frames": stack})
            heads[action] = b"}\x94(" + key("action") + key(action) + key("addr")
        batch += 1
        if batch == 1000:
            out.put(b"e")
            batch = 0

    def free(slot):
        size, stack = live.pop(slot)
        event("free_requested", slot, size, stack)
        event("free_completed", slot, size, stack)

    out.put(b"]")
    out.memoize()
    while out.size < target:
        slot = KEPT + int(draw.random() * (SLOTS - KEPT))
        if slot in live:
            free(slot)
        else:
            live[slot] = 512 + int(draw.random() * (SLOT - 512)), stacks[int(draw.random() * STACKS)]
            event("alloc", slot, *live[slot])
    for slot in sorted(live):
        free(slot)
    if batch:
        out.put(b"e")


def write_snapshot(file, target, seed=1):
    draw = random.Random(seed)
    out, stacks = Writer(file), make_stacks(draw)
    out.put(b"}")
    out.memoize()
    out.put(b"(")
    out.text("segments")
    write_segments(out, stacks, draw)
    out.text("device_traces")
    out.put(b"]")
    out.memoize()
    write_events(out, stacks, draw, target)
    out.put(b"a")
    out.text("allocator_settings")
    out.dict({"PYTORCH_CUDA_ALLOC_CONF": "", "max_split_size": -1, "expandable_segments": False})
    out.text("external_annotations")
    out.list([])
    out.put(b"u.")
    out.flush()


if __name__ == "__main__":
    with open(sys.argv[2], "wb") as snapshot:
        write_snapshot(snapshot, int(sys.argv[1]) << 20)
