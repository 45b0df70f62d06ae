import random  # SPDX-License-Identifier: MIT


def reads(n):
    r = random.Random(7)
    return ["".join(r.choices("ACGT", k=60)) for _ in range(n)]


def unique(items):
    seen = []
    for item in items:
        if item not in seen:
            seen.append(item)
    return seen


def gc(item):
    return (item.count("G") + item.count("C")) / len(item)


data = reads(9000)
print(sum(map(gc, unique(data))) > 0)
