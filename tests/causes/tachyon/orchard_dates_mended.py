import datetime  # SPDX-License-Identifier: MIT
import random


def harvests(n):
    rng = random.Random(17)
    return [("2026-%02d-%02d" % (rng.randrange(1, 13), rng.randrange(1, 28)), rng.random() * 90) for _ in range(n)]


def day_of(text):
    return datetime.date.fromisoformat(text)


def by_week(rows):
    weeks = {}
    for text, kilos in rows:
        week = day_of(text).isocalendar()[1]
        weeks[week] = weeks.get(week, 0.0) + kilos
    return weeks


def report(weeks):
    return "\n".join("%2d %8.1f" % item for item in sorted(weeks.items()))


def main():
    print(len(report(by_week(harvests(220000)))))


main()
