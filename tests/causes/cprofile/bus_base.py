"""Delays of a day of buses from the stop messages."""
import csv
from collections import defaultdict

from bus_fields import split_fields


def messages(path):
    with open(path, newline="") as handle:
        for line in handle:
            yield split_fields(line)


def delays(path):
    late = defaultdict(list)
    for line, stop, planned, real, note in messages(path):
        late[line].append(int(real) - int(planned))
    return {k: sum(v) / len(v) for k, v in late.items()}


print(len(delays("messages.csv")))
