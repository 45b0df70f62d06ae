# SPDX-License-Identifier: MIT
"""Five kinds of work, none of which stands out."""
import hashlib
import json
import zlib


def one(rows):
    return json.dumps(rows)


def two(text):
    return zlib.crc32(text.encode()) + sum(ord(c) for c in text[:200000])


def three(rows):
    return sorted(rows, key=lambda row: row["b"])


def four(rows):
    return [hashlib.sha256(str(row).encode()).hexdigest() for row in rows[:30000]]


def five(rows):
    return {row["a"]: [row["b"] % k for k in range(1, 6)] for row in rows}


def main():
    rows = [{"a": i, "b": i * 7919 % 1009} for i in range(60000)]
    print(len(one(rows)), two(one(rows)), len(three(rows)), len(four(rows)), len(five(rows)))


main()
