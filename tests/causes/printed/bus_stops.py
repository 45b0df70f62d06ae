"""Which stops does each line share with others."""  # SPDX-License-Identifier: MIT
import random


def make_lines(count):
    rng = random.Random(14)
    return {line: [rng.randrange(20000) for _ in range(400)] for line in range(count)}


def shared_stops(own, other):
    return [stop for stop in own if stop in other]


def compare_lines(lines):
    pairs = {}
    for a in lines:
        for b in lines:
            if a < b:
                pairs[a, b] = len(shared_stops(lines[a], lines[b]))
    return pairs


def best_change(pairs):
    return max(pairs, key=pairs.get)


if __name__ == "__main__":
    print(best_change(compare_lines(make_lines(25))))
