import random


def build(depth, rng):
    if depth == 0:
        return rng.randrange(100)
    return [build(depth - 1, rng) for _ in range(3)]


def depth_of(tree):
    if not isinstance(tree, list):
        return 0
    return 1 + max(depth_of(t) for t in tree)


def balance(tree):
    if not isinstance(tree, list):
        return 0
    return depth_of(tree) + sum(balance(t) for t in tree)


def leaves(tree):
    if not isinstance(tree, list):
        return [tree]
    out = []
    for t in tree:
        out.extend(leaves(t))
    return out


def smooth(values):
    out = []
    for i in range(1, len(values) - 1):
        out.append((values[i - 1] + values[i] + values[i + 1]) / 3)
    return out


def main():
    tree = build(10, random.Random(3))
    values = leaves(tree)
    for _ in range(8):
        values = smooth(values)
    print(depth_of(tree), balance(tree), len(values))


main()
