"""Exports deliveries as CSV."""  # SPDX-License-Identifier: MIT
import csv
import dataclasses
import io


@dataclasses.dataclass
class Place:
    street: str
    city: str


@dataclasses.dataclass
class Delivery:
    id: int
    sender: Place
    receiver: Place
    weight: float


def make_deliveries(count):
    return [Delivery(n, Place(f"s{n % 9}", "Ulm"), Place(f"r{n % 31}", "Graz"), n % 17 / 2) for n in range(count)]


def row_of(delivery):
    row = dataclasses.asdict(delivery)
    return [row["id"], row["sender"]["street"], row["receiver"]["street"], row["receiver"]["city"], row["weight"]]


def write_csv(deliveries):
    out = io.StringIO()
    writer = csv.writer(out)
    for delivery in deliveries:
        writer.writerow(row_of(delivery))
    return out.getvalue()


def price(delivery):
    return round(3.5 + delivery.weight * 0.8 + (delivery.receiver.city != "Ulm") * 2, 2)


if __name__ == "__main__":
    deliveries = make_deliveries(60000)
    print(len(write_csv(deliveries)), sum(map(price, deliveries)))
