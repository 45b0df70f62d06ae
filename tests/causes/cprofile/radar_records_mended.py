"""Decodes the records of a weather radar."""  # SPDX-License-Identifier: MIT
import random
import struct

FORMAT = "<IHHffBB"


def make_sweep(count):
    rng = random.Random(3)
    return b"".join(struct.pack(FORMAT, n, n % 360, n % 900, rng.random(), rng.random(), 1, 2)
                    for n in range(count))


def decode(data):
    return list(struct.iter_unpack(FORMAT, data))


def strongest(records):
    best = {}
    for record in records:
        if record[3] > best.get(record[1], 0):
            best[record[1]] = record[3]
    return best


if __name__ == "__main__":
    data = make_sweep(100000)
    for _ in range(6):
        best = strongest(decode(data))
    print(len(best))
