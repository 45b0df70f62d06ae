"""Reads stamps of parcels, and counts them by day."""  # SPDX-License-Identifier: MIT
from datetime import datetime


def make_lines(count):
    return [f"2026-0{1 + i % 9}-{1 + i % 28:02} {i % 24:02}:{i % 60:02}:00;parcel {i}" for i in range(count)]


def day_of(line):
    return datetime.strptime(line.split(";")[0], "%Y-%m-%d %H:%M:%S").date()


def count_days(lines):
    days = {}
    for line in lines:
        day = day_of(line)
        days[day] = days.get(day, 0) + 1
    return days


def digest(days):
    total = 0
    for day, count in sorted(days.items()):
        for _ in range(200):
            total = (total * 33 + day.day * count) % 65_537
    return total


if __name__ == "__main__":
    print(digest(count_days(make_lines(300_000))))
