import copy
import json
import random
import re


def make_orders(n):
    rng = random.Random(4)
    return [{"id": i, "lines": [{"sku": "a%d" % rng.randrange(90), "n": rng.randrange(9), "price": rng.random()}
                                for _ in range(6)]} for i in range(n)]


def order_total(order):
    total = 0.0
    for line in order["lines"]:
        total += line["n"] * line["price"]
    return total


def render(order):
    return json.dumps(order, indent=1)


def snapshot(order):
    return dict(order)


def check_skus(order):
    bad = 0
    for line in order["lines"]:
        if not re.match(r"^[a-z][0-9]+$", line["sku"]):
            bad += 1
    return bad


def main():
    orders = make_orders(9000)
    size = 0
    value = 0.0
    for order in orders:
        value += order_total(order)
        size += len(render(snapshot(order)))
        size += check_skus(order)
    print(len(orders), size, round(value))


main()
