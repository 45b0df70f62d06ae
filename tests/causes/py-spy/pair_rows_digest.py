# SPDX-License-Identifier: MIT
"""Groups rows; the digest reads names too."""
import sys


def load(n):
    return [(i * 7919 % 1009, f"name{i % 97}", i % 13) for i in range(n)]


def key_of(row):
    return (row[2], row[1])


def group(rows):
    groups = {}
    for row in rows:
        groups.setdefault(key_of(row), []).append(row)
    return groups


def digest(rows):
    total = 0
    for row in rows:
        total = (total * 31 + sum(map(ord, row[1])) + row[0]) % 1000003
    return total


def render(groups):
    lines = []
    for key, rows in groups.items():
        lines.append(f"{key}: {len(rows)} {digest(rows)}")
    return lines


def main(n):
    for _ in range(10):
        print(len(render(group(load(n)))), file=sys.stderr)


main(90000)
