import bisect
import csv
import functools


@functools.cache
def read_tariff(path="tariff.csv"):
    """Zone -> sorted list of (limit in kg, price)."""
    zones = {}
    with open(path, newline="") as handle:
        for row in csv.DictReader(handle):
            zones.setdefault(row["zone"], []).append((float(row["limit"]), float(row["price"])))
    for steps in zones.values():
        steps.sort()
    return zones


def price_for(zone, kg):
    steps = read_tariff()[zone]
    at = bisect.bisect_left(steps, (kg, 0.0))
    return steps[min(at, len(steps) - 1)][1]
