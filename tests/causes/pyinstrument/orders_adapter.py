"""Check and accept the orders that came over night."""
import json
from orders.intake import accept


def main():
    lines = 0
    with open("night.jsonl") as handle:
        for text in handle:
            lines += len(accept(json.loads(text)))
    print(lines)


main()
