#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make_xplane.py FILE [--mb N]: an XPlane as JAX writes them of a training loop, the same every time.

Two device planes have lines of steps, modules and operators, whose metadata has category, FLOPs and bytes. The plane of the
host has Python's line and three of workers; operators of the host have their module and program as stats. In each plane the metadata
follows the lines. A block of events of each line is made once. It is repeated with other offsets until the file is large enough.
"""
import argparse
import os
import random
import tempfile

from encode_wire import number, options, text, varint

EPOCH_NS = 1_790_857_026_000_000_000
BLOCK_PS = 1 << 35  # so that blocks differ in the upper 2 of the 7 bytes of their offsets only
FIRST_BLOCK, LAST_BLOCK = 1 << 7, (1 << 14) - 1  # the offset has 7 bytes
STATS = ("hlo_category", "flops", "bytes_accessed", "program_id", "tf_op", "run_id", "hlo_op", "hlo_module", "device_ordinal", "step_num", "_r",
         "_pt", "_p", "_ct", "_c", "convolution fusion", "loop fusion", "copy", "all-reduce", "jit_train_step", "kind")
STAT = {name: i for i, name in enumerate(STATS, 1)}
CATEGORIES = ("convolution fusion", "loop fusion", "copy", "all-reduce")
OPERATORS = 400


def stat(name, field, value):
    return text(4, number(1, STAT[name]) + number(field, value))


class Block:
    """Events of a line in BLOCK_PS, and the positions of their offsets."""

    def __init__(self, seed):
        self.random, self.parts, self.size, self.offsets = random.Random(seed), [], 0, []

    def add(self, metadata, offset_ps, duration_ps, stats=b""):
        head = number(1, metadata)
        event = head + number(2, FIRST_BLOCK * BLOCK_PS + offset_ps) + number(3, duration_ps) + stats
        length = varint(len(event))
        self.offsets.append(self.size + 1 + len(length) + len(head) + 1)
        self.parts.append(b"\x22" + length + event)
        self.size += 1 + len(length) + len(event)

    def write(self, out, times):
        block = bytearray(b"".join(self.parts))
        for index in range(times):
            upper = varint((FIRST_BLOCK + index) * BLOCK_PS)[5:]
            for at in self.offsets:
                block[at + 5:at + 7] = upper
            out.write(block)


def steps():
    block = Block(1)
    for i in range(4):
        block.add(OPERATORS + 1, i * (BLOCK_PS // 4), BLOCK_PS // 4 - 50_000_000, stat("step_num", 4, i) + stat("_r", 4, 1))
    return block


def modules():
    block = Block(2)
    for i in range(4):
        block.add(OPERATORS + 2, i * (BLOCK_PS // 4), BLOCK_PS // 4 - 60_000_000, stat("run_id", 3, i) + stat("program_id", 3, 17))
    return block


def operators(seed):
    """A device's operators, one after the other."""
    block, now = Block(seed), 0
    while now < BLOCK_PS - 30_000_000:
        duration = block.random.randrange(500_000, 3_000_000)
        block.add(1 + int(OPERATORS * block.random.random() ** 2), now, duration, stat("run_id", 3, 1 + now // (BLOCK_PS // 4)))
        now += duration + block.random.randrange(0, 200_000)
    return block


def worker(seed):
    """The host's operators, with what JAX notes of each."""
    block, now = Block(seed), 0
    while now < BLOCK_PS - 30_000_000:
        duration = block.random.randrange(900_000, 9_000_000)
        stats = stat("hlo_op", 7, STAT["kind"]) + stat("hlo_module", 7, STAT["jit_train_step"]) + stat("program_id", 3, 17) + stat("run_id", 3, 5)
        block.add(1 + int(OPERATORS * block.random.random() ** 2), now, duration, stats + stat("device_ordinal", 4, 0))
        now += duration + block.random.randrange(100_000, 900_000)
    return block


def python():
    """Nested calls."""
    block, now = Block(9), 0

    def call(start, duration, depth):
        block.add(OPERATORS + 3 + block.random.randrange(200), start, duration)
        inner = duration // 3
        if depth < 6 and inner > 600_000:
            for i in range(2):
                call(start + 100_000 + i * (inner + 100_000), inner, depth + 1)

    while now < BLOCK_PS - 90_000_000:
        call(now, 80_000_000, 0)
        now += 81_000_000
    return block


def write_line(out, line_id, name, block, times):
    head = number(1, line_id) + text(2, name) + number(3, EPOCH_NS)
    out.write(b"\x1a" + varint(len(head) + block.size * times) + head)
    block.write(out, times)


def metadata():
    """What the events of a plane refer to."""
    names = [f"fusion.{i}" if i % 4 else f"%dot.{i} = f32[1024,1024] dot(f32[1024,512], f32[512,1024])" for i in range(1, OPERATORS + 1)]
    entries = []
    for i, name in enumerate(names, 1):
        stats = text(5, number(1, STAT["hlo_category"]) + number(7, STAT[CATEGORIES[i % 4]])) + text(5, number(1, STAT["flops"]) + number(3, i * 1_000_000))
        stats += text(5, number(1, STAT["bytes_accessed"]) + number(3, i * 4096)) + text(5, number(1, STAT["tf_op"]) + text(5, f"jit(train_step)/layer_{i}"))
        entries.append((i, number(1, i) + text(2, name) + text(4, f"fusion.{i}") + stats))
    others = ["train", "jit_train_step(17)"] + [f"$train.py:{i} function_{i}" for i in range(200)]
    entries += [(i, number(1, i) + text(2, name)) for i, name in enumerate(others, OPERATORS + 1)]
    return b"".join(text(4, number(1, i) + text(2, entry)) for i, entry in entries) + b"".join(
        text(5, number(1, i) + text(2, number(1, i) + text(2, name))) for name, i in STAT.items())


def write_plane(out, plane_id, name, lines, times):
    """Through a file: the length of a message stands before it."""
    with tempfile.TemporaryFile(dir=os.path.dirname(os.path.abspath(out.name))) as body:
        body.write(number(1, plane_id) + text(2, name))
        for line_id, (line, block) in enumerate(lines, 1):
            write_line(body, line_id, line, block, times)
        body.write(metadata())
        size = body.tell()
        out.write(b"\x0a" + varint(size))
        body.seek(0)
        while piece := body.read(1 << 20):
            out.write(piece)


def main():
    chosen = options(argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter), 500)
    planes = [(f"/device:TPU:{i}", [("Steps", steps()), ("XLA Modules", modules()), ("XLA Ops", operators(10 + i))]) for i in range(2)]
    planes.append(("/host:CPU", [("python", python())] + [(f"tf_XLAEigen/{i}", worker(20 + i)) for i in range(3)]))
    times = -(-chosen.mb * 1_000_000 // sum(block.size for _, lines in planes for _, block in lines))
    if times > LAST_BLOCK - FIRST_BLOCK:
        raise SystemExit(f"{chosen.mb} MB need {times} blocks, and there are {LAST_BLOCK - FIRST_BLOCK}")
    with open(chosen.file, "wb") as out:
        for plane_id, (name, lines) in enumerate(planes, 1):
            write_plane(out, plane_id, name, lines, times)
        environment = b"".join(text(6, number(1, i) + number(3, value)) for i, value in ((1, EPOCH_NS), (2, EPOCH_NS + 10**11)))
        environment += b"".join(text(5, number(1, i) + text(2, number(1, i) + text(2, name)))
                                for i, name in ((1, "profile_start_time"), (2, "profile_stop_time")))
        out.write(text(1, number(1, 9) + text(2, "Task Environment") + environment) + text(4, "host-0"))


if __name__ == "__main__":
    main()
