"""Minutes per cell from the call records."""
from collections import Counter


def parse(handle):
    return (line.rstrip().split(",") for line in handle)


def add_up(records):
    minutes = Counter()
    for number, cell, seconds, hour in records:
        minutes[cell] += int(seconds) / 60
    return minutes


@profile
def minutes_per_cell(path):
    with open(path) as handle:
        records = parse(handle)
        minutes = add_up(records)
    top = minutes.most_common(3)
    return top


if __name__ == "__main__":
    print(minutes_per_cell("calls.csv"))
