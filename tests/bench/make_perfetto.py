#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make_perfetto.py FILE [--mb N] [--torch]: a Perfetto trace, the same every time. FILE may end in .gz.

Without options it is as the Perfetto SDK writes them: four threads with a sequence each, interned names, categories and
annotations, timestamps as differences, nested slices, flows, two counters, and the state of each sequence cleared and
written again now and then. With --torch it is as torch.profiler 2.15 writes .pftrace: one sequence, times since 1970,
nested operators, launches, and kernels as stages of rendering (packets 53) with counters of the GPU (packets 52).

A block of a quarter of a second is made once. It is repeated with other times and correlations until the file is large enough.
"""
import argparse
import gzip
import random

from encode_wire import double, fixed64, number, options, text, varint

BEGIN, END, COUNTER = 1, 2, 4
CLEARED, NEEDS_STATE = 1, 2
BLOCK_NS = 1 << 28  # so that blocks differ in the upper 5 of the 9 bytes of their times only
EPOCH_NS = 1_790_857_026_000_000_000 & -BLOCK_NS
BOOTTIME, INCREMENTAL, PID, SDK_NAMES = 6, 64, 4711, 240


def packet(*parts):
    return text(1, b"".join(parts))


def traced(sequence):
    """What the tracing service adds to each packet: user, sequence and process."""
    return number(3, 1000) + number(10, sequence) + number(79, PID)


def process(uuid, name):
    return text(60, number(1, uuid) + text(3, number(1, PID) + text(6, name)))


def thread(uuid, tid, name):
    return text(60, number(1, uuid) + number(5, 1) + text(4, number(1, PID) + number(2, tid) + text(5, name)))


def interned(field, iid, name):
    return text(field, number(1, iid) + text(2, name))


class SdkThread:
    """A sequence. Its packets know only how much later each is than the one before."""

    def __init__(self, index, seed):
        self.sequence, self.uuid, self.counter = index + 1, 100 + index, 200 + index
        self.random, self.packets, self.now, self.depth = random.Random(seed), [], 0, 0

    def descriptors(self):
        counter = text(60, number(1, self.counter) + number(5, 1) + text(2, f"queue of worker {self.sequence}") + text(8, text(6, "requests")))
        return packet(thread(self.uuid, PID + self.sequence, f"worker {self.sequence}"), traced(self.sequence)) + packet(
            counter, traced(self.sequence))

    def state(self, start_ns):
        """The packet that begins a block: the state is cleared, and all that the block refers to is defined."""
        clocks = text(6, text(1, number(1, BOOTTIME) + number(2, start_ns)) + text(1, number(1, INCREMENTAL) + number(2, 0) + number(3, 1)))
        defaults = text(59, number(58, INCREMENTAL) + text(11, number(11, self.uuid)))
        data = b"".join(interned(2, i, f"app::Service{i % 17}::handle_{i}(Request const&)") for i in range(1, SDK_NAMES + 1))
        data += b"".join(interned(1, i, name) for i, name in enumerate(("rpc", "disk", "render", "net"), 1))
        data += b"".join(interned(3, i, name) for i, name in enumerate(("bytes", "request_id", "url", "ratio"), 1))
        data += b"".join(interned(29, i, f"https://example.org/resource/{i}") for i in range(1, 41))
        return packet(clocks, defaults, text(12, data), number(13, CLEARED), number(41, 1), number(58, BOOTTIME), number(8, start_ns),
                      traced(self.sequence))

    def add(self, event):
        step = int(self.random.expovariate(1 / 4000))
        self.now += step
        self.packets.append((self.now, packet(number(8, step), text(11, event), number(13, NEEDS_STATE), traced(self.sequence))))

    def begin(self):
        event = number(9, BEGIN) + number(3, self.random.randrange(1, 5)) + number(10, 1 + int(SDK_NAMES * self.random.random() ** 3))
        kind = self.random.random()
        if kind < 0.5:
            event += text(4, number(1, 1) + number(4, self.random.randrange(1 << 20)))
        if kind < 0.25:
            event += text(4, number(1, 3) + number(17, self.random.randrange(1, 41)))
        elif kind > 0.9:
            event += text(4, number(1, 4) + double(5, self.random.random()))
        event += text(4, number(1, 2) + number(3, self.random.getrandbits(40)))
        if kind > 0.97:
            event += fixed64(47, self.random.getrandbits(62))
        self.add(event)
        self.depth += 1

    def fill_block(self):
        while self.now < BLOCK_NS - 2_000_000:
            if self.random.random() < 0.03:
                self.add(number(9, COUNTER) + number(11, self.counter) + number(30, self.random.randrange(100)))
            elif self.depth and (self.depth > 12 or self.random.random() < 0.47):
                self.add(number(9, END))
                self.depth -= 1
            else:
                self.begin()
        while self.depth:
            self.add(number(9, END))
            self.depth -= 1
        return self.packets


def write_sdk(out, size):
    threads = [SdkThread(i, i + 1) for i in range(4)]
    body = b"".join(data for _, data in sorted((step for thread in threads for step in thread.fill_block()), key=lambda step: step[0]))
    written = out.write(packet(process(1, "server"), traced(1)) + b"".join(thread.descriptors() for thread in threads))
    start = EPOCH_NS
    while written < size:
        written += out.write(b"".join(thread.state(start) for thread in threads) + body)
        start += BLOCK_NS


class TorchBlock:
    """Packets of a block, with the positions of what differs between blocks: times, and correlations as numbers and as text."""

    def __init__(self):
        self.random, self.parts, self.size, self.now = random.Random(1), [], 0, 1000
        self.times, self.numbers, self.texts, self.names = [], [], [], {}
        self.correlation, self.device_free, self.event_id = 0, 0, 0

    def name(self, name):
        return self.names.setdefault(name, len(self.names) + 1)

    def add(self, time, body, number_in_body=None, text_in_body=None):
        head = number(8, EPOCH_NS + time)
        length = varint(len(head) + len(body))
        start = self.size + 1 + len(length)
        self.times.append(start + 1)
        if number_in_body is not None:
            self.numbers.append((start + len(head) + number_in_body, self.correlation))
        if text_in_body is not None:
            self.texts.append((start + len(head) + text_in_body, self.correlation))
        self.parts.append(b"\x0a" + length + head + body)
        self.size = start + len(head) + len(body)

    def begin(self, name, category, annotations, correlation=False):
        event = number(9, BEGIN) + number(11, 2) + number(10, self.name(name)) + number(3, category)
        event += b"".join(text(4, text(10, key) + (number(4, value) if isinstance(value, int) else text(6, value))) for key, value in annotations)
        if correlation:
            event += text(4, text(10, "correlation") + number(4, CORRELATIONS))
        body = number(10, 1) + number(13, NEEDS_STATE) + text(11, event)
        self.add(self.now, body, number_in_body=len(body) - CORRELATION_BYTES if correlation else None)

    def end(self):
        self.add(self.now, number(10, 1) + text(11, number(9, END) + number(11, 2)))

    def kernel(self, name, start, duration):
        self.event_id += 1
        event = number(1, self.event_id) + number(2, duration) + number(11, 0) + number(13, 100) + number(14, 1) + number(5, 1)
        event += number(20, self.name(name)) + number(19, 1)
        event += text(21, text(1, number(1, 4) + number(2, 1) + number(3, 1)) + text(2, number(1, 128) + number(2, 1) + number(3, 1)) +
                      text(3, number(1, 1) + number(4, 32)))
        for key, value in (("device id", "0"), ("context id", "1"), ("stream id", "7"), ("process_id", str(PID)), ("process_name", "python")):
            event += text(6, text(1, key) + text(2, value))
        event += text(6, text(1, "correlation") + text(2, str(CORRELATIONS)))
        body = number(10, 1) + number(13, NEEDS_STATE) + text(53, event)
        self.add(start, body, text_in_body=len(body) - len(str(CORRELATIONS)))

    def operator(self, name, inner, kernel):
        """An operator that calls another one, which launches a kernel."""
        self.begin(name, 1, (("External id", self.event_id), ("Ev Idx", self.event_id), ("Input Dims", "[[32, 512, 768], [768, 768]]")))
        self.now += self.random.randrange(1000, 3000)
        self.begin(inner, 1, (("External id", self.event_id), ("Ev Idx", self.event_id)))
        self.now += self.random.randrange(1000, 2000)
        self.correlation += 1
        self.begin("cudaLaunchKernel", 2, (("cbid", 211),), correlation=True)
        self.now += self.random.randrange(2000, 4000)
        start, duration = max(self.now + 900, self.device_free), self.random.randrange(3000, 9000)
        self.device_free = start + duration + 200
        for _ in range(3):
            self.end()
            self.now += self.random.randrange(200, 900)
        self.kernel(kernel, start, duration)

    def fill(self):
        layers = [(f"aten::layer_{i}", f"aten::inner_{i}", f"void at::native::kernel_{i}<float, {i}>(int, float*)") for i in range(40)]
        step = 0
        while self.now < BLOCK_NS - 8_000_000:
            self.begin(f"ProfilerStep#{step}", 3, ())
            self.now += 500
            for layer in layers:
                self.operator(*layer)
            self.end()
            self.now += 2000
            self.add(self.now, number(10, 1) + number(13, NEEDS_STATE) + text(52, number(4, 1) + text(2, number(1, 0) + double(3, 310.5))))
            step += 1
        return self

    def repeat(self, index, block):
        """`block` with the times and correlations of repetition `index`."""
        upper = varint(EPOCH_NS + index * BLOCK_NS)[4:]
        for at in self.times:
            block[at + 4:at + 9] = upper
        base = CORRELATIONS + index * self.correlation
        for at, correlation in self.numbers:
            block[at:at + CORRELATION_BYTES] = varint(base + correlation)
        for at, correlation in self.texts:
            block[at:at + 9] = b"%d" % (base + correlation)
        return block


CORRELATIONS = 300_000_000  # the first one: 9 digits, and
CORRELATION_BYTES = len(varint(CORRELATIONS))  # 5 bytes, as all after it


def write_torch(out, size):
    block = TorchBlock().fill()
    snapshot = text(6, text(1, number(1, BOOTTIME) + number(2, EPOCH_NS)) + text(1, number(1, 1) + number(2, EPOCH_NS)))
    data = b"".join(interned(2, iid, name) for name, iid in block.names.items())
    data += b"".join(interned(1, iid, name) for iid, name in enumerate(("cpu_op", "cuda_runtime", "user_annotation"), 1))
    data += text(24, number(1, 1) + text(2, "Kernel") + number(4, 2)) + text(24, number(1, 100) + text(2, "[07] stream 7"))
    data += text(23, number(1, 1) + number(2, PID)) + text(47, number(1, 1) + text(2, text(1, number(1, 0) + text(2, "Power (W)"))) + number(3, 0))
    data += text(1000, number(1, 1) + text(3, "void at::native::kernel_0<float, 0>(int, float*)")) + interned(1001, 1, "registers_per_thread")
    written = out.write(packet(number(8, EPOCH_NS), number(10, 1), snapshot) + packet(process(1, "python")) +
                        packet(thread(2, PID, f"thread {PID} (python)")) + packet(number(10, 1), number(13, CLEARED), text(12, data)))
    body, index = bytearray(b"".join(block.parts)), 0
    while written < size:
        written += out.write(block.repeat(index, body))
        index += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--torch", action="store_true", help="as torch.profiler 2.15 writes")
    chosen = options(parser, 1000)
    with (gzip.GzipFile(chosen.file, "wb", 1, mtime=0) if chosen.file.endswith(".gz") else open(chosen.file, "wb")) as out:
        (write_torch if chosen.torch else write_sdk)(out, chosen.mb * 1_000_000)


if __name__ == "__main__":
    main()
