import random  # SPDX-License-Identifier: MIT


def loans(n):
    rng = random.Random(44)
    return [(rng.randrange(4000), rng.randrange(900), rng.randrange(60)) for _ in range(n)]


def signature(book, reader, days):
    value = book
    for _ in range(12):
        value = (value * 31 + reader + days) % 65521
    return value


def audit(rows):
    seen, twice = {}, 0
    for book, reader, days in rows:
        key = f"{book}/{reader}"
        twice += key in seen
        seen[key] = days
        for other in (book - 1, book + 1):
            twice += f"{other}/{reader}" in seen
    return twice


def overdue(rows):
    return [(reader, days - 28) for _, reader, days in rows if days > 28]


def fines(late):
    owed = {}
    for reader, days in late:
        owed[reader] = owed.get(reader, 0.0) + 0.25 * days
    return owed


def popular(rows):
    counts = {}
    for book, _, _ in rows:
        counts[book] = counts.get(book, 0) + 1
    return sorted(counts.items(), key=lambda item: -item[1])[:10]


def stamp(rows):
    return [signature(*row) for row in rows]


def main():
    for _ in range(7):
        rows = loans(70000)
        print(len(fines(overdue(rows))), len(popular(rows)), len(stamp(rows)), audit(rows))


main()
