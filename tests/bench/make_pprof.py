#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make_pprof.py FILE [--mb N] [--heap]: a profile as Go writes them, the same every time. FILE may end in .gz.

Without --heap it is of the CPU: samples and nanoseconds, each sample with labels. With --heap it has the four types of Go's heap
profiles, and the size of its blocks as a label with a number. Neighbours among the stacks share most of their frames. Some locations have
inlined calls. The strings are last.
"""
import argparse
import gzip
import random

from encode_wire import number, options, packed, text

FUNCTIONS, LOCATIONS, DEEPEST = 6000, 20_000, 60
PERIOD_NS = 10_000_000


class Strings:
    def __init__(self):
        self.indices = {"": 0}

    def __call__(self, name):
        return self.indices.setdefault(name, len(self.indices))


def walk(rng):
    """Stacks, leaf first."""
    stack = [1]
    while True:
        del stack[max(1, min(len(stack), int(rng.gauss(len(stack) - 2, 3)))):]
        for _ in range(rng.randrange(1, 6)):
            if len(stack) < DEEPEST:
                stack.append(1 + int((LOCATIONS - 1) * rng.random() ** 3))
        if len(stack) > DEEPEST // 2 and rng.random() < 0.5:
            del stack[DEEPEST // 4:]
        yield stack[::-1]


def cpu_samples(rng, strings):
    """(message of a sample) without an end"""
    route, thread = strings("route"), strings("thread_id")
    routes = [strings(f"/api/v1/resource_{i}") for i in range(50)]
    labels = [text(3, number(1, route) + number(2, routes[i % 50])) + text(3, number(1, thread) + number(3, 4000 + i % 16)) for i in range(800)]
    for stack in walk(rng):
        count = 1 + int(rng.expovariate(0.7))
        yield packed(1, stack) + packed(2, (count, count * PERIOD_NS)) + labels[int(800 * rng.random())]


def heap_samples(rng, strings):
    key, unit = strings("bytes"), strings("bytes")
    for stack in walk(rng):
        size, count = 16 << int(12 * rng.random()), 1 + int(rng.expovariate(0.01))
        kept = count if rng.random() < 0.2 else 0
        label = text(3, number(1, key) + number(3, size) + number(4, unit))
        yield packed(1, stack) + packed(2, (count, count * size, kept, kept * size)) + label


def tables(strings):
    """Mappings, locations and functions."""
    binary = strings("/usr/local/bin/server")
    out = [text(3, number(1, 1) + number(2, 0x400000) + number(3, 0x2400000) + number(5, binary))]
    for i in range(1, LOCATIONS + 1):
        lines = [text(4, number(1, 1 + i % FUNCTIONS) + number(2, 10 + i % 900))]
        if i % 7 == 0:
            lines.append(text(4, number(1, 1 + i * 31 % FUNCTIONS) + number(2, 20 + i % 500)))
        out.append(text(4, number(1, i) + number(2, 1) + number(3, 0x400000 + 64 * i) + b"".join(lines)))
    for i in range(1, FUNCTIONS + 1):
        name = strings(f"example.org/server/internal/module_{i % 300}.(*Type{i % 40}).Method{i}")
        file = strings(f"/src/server/internal/module_{i % 300}/file_{i % 5}.go")
        out.append(text(5, number(1, i) + number(2, name) + number(3, name) + number(4, file) + number(5, 1 + i % 800)))
    return b"".join(out)


def write(out, size, is_heap):
    rng, strings = random.Random(1), Strings()
    types = (("alloc_objects", "count"), ("alloc_space", "bytes"), ("inuse_objects", "count"), ("inuse_space", "bytes")) if is_heap else (
        ("samples", "count"), ("cpu", "nanoseconds"))
    period_type, period = (("space", "bytes"), 512 << 10) if is_heap else (("cpu", "nanoseconds"), PERIOD_NS)
    written = out.write(b"".join(text(1, number(1, strings(name)) + number(2, strings(unit))) for name, unit in types))
    body = tables(strings)
    for sample in (heap_samples if is_heap else cpu_samples)(rng, strings):
        written += out.write(text(2, sample))
        if written + len(body) >= size:
            break
    period_message = text(11, number(1, strings(period_type[0])) + number(2, strings(period_type[1])))
    out.write(body + number(9, 1_790_857_026_000_000_000) + number(10, 3_600_000_000_000) + period_message + number(12, period))
    out.write(b"".join(text(6, name) for name in strings.indices))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heap", action="store_true", help="as Go's heap profiles")
    chosen = options(parser, 100)
    with (gzip.GzipFile(chosen.file, "wb", 6, mtime=0) if chosen.file.endswith(".gz") else open(chosen.file, "wb")) as out:
        write(out, chosen.mb * 1_000_000, chosen.heap)


if __name__ == "__main__":
    main()
