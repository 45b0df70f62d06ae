"""Quote freight for the open orders."""
import json
from freight.tariff import price_for


def orders(path):
    with open(path) as handle:
        for line in handle:
            yield json.loads(line)


def main():
    total = 0.0
    for order in orders("orders.jsonl"):
        total += price_for(order["zone"], order["kg"])
    print(f"{total:.2f}")


if __name__ == "__main__":
    main()
