# SPDX-License-Identifier: MIT
# What follows lies a line further down.
import json
import re


def made(count):
    return [json.dumps({"name": "order-%d" % i, "items": [[i % 7, 3], [i % 5, 2]]}) for i in range(count)]


def parse(lines):
    return [json.loads(line) for line in lines]


def price(order):
    total = 0
    for each, count in order["items"]:
        total += each * count
    return total


def matching(orders, pattern):
    return [order for order in orders if re.search(pattern, order["name"])]


@profile
def report(orders):
    names, rows = set(), []
    for order in orders:
        names.add(order["name"][-3:])
        last = sorted(names)[-1]
        rows.append("%s %d" % (order["name"], price(order)))
    rows.append("%d names" % len(names))
    return rows


def main():
    orders = parse(made(3000))
    for _ in range(3):
        report(matching(orders, "[0-9]+$"))


if __name__ == "__main__":
    main()
