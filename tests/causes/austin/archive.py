# SPDX-License-Identifier: MIT
"""Reads one large archive of measurements."""
import json


def text(n):
    return json.dumps([{"id": i, "values": [i, i + 1, i + 2], "name": f"m{i}"} for i in range(n)])


def read(source):
    return json.loads(source)


def mean(rows):
    return sum(row["values"][1] for row in rows) / len(rows)


if __name__ == "__main__":
    print(mean(read(text(300_000))))
