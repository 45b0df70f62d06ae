"""Merge subscriber lists of several shops, first come first kept."""
import csv
from mailing.clean import normalise, valid


def merge(files):
    merged = {}
    for path in files:
        with open(path, newline="") as handle:
            for address, name in csv.reader(handle):
                address = normalise(address)
                if valid(address) and address not in merged:
                    merged[address] = None
    return list(merged)


def by_domain(addresses):
    counts = {}
    for a in addresses:
        domain = a.rpartition("@")[2]
        counts[domain] = counts.get(domain, 0) + 1
    return counts


if __name__ == "__main__":
    addresses = merge(["north.csv", "south.csv", "online.csv"])
    print(len(addresses), by_domain(addresses))
