"""Counts the failures of each service in a system log."""  # SPDX-License-Identifier: MIT
import random
import re
from collections import Counter

LINE = re.compile(r"^(.*)\s(.*)\[(\d+)\]:.*(failed|refused).*code=(\d+)$")


def make_log(count):
    rng = random.Random(6)
    words = "link timer unit mount socket reached target started stopped reload".split()
    lines = []
    for n in range(count):
        text = " ".join(rng.choices(words, k=25))
        end = f"failed with code={rng.randrange(9)}" if n % 9 == 0 else "done"
        lines.append(f"Nov 30 08:00:{n % 60:02d} host unit{n % 7}[{n}]: {text} {end}")
    return lines


def parse_line(line):
    found = LINE.match(line)
    return (found[2], int(found[5])) if found else None


def hour_of(line):
    return line[7:9]


def count_failures(lines):
    failures, hours = Counter(), Counter()
    for line in lines:
        hours[hour_of(line)] += 1
        entry = parse_line(line)
        if entry:
            failures[entry] += 1
    return failures, hours


if __name__ == "__main__":
    print(count_failures(make_log(60000))[0].most_common(2))
