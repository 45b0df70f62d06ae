#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make_memory.py FILE: the memory snapshot of a made training that runs out of memory, always the same bytes.

A GPT of six layers trains on a GPU with 15.6 GiB. The loop keeps the predictions of each step, `predictions.append(logits)`, so
each step needs 786 MiB more than the one before. Blocks are placed as PyTorch's caching allocator does it: requests up to 1 MiB
come from segments of 2 MiB, those below 10 MiB from segments of 20 MiB, larger ones have their own; the smallest block that fits
is split, freed neighbours are joined, and empty segments go back before an allocation fails.
"""
import pickle
import random
import sys
import zlib

MIB = 1 << 20
CAPACITY = 15974 * MIB
LAYERS, WIDTH, VOCABULARY, BATCH, TOKENS, HEADS = 6, 1024, 50304, 8, 1024, 16
HALF, FLOAT = 2, 4

TORCH = "/usr/lib/python3.12/site-packages/torch/"


def frame(filename, line, name):
    return {"filename": filename, "line": line, "name": name}


CALL = [frame(TORCH + "nn/modules/module.py", 1784, "_call_impl"), frame(TORCH + "nn/modules/module.py", 1773, "_wrapped_call_impl")]
TRAIN = [frame("/srv/gpt/train.py", 31, "train"), frame("/srv/gpt/train.py", 58, "<module>")]
MODEL = CALL + [frame("/srv/gpt/train.py", 36, "train"), TRAIN[1]]
BLOCK = CALL + [frame("/srv/gpt/model.py", 88, "forward")] + MODEL
ATTENTION = CALL + [frame("/srv/gpt/model.py", 61, "forward")] + BLOCK
MLP = CALL + [frame("/srv/gpt/model.py", 62, "forward")] + BLOCK


def linear(line, below):
    return [frame(TORCH + "nn/modules/linear.py", 125, "forward")] + CALL + [frame("/srv/gpt/model.py", line, "forward")] + below


def function(name, line, at, below):
    return [frame(TORCH + "nn/functional.py", line, name), frame("/srv/gpt/model.py", at, "forward")] + below


PARAMETERS = [frame(TORCH + "nn/modules/module.py", 1355, "convert"), frame(TORCH + "nn/modules/module.py", 915, "_apply"),
              frame("/srv/gpt/train.py", 27, "train"), TRAIN[1]]
STEP = [frame(TORCH + "optim/adamw.py", 243, "step"), frame(TORCH + "optim/optimizer.py", 516, "wrapper"),
        frame("/srv/gpt/train.py", 41, "train"), TRAIN[1]]
STATE = [frame(TORCH + "optim/adamw.py", 185, "_init_group")] + STEP
LOSS = [frame(TORCH + "nn/functional.py", 3462, "cross_entropy"), frame("/srv/gpt/train.py", 37, "train"), TRAIN[1]]
BACKWARD = []  # the threads of autograd have no Python frames

ROWS = BATCH * TOKENS
HIDDEN, SCORES = ROWS * WIDTH * HALF, BATCH * HEADS * TOKENS * TOKENS * HALF
# What the forward pass of a layer keeps for the backward pass: bytes and stack.
LAYER = [
    (HIDDEN, function("layer_norm", 2929, 60, BLOCK)),
    (3 * HIDDEN, linear(31, ATTENTION)),
    (SCORES, [frame("/srv/gpt/model.py", 36, "forward")] + ATTENTION),
    (SCORES, function("softmax", 2140, 38, ATTENTION)),
    (HIDDEN, linear(41, ATTENTION)),
    (HIDDEN, function("layer_norm", 2929, 61, BLOCK)),
    (4 * HIDDEN, linear(49, MLP)),
    (4 * HIDDEN, function("gelu", 1934, 50, MLP)),
    (HIDDEN, linear(51, MLP)),
]
WEIGHTS = [VOCABULARY * WIDTH] + LAYERS * [3 * WIDTH * WIDTH, WIDTH * WIDTH, 4 * WIDTH * WIDTH, 4 * WIDTH * WIDTH, WIDTH, WIDTH]


class OutOfMemory(Exception):
    pass


class Gpu:
    """The allocator and its history."""

    def __init__(self):
        self.segments = {}  # address -> size, small or large, blocks as [address, size, requested bytes or 0, stack]
        self.trace, self.steps = [], []
        self.reserved, self.next, self.us = 0, 0x7F2A_0000_0000, 1_750_000_000_000_000
        self.draw = random.Random(7)

    def event(self, action, size, stack, **more):
        self.us += self.draw.randrange(4, 40)
        self.trace.append({"action": action, **more, "size": size, "stream": 0, "time_us": self.us, "frames": stack})

    def fitting(self, size, kind):
        free = [(block[1], address, i) for address, (_, its, blocks) in self.segments.items() if its == kind
                for i, block in enumerate(blocks) if not block[2] and block[1] >= size]
        return min(free, default=None)

    def reserve(self, size, kind, stack):
        total = 2 * MIB if kind == "small" else 20 * MIB if size < 10 * MIB else -(-size // (2 * MIB)) * 2 * MIB
        if self.reserved + total > CAPACITY:
            for address in [a for a, (_, _, blocks) in self.segments.items() if len(blocks) == 1 and not blocks[0][2]]:
                freed = self.segments.pop(address)[0]
                self.reserved -= freed
                self.event("segment_free", freed, stack, addr=address)
        if self.reserved + total > CAPACITY:
            self.event("oom", size, stack, device_free=CAPACITY - self.reserved)
            raise OutOfMemory
        address, self.next = self.next, self.next + total + 2 * MIB
        self.reserved += total
        self.segments[address] = (total, kind, [[address, total, 0, []]])
        self.event("segment_alloc", total, stack, addr=address)

    def alloc(self, requested, stack):
        size = -(-requested // 512) * 512
        kind, least = ("small", 512) if size <= MIB else ("large", MIB + 1)
        if not self.fitting(size, kind):
            self.reserve(size, kind, stack)
        _, segment, i = self.fitting(size, kind)
        blocks = self.segments[segment][2]
        block = blocks[i]
        if block[1] - size >= least:
            blocks.insert(i + 1, [block[0] + size, block[1] - size, 0, []])
            block[1] = size
        block[2:] = requested, stack
        self.event("alloc", requested, stack, addr=block[0])
        return segment, block

    def free(self, allocation):
        segment, block = allocation
        address, _, requested, stack = block
        self.event("free_requested", requested, stack, addr=address)
        self.event("free_completed", requested, stack, addr=address)
        block[2:] = 0, []
        blocks = self.segments[segment][2]
        joined = []
        for one in blocks:
            if joined and not one[2] and not joined[-1][2]:
                joined[-1][1] += one[1]
            else:
                joined.append(one)
        blocks[:] = joined

    def annotate(self, stage):
        self.steps.append({"stage": stage, "name": "Optimizer.step#AdamW.step", "device": 0, "time_us": self.us + 1})

    def snapshot(self):
        segments = []
        for address, (total, kind, blocks) in self.segments.items():
            used = sum(size for _, size, requested, _ in blocks if requested)
            segments.append({
                "device": 0, "address": address, "total_size": total, "allocated_size": used, "active_size": used,
                "requested_size": sum(block[2] for block in blocks), "stream": 0, "segment_type": kind, "segment_pool_id": (0, 0),
                "is_expandable": False, "frames": [],
                "blocks": [{"address": a, "size": size, "requested_size": requested,
                            "state": "active_allocated" if requested else "inactive", "frames": stack}
                           for a, size, requested, stack in blocks]})
        return {"segments": segments, "device_traces": [self.trace], "external_annotations": self.steps,
                "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "", "max_split_size": -1, "expandable_segments": False}}


def train(gpu):
    for size in WEIGHTS:
        gpu.alloc(size * FLOAT, PARAMETERS)
    state, predictions = [], []
    while True:
        tokens = gpu.alloc(ROWS * 8, [frame("/srv/gpt/train.py", 34, "train"), TRAIN[1]])
        kept = [gpu.alloc(HIDDEN, function("embedding", 2546, 84, MODEL))]
        for _ in range(LAYERS):
            kept += [gpu.alloc(size, stack) for size, stack in LAYER]
        logits = gpu.alloc(ROWS * VOCABULARY * HALF, linear(90, MODEL))
        kept.append(gpu.alloc(ROWS * VOCABULARY * FLOAT, LOSS))
        gradient = gpu.alloc(ROWS * VOCABULARY * HALF, BACKWARD)
        gpu.free(kept.pop())
        gradients = [gpu.alloc(WEIGHTS[0] * FLOAT, BACKWARD)]
        for size in reversed(WEIGHTS[1:]):
            gradients.append(gpu.alloc(size * FLOAT, BACKWARD))
            while kept and len(kept) > (len(WEIGHTS) - len(gradients)) * len(LAYER) // 6:
                before, gradient = gradient, gpu.alloc(kept[-1][1][2], BACKWARD)
                gpu.free(before)
                gpu.free(kept.pop())
        gpu.free(gradient)
        for one in kept:
            gpu.free(one)
        gpu.annotate("START")
        if not state:
            state = [gpu.alloc(size * FLOAT, STATE) for size in WEIGHTS for _ in range(2)]
        gpu.free(gpu.alloc(WEIGHTS[0] * FLOAT, STEP))
        gpu.annotate("END")
        for one in (*gradients, tokens):
            gpu.free(one)
        predictions.append(logits)  # the mistake


def main():
    gpu = Gpu()
    try:
        train(gpu)
    except OutOfMemory:
        pass
    # The module gzip writes another header in each version of Python; 31: zlib writes it.
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    with open(sys.argv[1], "wb") as file:
        file.write(packer.compress(pickle.dumps(gpu.snapshot(), protocol=4)) + packer.flush())


if __name__ == "__main__":
    main()
