"""Sums the readings of meters by day."""  # SPDX-License-Identifier: MIT
import random
from collections import defaultdict
from datetime import datetime


def make_rows(count):
    rng = random.Random(9)
    return [(f"2026-{rng.randrange(1, 13):02d}-{rng.randrange(1, 28):02d}T{rng.randrange(24):02d}:15:00",
             rng.random()) for _ in range(count)]


def day_of(stamp):
    return datetime.fromisoformat(stamp).date()


def sum_days(rows):
    days = defaultdict(float)
    for stamp, value in rows:
        days[day_of(stamp)] += value
    return days


def smooth(days):
    values = [days[day] for day in sorted(days)]
    return [sum(values[max(0, n - 60):n + 1]) / 61 for n in range(len(values))]


if __name__ == "__main__":
    days = sum_days(make_rows(25000))
    print(sum(sum(smooth(days)) for _ in range(60)))
