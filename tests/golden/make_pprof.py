#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the samples of tests/golden/pprof. usage: make_pprof.py FOLDER

A profile is built here from Python values (`Profile`), so that each sample shows one property of the format.
"""
import gzip
import os
import sys


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def number(field, value):
    return varint(field << 3) + varint(value)


def data(field, content):
    return varint(field << 3 | 2) + varint(len(content)) + content


class Profile:
    """Samples are (stack, values, labels): the stack from the root on, of names, (name, file, line) or (name, file, line, system name), or of
    tuples of such for inlining; labels are {key: text or number}."""

    def __init__(self, types, samples, is_packed=True, step=1, **more):
        self.texts, self.functions, self.locations, self.step, self.is_packed = {"": 0}, {}, {}, step, is_packed
        self.sample_types = [data(1, number(1, self.text(name)) + number(2, self.text(unit))) for name, unit in types]
        self.samples = [data(2, self.sample(*sample)) for sample in samples]
        self.more = more

    def text(self, text):
        return self.texts.setdefault(text, len(self.texts))

    def function(self, name, file, system=""):
        return self.functions.setdefault((name, file, system), len(self.functions) * self.step + 1)

    def location(self, frame):
        return self.locations.setdefault(frame, len(self.locations) * self.step + 1)

    def repeated(self, field, values):
        if self.is_packed:
            return data(field, b"".join(map(varint, values))) if values else b""
        return b"".join(number(field, value) for value in values)

    def sample(self, stack, values, labels=()):
        out = self.repeated(1, [self.location(frame) for frame in reversed(stack)]) + self.repeated(2, values)
        for key, value in dict(labels).items():
            told = number(2, self.text(value)) if isinstance(value, str) else number(3, value)
            out += data(3, number(1, self.text(key)) + told)
        return out

    def line(self, frame):
        name, file, line, *system = frame if isinstance(frame, tuple) else (frame, "app.py", 1)
        return data(4, number(1, self.function(name, file, *system)) + number(2, line))

    def location_message(self, frame, id):
        if isinstance(frame, int):  # an address without a function, in the first mapping
            return number(1, id) + number(2, 1) + number(3, frame)
        inlined = frame if isinstance(frame, tuple) and isinstance(frame[0], tuple) else (frame,)
        return number(1, id) + b"".join(self.line(each) for each in reversed(inlined))

    def bytes(self, order="tslfxs"):
        """`order`: t types, s samples, l locations, f functions, x strings and the rest."""
        locations = [data(4, self.location_message(frame, id)) for frame, id in self.locations.items()]
        functions = [data(5, number(1, id) + number(2, self.text(name)) + number(3, self.text(system)) + number(4, self.text(file)))
                     for (name, file, system), id in self.functions.items()]
        rest = b""
        for key, field in {"drop": 7, "keep": 8, "default": 14, "doc_url": 15}.items():
            rest += number(field, self.text(self.more[key])) if key in self.more else b""
        for comment in self.more.get("comments", ()):
            rest += number(13, self.text(comment))
        for key, field in {"time": 9, "duration": 10, "period": 12}.items():
            rest += number(field, self.more[key]) if key in self.more else b""
        if "period_type" in self.more:
            name, unit = self.more["period_type"]
            rest += data(11, number(1, self.text(name)) + number(2, self.text(unit)))
        if "mapping" in self.more:
            rest += data(3, number(1, 1) + number(2, 0x1000) + number(3, 0x9000) + number(5, self.text(self.more["mapping"])))
        parts = {"t": self.sample_types, "s": self.samples, "l": locations, "f": functions,
                 "x": [data(6, text.encode("utf-8", "surrogateescape")) for text in self.texts] + [rest]}
        return b"".join(part for letter in dict.fromkeys(order) for part in parts[letter])


CPU = [("samples", "count"), ("cpu", "nanoseconds")]
MAIN, WORK, READ = ("main", "app.py", 3), ("work", "app.py", 10), ("read", "lib/io.py", 7)
SIMPLE = [([MAIN, WORK], [3, 30_000_000]), ([MAIN, WORK, READ], [2, 20_000_000]), ([MAIN, ("work", "app.py", 11)], [1, 10_000_000]), ([], [1, 10_000_000])]
THREADS = [([MAIN, WORK], [4, 40], {"thread id": 7, "thread name": "MainThread", "task": "load", "end_timestamp_ns": 1}),
           ([MAIN, WORK], [2, 20], {"thread id": 7, "thread name": "MainThread", "task": "send", "end_timestamp_ns": 2}),
           ([WORK], [1, 10], {"thread id": 9, "thread name": "worker", "task": "load", "end_timestamp_ns": 3})]


def samples():
    simple = Profile(CPU, SIMPLE, period_type=("cpu", "nanoseconds"), period=10_000_000, time=1_795_953_929_000_000_000, duration=2_000_000_000,
                     comments=["made by a test"], doc_url="https://example.org/cpu")
    yield "ok_cpu.pb.gz", gzip.compress(simple.bytes(), mtime=0)
    yield "ok_samples_first.pb", Profile(CPU, SIMPLE, step=1 << 40).bytes("slftx")
    yield "ok_not_packed.pb", Profile(CPU, SIMPLE, is_packed=False).bytes("xflst")
    yield "ok_labels.pb", Profile(CPU, THREADS).bytes()
    yield "ok_counts.pb", Profile([("samples", "count")], [(stack, values[:1]) for stack, values in SIMPLE], period_type=("wall", "milliseconds"), period=10).bytes()
    yield "ok_default.pb", Profile([*CPU, ("idle", "nanoseconds"), ("alloc", "kilobytes"), ("alloc", "count")],
                                   [([MAIN], [1, 5, 0, 3, 2])], default="alloc").bytes()
    yield "ok_default_is_zero.pb", Profile([("wall", "microseconds"), ("gpu", "nanoseconds")], [([MAIN], [7, 0])], default="gpu").bytes()
    yield "ok_difference.pb", Profile([("cpu", "nanoseconds")], [([MAIN, WORK], [50]), ([MAIN, READ], [-20]), ([MAIN, WORK], [-10]), ([WORK], [-5])]).bytes()
    inlined = (("outer", "a.c", 1), ("inner", "a.c", 2))
    yield "ok_inlined.pb", Profile(CPU, [([MAIN, inlined], [1, 10]), ([MAIN, ("outer", "a.c", 1)], [1, 10])]).bytes()
    yield "ok_addresses.pb", Profile(CPU, [([MAIN, 0x1234], [1, 10]), ([MAIN, 0x1240], [1, 10])], mapping="/usr/lib/libm.so.6").bytes()
    dropping = [([("main", "a.c", 1), ("malloc", "m.c", 2), ("find_block", "m.c", 3)], [1, 10]), ([("malloc", "m.c", 2)], [1, 10]),
                ([("main", "a.c", 1), ("malloc_stats", "m.c", 2)], [1, 10]), ([("main", "a.c", 1), (("wrap", "a.c", 4), ("malloc", "m.c", 5))], [1, 10])]
    yield "ok_drop_frames.pb", Profile(CPU, dropping, drop="malloc.*|free", keep="malloc_stats").bytes()
    yield "ok_drop_frames_unknown.pb", Profile(CPU, dropping, drop="(?i)malloc").bytes()
    yield "ok_large.pb", Profile([("cpu", "nanoseconds")], [([MAIN], [2**62]), ([WORK], [2**62]), ([READ], [2**62]), ([MAIN, WORK], [1])]).bytes()
    yield "ok_short_values.pb", Profile([*CPU, ("wall", "nanoseconds")], [([MAIN], [1, 10, 5]), ([WORK], [1, 10])]).bytes()
    yield "ok_latin1.pb", Profile(CPU, [([("caf\udce9", "app.py", 1)], [1, 10])]).bytes()
    yield "ok_cut.pb", Profile(CPU, SIMPLE).bytes("lfxts")[:-3]
    yield "bad_cut_before_names.pb", simple.bytes()[:60]
    yield "bad_no_samples.pb", Profile(CPU, []).bytes()


def main(folder):
    for name, content in samples():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)


if __name__ == "__main__":
    main(*sys.argv[1:])
