import random  # SPDX-License-Identifier: MIT


def visits(n):
    rng = random.Random(29)
    return [(rng.randrange(2000), rng.randrange(8, 18), rng.random()) for _ in range(n)]


def risk(age, hour, value):
    score = value
    for factor in (0.3, 0.5, 0.7, 0.9):
        score = score * factor + age % 7 * 0.01 + hour * 0.001
    return score


def rooms(rows):
    used = {}
    for patient, hour, _ in rows:
        used.setdefault(hour, set()).add(patient % 30)
    return used


def letters(rows):
    return ["Dear %d, %02d:00, %.2f" % row for row in rows]


def scores(rows):
    return [risk(patient, hour, value) for patient, hour, value in rows]


def main():
    for _ in range(8):
        rows = visits(60000)
        print(sum(scores(rows)), len(rooms(rows)), len(letters(rows)))


main()
