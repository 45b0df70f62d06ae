"""Packs the pages of a site."""  # SPDX-License-Identifier: MIT
import lzma
import random


def make_pages(count):
    rng = random.Random(2)
    words = [f"word{n}" for n in range(400)]
    return [" ".join(rng.choices(words, k=300)) for _ in range(count)]


def join_pages(pages):
    return "\f".join(pages).encode()


def pack(pages):
    return lzma.compress(join_pages(pages), preset=6)


if __name__ == "__main__":
    print(len(pack(make_pages(400))))
