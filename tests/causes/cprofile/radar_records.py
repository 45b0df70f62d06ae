"""Decodes the records of a weather radar."""  # SPDX-License-Identifier: MIT
import random
import struct

FORMAT = "<IHHffBB"


def make_sweep(count):
    rng = random.Random(3)
    return b"".join(struct.pack(FORMAT, n, n % 360, n % 900, rng.random(), rng.random(), 1, 2)
                    for n in range(count))


class Record:
    def __init__(self, data, offset):
        self.time = struct.unpack_from("<I", data, offset)[0]
        self.angle = struct.unpack_from("<H", data, offset + 4)[0]
        self.range = struct.unpack_from("<H", data, offset + 6)[0]
        self.echo = struct.unpack_from("<f", data, offset + 8)[0]
        self.speed = struct.unpack_from("<f", data, offset + 12)[0]


def decode(data):
    size = struct.calcsize(FORMAT)
    return [Record(data, offset) for offset in range(0, len(data), size)]


def strongest(records):
    best = {}
    for record in records:
        if record.echo > best.get(record.angle, 0):
            best[record.angle] = record.echo
    return best


if __name__ == "__main__":
    data = make_sweep(100000)
    for _ in range(6):
        best = strongest(decode(data))
    print(len(best))
