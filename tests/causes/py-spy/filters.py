# SPDX-License-Identifier: MIT
"""Selects log records by the filters of many users."""
import re


def records(n):
    return [f"{i} host{i % 31} error {i % 7} in module{i % 13}" for i in range(n)]


def matches(pattern, record):
    return re.search(pattern, record) is not None


def select(patterns, rows):
    found = 0
    for row in rows:
        for pattern in patterns:
            found += matches(pattern, row)
    return found


if __name__ == "__main__":
    patterns = [rf"host{i}\b.*error [{i % 7}-6] in module{i % 13}" for i in range(700)]
    print(select(patterns, records(34)))
