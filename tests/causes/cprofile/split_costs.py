"""Splits the costs of a house among its flats."""  # SPDX-License-Identifier: MIT
from fractions import Fraction


def read_flats(count):
    return [(n, 31 + (n * 37) % 83) for n in range(count)]


def share_cost(cost, area, whole):
    return Fraction(cost, 100) * Fraction(area, whole)


def bill_flat(costs, area, whole):
    total = Fraction(0)
    for cost in costs:
        total += share_cost(cost, area, whole)
    return round(float(total), 2)


def bill_year(flats, costs):
    whole = sum(area for _, area in flats)
    return {flat: bill_flat(costs, area, whole) for flat, area in flats}


def print_bills(bills):
    return "\n".join(f"{flat:05d} {bill:12.2f}" for flat, bill in sorted(bills.items()))


if __name__ == "__main__":
    print(len(print_bills(bill_year(read_flats(900), [n * 1999 + 7 for n in range(400)]))))
