#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make_perfetto.py: writes the samples of tests/golden/perfetto and perfetto_samples, the same every time: small traces in the wire format of Protocol Buffers, field by field.
Each is about one subject; the numbers can be checked by hand, and were compared with trace_processor 52."""
import os
import struct
import zlib

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "perfetto")
SAMPLES_FOLDER = FOLDER + "_samples"
BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
CLEARED, NEEDS = 1, 2
REALTIME, MONOTONIC, BOOTTIME = 1, 3, 6


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def data(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def real(field, value):
    return varint(field << 3 | 1) + struct.pack("<d", value)


def fixed(field, value):
    return varint(field << 3 | 1) + struct.pack("<Q", value)


def packet(*parts, seq=1, flags=0):
    return data(1, b"".join(parts) + (number(10, seq) if seq else b"") + (number(13, flags) if flags else b""))


def event(ts, kind, *parts, track=None, name=None, seq=1, flags=0, clock=None):
    body = (number(9, kind) if kind else b"") + (number(11, track) if track is not None else b"") + (data(23, name) if name is not None else b"")
    time = number(8, ts) + (number(58, clock) if clock else b"")
    return packet(time, data(11, body + b"".join(parts)), seq=seq, flags=flags)


def track(uuid, *parts, parent=None, name=None, seq=1):
    body = number(1, uuid) + (number(5, parent) if parent else b"") + (data(2, name) if name else b"")
    return packet(data(60, body + b"".join(parts)), seq=seq)


def process(uuid, pid, name):
    return track(uuid, data(3, number(1, pid) + data(6, name)))


def thread(uuid, parent, pid, tid, name=None):
    return track(uuid, data(4, number(1, pid) + number(2, tid) + (data(5, name) if name else b"")), parent=parent)


def counter(uuid, name, *parts, parent=1):
    return track(uuid, data(8, b"".join(parts)), parent=parent, name=name)


def interned(field, iid, text):
    return data(field, number(1, iid) + data(2, text))


def note(name, *value):
    return data(4, (data(10, name) if isinstance(name, str) else number(1, name)) + b"".join(value))


def clock(number_, ts, incremental=False, unit=None):
    return data(1, number(1, number_) + number(2, ts) + (number(3, 1) if incremental else b"") + (number(4, unit) if unit else b""))


def legacy(phase, *parts):
    return data(6, number(2, ord(phase)) + b"".join(parts))


HEAD = process(1, 500, "app") + thread(2, 1, 500, 501, "main") + thread(3, 1, 500, 502, "worker")


def rules():
    """Named and nameless ends, late packets, equal times, lanes, groups, tracks that are declared late or not at all."""
    out = HEAD + track(9, parent=1, name="requests") + track(10, parent=9, name="lane") + track(11, parent=9, name="lane")
    out += event(1000, BEGIN, track=2, name="A") + event(1005, BEGIN, track=2, name="B") + event(1010, END, track=2, name="A")
    out += event(1020, END, track=2, name="absent") + event(1030, END, track=2)
    out += event(2000, BEGIN, track=2) + event(2004, END, track=2, name="any")
    out += event(3000, BEGIN, track=2, name="outer") + event(3020, END, track=2) + event(3010, BEGIN, track=2, name="late", seq=2) + event(3015, END, track=2, seq=2)
    out += event(4000, BEGIN, track=2, name="P") + event(4010, BEGIN, track=2, name="C") + event(4010, END, track=2) + event(4010, END, track=2)
    out += event(5000, BEGIN, track=10, name="first") + event(5050, BEGIN, track=11, name="second") + event(5090, END, track=10) + event(5120, END, track=11)
    out += event(5200, BEGIN, track=77, name="undeclared") + event(5210, END, track=77)
    out += event(6000, BEGIN, track=4, name="before its descriptor") + event(6010, END, track=4) + thread(4, 1, 500, 503, "late thread")
    out += event(6100, BEGIN, track=5, name="another uuid of the thread") + event(6110, END, track=5) + thread(5, 1, 500, 501)
    out += event(6200, INSTANT, track=1, name="of the process") + event(6300, INSTANT, name="no track")
    out += track(20, name="GPU") + track(21, parent=20, name="stream 7") + event(6400, BEGIN, track=21, name="kernel") + event(6500, END, track=21)
    return out + event(7000, BEGIN, track=3, name="open")


def names():
    """Interned names, also defined after their use; cleared and lost state; defaults; categories; all kinds of annotations."""
    out = HEAD
    first = interned(2, 1, "one") + interned(2, 1, "never") + interned(1, 1, "cpu") + interned(1, 2, "api") + interned(3, 1, "text") + interned(29, 1, "interned")
    first += data(4, number(1, 1) + data(2, "app.py") + data(3, "load") + number(4, 12))
    defaults = data(59, data(11, number(11, 2)))
    out += packet(data(12, first), defaults, flags=CLEARED)
    out += event(100, BEGIN, number(10, 1), number(3, 1), number(3, 2), note(1, number(17, 1)), number(34, 1), flags=NEEDS)
    out += event(110, BEGIN, number(10, 7), data(22, "text category"), data(33, data(2, "b.py") + number(4, 3)), flags=NEEDS)
    out += packet(data(12, interned(2, 7, "defined later")), flags=NEEDS)
    out += event(120, END, flags=NEEDS) + event(130, END, note("result", number(4, 5)), flags=NEEDS)
    out += event(140, BEGIN, number(10, 8), flags=NEEDS) + event(150, END, flags=NEEDS)
    out += packet(data(12, interned(2, 1, "after the clear")), defaults, flags=CLEARED) + event(200, BEGIN, number(10, 1), flags=NEEDS) + event(210, END, flags=NEEDS)
    out += packet(number(42, 1)) + event(300, BEGIN, number(10, 1), flags=NEEDS) + event(310, BEGIN, track=3, name="needs nothing") + event(320, END, track=3)
    out += event(400, BEGIN, track=3, name="no sequence", seq=0)
    nested = data(11, data(10, "shape") + data(12, number(4, 4)) + data(12, number(4, 8))) + data(11, data(10, "type") + data(6, "bf16"))
    old = data(8, number(1, 1) + data(2, "k") + data(3, number(1, 2) + data(4, number(5, 1)) + data(4, data(8, "x"))))
    values = note("flag", number(2, 1)) + note("unsigned", number(3, (1 << 64) - 1)) + note("signed", number(4, -3)) + note("ratio", real(5, 0.125))
    values += note("whole", real(5, 3.0)) + note("large", real(5, 1e300)) + note("text", data(6, 'a "quoted"\n')) + note("pointer", number(7, 0x7F0010))
    values += note("json", data(9, '{"a": [1, 2.5, "b c"]}')) + note("no json", data(9, "{a")) + note("dict", nested) + note("old", old)
    values += note("list", data(12, number(4, 1)), data(12, real(5, 2.5)), data(12, data(6, "s"))) + note("nothing") + note(99, number(4, 1))
    return out + event(500, INSTANT, values, track=3, name="annotated")


def clocks():
    """Clock snapshots: incremental clocks of a sequence, units, MONOTONIC that is corrected, REALTIME; a clock without a snapshot."""
    base = 1_000_000_000
    snapshot = data(6, clock(BOOTTIME, base) + clock(MONOTONIC, base - 500) + clock(REALTIME, 1_795_000_000_000_000_000) + clock(64, base, True) + clock(65, base // 1000, True, 1000))
    out = HEAD + packet(snapshot, flags=CLEARED)
    for step, name, by in ((100, "ns", 64), (70, "us", 65), (10, "ns again", 64)):
        out += event(step, BEGIN, track=2, name=name, clock=by) + event(5, END, track=2, name=name, clock=by)
    out += event(base, BEGIN, track=3, name="monotonic", clock=MONOTONIC) + event(base + 50, END, track=3, clock=MONOTONIC)
    out += packet(data(6, clock(BOOTTIME, base + 10_000) + clock(MONOTONIC, base + 9_000)))
    out += event(base + 9_100, BEGIN, track=3, name="corrected", clock=MONOTONIC) + event(base + 9_200, END, track=3, clock=MONOTONIC)
    out += event(1_795_000_000_000_050_000, INSTANT, track=3, name="realtime", clock=REALTIME) + event(5, INSTANT, track=3, name="unknown", clock=77)
    out += packet(number(8, 30), number(58, 64), data(60, number(1, 3)), flags=NEEDS) + event(4, INSTANT, track=2, name="after a packet without an event", clock=64)
    return out + event(1 << 63, INSTANT, track=3, name="out of range") + packet(data(11, number(9, INSTANT)))


def counters():
    """Units and multipliers, also of descriptors that come late; incremental counters, also after a clear; values beside events."""
    out = HEAD + packet(flags=CLEARED) + counter(30, "memory", number(3, 3)) + counter(31, "busy", data(6, "ms"), number(4, 1000)) + counter(32, "sum", number(5, 1))
    for ts, uuid, value in ((100, 30, 1 << 20), (100, 31, 3), (100, 32, 5), (200, 32, 6), (200, 31, 4), (300, 33, 2), (310, 33, 3)):
        out += event(ts, COUNTER, number(30, value), track=uuid)
    out += event(250, COUNTER, real(44, 2.5), track=30) + packet(flags=CLEARED) + event(400, COUNTER, number(30, 7), track=32)
    out += counter(33, "late", number(5, 1), number(4, 10), data(6, "n")) + event(450, COUNTER, number(30, 1), track=34)
    packed = data(31, varint(30) + varint(31)) + data(12, varint(9) + varint(8)) + data(45, varint(35)) + data(46, struct.pack("<d", 0.5))
    out += event(500, BEGIN, packed, track=2, name="with values") + event(510, END, number(31, 32), number(12, 1), track=2)
    defaults = data(59, data(11, number(11, 2) + number(31, 31) + number(45, 35)))
    return out + packet(defaults, flags=CLEARED) + event(600, INSTANT, number(12, 6), real(46, 0.75), name="by default", flags=NEEDS)


def flows():
    """Flows of begin, end and instant events, fixed64 and the old varints, ids that are used again, slices of the same start."""
    out = HEAD
    out += event(100, BEGIN, fixed(47, 7), track=2, name="launch") + event(100, BEGIN, track=2, name="inner") + event(150, END, track=2) + event(160, END, fixed(47, 8), track=2)
    out += event(300, BEGIN, fixed(48, 7), track=3, name="kernel") + event(350, END, track=3)
    out += event(400, INSTANT, number(36, 8), track=3, name="mark") + event(500, BEGIN, number(42, 8), track=2, name="wait") + event(510, END, track=2)
    out += event(600, BEGIN, fixed(47, 7), track=2, name="anew") + event(610, END, track=2) + event(700, BEGIN, fixed(47, 7), fixed(47, 9), track=3, name="next") + event(710, END, track=3)
    return out + event(800, BEGIN, data(47, struct.pack("<QQ", 7, 9)), track=2, name="packed") + event(810, END, track=2)


def old_events():
    """LegacyEvent: complete slices that cross, async events by id, counters, instants of a scope, flows, ids of other threads; times of thread_descriptor."""
    def added(ts, phase, *parts, name="", **more):
        return event(ts, 0, legacy(phase, *parts), track=2, name=name, **more)
    out = HEAD + added(1000, "X", number(3, 10), name="complete") + added(3000, "X", number(3, 5), name="inside") + added(9000, "X", number(3, 10), name="crosses")
    out += added(20000, "B", name="begin") + added(21000, "E", name="begin") + added(22000, "I", number(14, 2), name="of the process") + added(22500, "I", name="of the thread")
    out += added(23000, "b", number(6, 5), name="request") + added(23500, "n", number(6, 5), name="step") + added(24000, "e", number(6, 5), name="request")
    out += added(23100, "b", number(10, 5), data(7, "scope"), name="local") + added(23200, "e", number(10, 5), data(7, "scope"), name="local")
    out += event(25000, 0, legacy("C"), note("used", number(4, 3)), note("free", number(4, 5)), track=2, name="memory")
    out += added(26000, "X", number(3, 1), number(8, 77), number(13, 2), name="sends") + added(27000, "X", number(3, 1), number(8, 77), number(13, 1), name="receives")
    out += added(28000, "X", number(3, 1), number(18, 500), number(19, 599), name="of another thread") + added(29000, "X", name="no duration")
    out += packet(data(44, number(1, 600) + number(2, 601) + data(5, "chrome") + number(6, 50)), seq=3, flags=CLEARED) + packet(data(43, number(1, 600) + data(2, "/opt/chrome")), seq=3)
    for delta, kind, name in ((5, BEGIN, "task"), (2, END, None)):
        body = number(1, delta) + number(9, kind) + (data(23, name) if name else b"")
        out += packet(data(11, body), seq=3, flags=NEEDS)
    return out + packet(data(11, number(16, 70) + number(9, INSTANT) + data(23, "absolute")), seq=3)


def compressed():
    """Packets in packets: of zlib, inside each other; damaged ones; and packets of other data sources."""
    inner = track(2, data(4, number(1, 500) + number(2, 501) + data(5, "main"))) + event(100, BEGIN, track=2, name="zipped") + event(130, END, track=2)
    deep = packet(data(50, zlib.compress(event(110, INSTANT, track=2, name="twice"), 9)), seq=0)
    three = packet(data(50, zlib.compress(packet(data(50, zlib.compress(event(115, INSTANT, track=2, name="too deep"), 9)), seq=0), 9)), seq=0)
    out = packet(data(50, zlib.compress(inner + deep + three, 9)), seq=0)
    cut = zlib.compress(event(140, INSTANT, track=2, name="before the damage") + event(150, INSTANT, track=2, name="after it" * 40), 9)
    out += packet(data(50, cut[:-30]), seq=0) + packet(data(50, b"no zlib"), seq=0)
    out += packet(data(1, b"")) * 3 + packet(data(66, b"")) + packet(data(999, b"x")) + packet(data(33, b"")) + data(7, b"no packet") + number(8, 5)
    out += data(1, b"\x08")  # a damaged packet
    return out + event(200, INSTANT, track=2, name="last")


def interned(field, iid, text):
    return data(field, number(1, iid) + data(2, text))


def frame(iid, *parts):
    return data(6, number(1, iid) + b"".join(parts))


def callstack(iid, *frames):
    return data(7, number(1, iid) + b"".join(number(2, one) for one in frames))


def processes():
    return packet(data(2, data(1, number(1, 100) + data(3, "app.py")) + data(2, number(1, 101) + data(2, "worker") + number(3, 100))))


STACKS = (interned(5, 1, "main") + interned(5, 2, "work") + interned(16, 1, b"\xab\xcd") + interned(17, 1, "lib64") + interned(17, 2, "libwork.so") + interned(18, 1, "/src/app.py")
          + data(19, number(1, 1) + number(2, 1) + number(7, 1) + number(7, 2))
          + frame(1, number(2, 1), number(3, 1), number(5, 1), number(6, 3)) + frame(2, number(2, 2), number(3, 1), number(4, 16)) + frame(3, number(3, 1), number(4, 32))
          + frame(4, number(3, 1), number(4, 48)) + frame(5, number(2, 2), number(7, 2))
          + callstack(1, 1, 2) + callstack(2, 1, 3) + callstack(3, 1, 4) + callstack(4, 1, 5) + callstack(5, 1, 99))


def perf_samples(timebase):
    """PerfSample: threads, a stack that is not defined, samples in the order of two CPUs, what was lost; a symbol with an inlined function, at the end."""
    def sample(ts, tid, stack):
        return packet(number(8, ts), data(66, number(2, 100) + number(3, tid) + (number(4, stack) if stack else b"")), flags=NEEDS)
    out = packet(data(12, STACKS), data(59, data(12, data(1, timebase))), flags=CLEARED)
    out += sample(1000, 100, 1) + sample(3000, 100, 2) + sample(2000, 100, 1) + sample(1500, 101, 3) + sample(1600, 101, 4) + sample(1700, 101, 5)
    out += sample(4000, 100, 0) + sample(5000, 100, 77)
    out += packet(number(8, 6000), data(66, number(17, 3)), flags=NEEDS) + packet(number(8, 6000), data(66, number(18, 1)), flags=NEEDS)
    lines = data(2, data(1, "inlined") + data(2, "/src/work.c") + number(3, 7)) + data(2, data(1, "outer") + data(2, "/src/work.c") + number(3, 20))
    return out + processes() + packet(data(61, data(1, "/lib64/libwork.so") + data(2, b"\xab\xcd") + data(3, number(1, 48) + lines)))


def streaming():
    """StreamingProfilePacket: two samples of the thread whose descriptor the sequence has."""
    out = packet(data(12, STACKS), data(44, number(1, 100) + number(2, 101) + data(5, "chrome") + number(6, 50)), flags=CLEARED)
    return out + packet(data(54, number(1, 1) + number(1, 2) + number(2, 10) + number(2, 20)), flags=NEEDS)


def inline_frame(name, file, line):
    return data(1, data(1, name) + data(2, file) + number(3, line))


def stack_samples(*counters):
    """StackSample: stacks in the sample and interned ones, weights of ns and of zero, a task by its iid, a task that is no thread, a follower."""
    def sample(ts, *parts):
        return packet(number(8, ts), data(135, b"".join(parts)), flags=NEEDS)
    unit = data(59, data(100, data(1, "python.wall") + data(2, data(2, "wall-time") + number(3, 1) + number(5, 1000))))
    out = processes() + packet(data(12, STACKS + data(48, number(1, 9) + number(2, 100) + number(3, 101))), unit, flags=CLEARED)
    task, stack = data(1, number(2, 100) + number(3, 100)), data(5, inline_frame("main", "/src/app.py", 1) + inline_frame("step", "/src/app.py", 42))
    out += sample(1000, task, stack, number(11, 5)) + sample(2000, task, number(6, 1), number(11, 7), data(14, varint(500))) + sample(2500, task, stack, number(11, 0))
    out += sample(3000, number(2, 9), stack, number(11, 2)) + sample(4000, data(1, number(2, 100) + number(4, 7)), stack, number(11, 3))
    return out + b"".join(sample(5000, task, stack, data(9, one), number(11, 1)) for one in counters)


def other_weights():
    """Weights of a counter that is neither a time nor bytes."""
    body = data(1, number(2, 1) + number(3, 2)) + data(5, inline_frame("main", "/a.py", 1)) + data(9, data(2, "cycles") + number(3, 2)) + number(11, 4000)
    return packet(number(8, 1), data(135, body), flags=CLEARED)


STACK_SAMPLES = {
    "ok_perf": lambda: perf_samples(number(2, 1000)),  # 1000 Hz of the CPU timer
    "ok_perf_counter": lambda: perf_samples(number(1, 5000) + number(4, 10)),  # each 5000 cycles
    "ok_chrome": streaming,
    "ok_stack": stack_samples,
    "ok_mixed": lambda: stack_samples(data(2, "allocated") + number(3, 4)),
    "ok_cut": lambda: stack_samples()[:-5],
    "ok_weights": other_weights,
    "bad_lost": lambda: packet(number(8, 6000), data(66, number(17, 3)), flags=CLEARED),
}

SAMPLES = {"ok_rules": rules, "ok_names": names, "ok_clocks": clocks, "ok_counters": counters, "ok_flows": flows, "ok_legacy": old_events, "ok_compressed": compressed}


def main():
    os.makedirs(FOLDER, exist_ok=True)
    files = {name: make() for name, make in SAMPLES.items()}
    files["ok_cut"] = files["ok_rules"][:-5]
    files["ok_samples_beside"] = other_weights() + event(2, INSTANT, name="an event")
    files["bad_nothing"] = packet(data(33, b"")) + packet(data(6, clock(BOOTTIME, 5)))
    files["bad_clock"] = HEAD + event(100, BEGIN, track=2, name="no snapshot", clock=MONOTONIC) + event(110, END, track=2, clock=MONOTONIC)
    files["bad_other_sources"] = packet(data(1, b"")) * 2 + packet(data(56, b""))
    for name, content in files.items():
        with open(os.path.join(FOLDER, name + ".pftrace"), "wb") as file:
            file.write(content)
    os.makedirs(SAMPLES_FOLDER, exist_ok=True)
    for name, make in STACK_SAMPLES.items():
        with open(os.path.join(SAMPLES_FOLDER, name + ".pftrace"), "wb") as file:
            file.write(make())


if __name__ == "__main__":
    main()
