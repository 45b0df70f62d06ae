import json  # SPDX-License-Identifier: MIT
def make(n):
    return json.dumps([{"id": i, "customer": f"c{i % 50}", "lines": list(range(i % 7))} for i in range(n)])
def parse_orders(text):
    return json.loads(text)
def index(orders):
    by_customer = {}
    for order in orders:
        by_customer.setdefault(order["customer"], []).append(order["id"])
    return by_customer
def main():
    text = make(60_000)
    print(len(index(parse_orders(text))))
main()
