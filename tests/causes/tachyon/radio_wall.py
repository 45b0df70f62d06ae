import random  # SPDX-License-Identifier: MIT
import zlib


def blocks(n):
    rng = random.Random(3)
    return [bytes(rng.choices(range(40), k=600)) for _ in range(n)]


def checksum(block):
    a = b = 0
    for byte in block:
        a = (a + byte) % 251
        b = (b + a) % 251
    return a * 256 + b


def packed(block):
    return zlib.compress(block * 12, 9)


def frame(number, block):
    head = number.to_bytes(4, "big")
    return head + checksum(block).to_bytes(2, "big") + packed(block)


def sizes(frames):
    return sum(map(len, frames))


def main():
    all_blocks = blocks(2500)
    for _ in range(6):
        print(sizes([frame(number, block) for number, block in enumerate(all_blocks)]))


main()
