import random  # SPDX-License-Identifier: MIT


def orders(n):
    rng = random.Random(5)
    return [(rng.choice(["rye", "oat", "spelt", "roll"]), rng.randrange(1, 9), rng.random()) for _ in range(n)]


def bake_time(kind, count):
    minutes = 30.0
    for batch in range(count):
        minutes += 4.0 / (batch + 1)
    return minutes if kind != "rye" else minutes * 1.4


def price(kind, count, rush):
    base = {"rye": 4.1, "oat": 3.8, "spelt": 5.0, "roll": 0.9}[kind]
    total = base * count
    return total * 1.1 if rush > 0.8 else total


def bill(rows):
    return [f"{kind:6} {count:2} {price(kind, count, rush):7.2f}" for kind, count, rush in rows]


def schedule(rows):
    ovens = [0.0] * 6
    for kind, count, _ in rows:
        first = ovens.index(min(ovens))
        ovens[first] += bake_time(kind, count)
    return max(ovens)


def main():
    for _ in range(6):
        rows = orders(90000)
        print(len(bill(rows)), round(schedule(rows), 1))


main()
