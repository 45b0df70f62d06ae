import json  # SPDX-License-Identifier: MIT
import random


def bookings(n):
    rng = random.Random(7)
    return [{"id": i, "cars": rng.randrange(4), "day": rng.randrange(300), "name": "n%d" % rng.randrange(999)} for i in range(n)]


def parse(rows):
    return json.loads(json.dumps(rows))


def full_days(rows):
    cars = {}
    for row in rows:
        cars[row["day"]] = cars.get(row["day"], 0) + row["cars"]
    return [day for day, n in cars.items() if n > 400]


def find_double(rows):
    seen, double = [], []
    for row in rows:
        key = (row["name"], row["day"])
        if key in seen:
            double.append(row["id"])
        seen.append(key)
        seen = seen[-120:]
    return double


def total(rows):
    money = 0.0
    for row in rows:
        money += 12.5 * row["cars"] + (3.0 if row["day"] % 7 > 4 else 0.0)
    return money


def main():
    for _ in range(5):
        rows = parse(bookings(60000))
        print(len(full_days(rows)), len(find_double(rows)), total(rows))


main()
