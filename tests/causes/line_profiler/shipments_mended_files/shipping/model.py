from dataclasses import dataclass


@dataclass(frozen=True)
class Customer:
    key: int
    name: str
    city: str


@dataclass(frozen=True)
class Shipment:
    number: str
    customer: int
    grams: int


def customers(n):
    return [Customer(k, f"Name {k}", f"City {k % 90}") for k in range(n)]


def shipments(n):
    return [Shipment(f"S{k:05}", k * 17 % 4000, 200 + k % 3000) for k in range(n)]
