# SPDX-License-Identifier: MIT
"""Collects the distinct customers of many orders."""
import random


def make_orders(n):
    rng = random.Random(2)
    return [(i, f"customer-{rng.randrange(7000)}", rng.random()) for i in range(n)]


def amount_by_region(orders):
    regions = {}
    for number, _name, amount in orders:
        regions[number % 7] = regions.get(number % 7, 0) + amount
    return regions


def distinct(orders):
    seen = []
    for _number, name, _amount in orders:
        if name not in seen:
            seen.append(name)
    return seen


def report(orders):
    return len(distinct(orders)), round(sum(amount_by_region(orders).values()))


if __name__ == "__main__":
    print(report(make_orders(32_000)))
