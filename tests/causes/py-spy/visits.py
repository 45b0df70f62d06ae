# SPDX-License-Identifier: MIT
"""Counts the visits of a log by hour."""
import random
from collections import Counter
from datetime import datetime


def log_lines(n):
    rng = random.Random(1)
    for i in range(n):
        yield f"2026-11-{rng.randrange(1, 29):02d}T{i % 24:02d}:{i % 60:02d}:00 /page/{rng.randrange(50)}"


def hour_of(line):
    stamp, _page = line.split(" ")
    return datetime.strptime(stamp, "%Y-%m-%dT%H:%M:%S").hour


def count(lines):
    hours = Counter()
    for line in lines:
        hours[hour_of(line)] += 1
    return hours


if __name__ == "__main__":
    print(count(log_lines(100_000)).most_common(3))
