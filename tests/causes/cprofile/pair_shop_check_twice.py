import json  # SPDX-License-Identifier: MIT
import random
import zlib
from decimal import Decimal

RATES = {"north": "0.19", "south": "0.07", "east": "0.21", "west": "0.10"}
ROWS = 2600


def make_line(number):
    rng = random.Random(number)
    return json.dumps({"id": number, "zone": rng.choice(sorted(RATES)), "items": [[f"sku{rng.randrange(400)}", rng.randrange(1, 9), f"{rng.random() * 90:.2f}"] for _ in range(4)]})


def parse_line(line):
    row = json.loads(line)
    row["zone"] = row["zone"].strip().lower()
    return row


def check_row(row):
    for sku, count, price in row["items"]:
        if not sku.startswith("sku") or count < 1 or float(price) < 0:
            raise ValueError(row)
    return True


def net_of(items):
    return sum((Decimal(price) * count for _, count, price in items), Decimal(0))


def tax_of(net, zone):
    return (net * Decimal(RATES[zone])).quantize(Decimal("0.01"))


def discount_of(items):
    found = Decimal(0)
    for sku, count, _ in items:
        if count > 5:
            found += Decimal(count) / 10
    return found


def label_of(row, net):
    return "/".join([row["zone"], f"{row['id']:08d}", f"{net:.2f}"]).upper()


def digest_of(text):
    value = 7
    for letter in text:
        value = (value * 31 + ord(letter)) % 1000003
    return value


def pack(labels):
    return len(zlib.compress("\n".join(labels).encode(), 6))


def group_rows(rows):
    groups = {}
    for row in rows:
        groups.setdefault(row["zone"], []).append(row)
    return groups


def main():
    lines = [make_line(number) for number in range(ROWS)]
    rows = [parse_line(line) for line in lines]
    labels, total = [], Decimal(0)
    for row in rows:
        check_row(row)
        for _ in range(4):
            check_row(row)
        net = net_of(row["items"]) - discount_of(row["items"])
        total += net + tax_of(net, row["zone"])
        label = label_of(row, net)
        labels.append(f"{label}-{digest_of(label)}")
    print(len(group_rows(rows)), pack(labels), round(total))


if __name__ == "__main__":
    main()
