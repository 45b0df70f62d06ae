import collections  # SPDX-License-Identifier: MIT
import random

Species = collections.namedtuple("Species", "name height")


def plant(n):
    r = random.Random(1)
    names = ["oak", "elm", "ash", "yew", "fir"]
    return [Species(r.choice(names), r.gauss(12, 3)) for _ in range(n)]


def by_name(trees):
    groups = collections.defaultdict(list)
    for t in trees:
        groups[t.name].append(t.height)
    return groups


def spread(heights):
    mean = sum(heights) / len(heights)
    return mean, (sum((h - mean) ** 2 for h in heights) / len(heights)) ** 0.5


def tallest(trees, n):
    return sorted(trees, key=lambda t: -t.height)[:n]


def classes(trees):
    return collections.Counter(int(t.height // 2) for t in trees)


def main():
    for _ in range(4):
        trees = plant(60000)
        groups = by_name(trees)
        stats = {k: spread(v) for k, v in groups.items()}
        top, bins = tallest(trees, 10), classes(trees)
    print(len(stats), len(top), len(bins))


main()
