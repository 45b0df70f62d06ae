#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make_importtime.py MODULES FILE: a `python -X importtime` log of so many modules, the same every time.

A forest up to 60 deep, children before parents, each figure rounded up by itself, as CPython prints them.
"""
import random
import sys

WORDS = "core util io net api impl types helpers compat config models views data linalg nn ops plot text http".split()
DEEPEST = 60


class Forest:
    def __init__(self, count, file):
        self.left, self.file, self.chance, self.serial = count, file, random.Random(count), 0

    def name_below(self, parent):
        self.serial += 1
        word = f"{self.chance.choice(WORDS)}_{self.serial}"
        if not parent or self.chance.random() < 0.3:
            return word
        return ".".join((parent.split(".") + [word])[-5:])

    def start(self, parent, depth):
        """[name, depth, own ns, children's ns, children still to come]"""
        self.left -= 1
        wish = 0 if depth >= DEEPEST else int(self.chance.expovariate(1 / (6 if depth < 4 else 1.1)))
        return [self.name_below(parent), depth, 20_000 + int(self.chance.expovariate(1 / 400_000)), 0, wish]

    def tree(self):
        stack = [self.start(None, 0)]
        while stack:
            top = stack[-1]
            if top[4] and self.left > 0:
                top[4] -= 1
                stack.append(self.start(top[0], len(stack)))
                continue
            name, depth, own, below, _ = stack.pop()
            total = own + below
            self.file.write(f"import time: {-(-own // 1000):9} | {-(-total // 1000):10} | {'  ' * depth}{name}\n")
            if stack:
                stack[-1][3] += total


def main():
    with open(sys.argv[2], "w", encoding="utf-8", newline="\n") as file:
        file.write("import time: self [us] | cumulative | imported package\n")
        forest = Forest(int(sys.argv[1]), file)
        while forest.left > 0:
            forest.tree()


main()
