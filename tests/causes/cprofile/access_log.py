"""Visits per quarter of an hour from a web server log."""
import re
from collections import Counter, namedtuple
from datetime import datetime

LINE = re.compile(r'(\S+) "(\w+) (\S+)" (\d+) (\d+) \[([^]]+)\]')
Hit = namedtuple("Hit", "host method path status size when")


def parse_line(line):
    host, method, path, status, size, when = LINE.match(line).groups()
    return Hit(host, method, path, int(status), int(size),
               datetime.strptime(when, "%Y-%m-%dT%H:%M:%S%z"))


def hits(path):
    with open(path) as log:
        for line in log:
            yield parse_line(line)


def quarter(when):
    return when.replace(minute=when.minute // 15 * 15, second=0)


def main():
    visits, volume = Counter(), Counter()
    for hit in hits("access.log"):
        if hit.status < 400:
            slot = quarter(hit.when)
            visits[slot] += 1
            volume[slot] += hit.size
    for slot, n in visits.most_common(5):
        print(slot.isoformat(), n, volume[slot])


main()
