import collections  # SPDX-License-Identifier: MIT
import random


def crates(n):
    r = random.Random(3)
    return [(r.randrange(50), r.random() * 30, f"crate-{i}") for i in range(n)]


class Ship:
    def __init__(self):
        self.decks = collections.defaultdict(list)

    def load(self, crate):
        self.decks[crate[0]].append(crate)

    def weights(self):
        return {d: sum(c[1] for c in cs) for d, cs in self.decks.items()}

    def balance(self):
        w = self.weights()
        mean = sum(w.values()) / len(w)
        return sum((x - mean) ** 2 for x in w.values())

    def labels(self):
        return [self.label(c) for cs in self.decks.values() for c in cs]

    def label(self, crate):
        return "%s/%02d/%.1f" % (crate[2], crate[0], crate[1])


def voyage(n):
    ship = Ship()
    for c in crates(n):
        ship.load(c)
    out = ship.labels()
    return ship.balance(), len(out)


def main():
    for _ in range(20):
        last = voyage(SIZE)
    print(last)


SIZE = 12000
main()
