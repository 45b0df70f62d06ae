"""Reads orders, prices them one by one, and writes them, for some seconds."""
import json

TEXT = json.dumps([{"id": i, "items": [[item, item % 7 + 1] for item in range(i % 40)]} for i in range(400)])


def price(order):
    return sum(count * (100 + item * item % 13) for item, count in order["items"] for _ in range(12))


def read():
    return json.loads(TEXT)


def write(orders):
    return [json.dumps(order) for order in orders]


for _ in range(80):
    today = read()
    for order in today:
        order["price"] = price(order)
    write(today)
