import random  # SPDX-License-Identifier: MIT
LOOT = [(f"item{i}", 1 + i % 37) for i in range(900)]
def choose(rng):
    names = [name for name, _ in LOOT]
    weights = [weight for _, weight in LOOT]
    return rng.choices(names, weights)[0]
def open_chests(n):
    rng, counts = random.Random(4), {}
    for _ in range(n):
        item = choose(rng)
        counts[item] = counts.get(item, 0) + 1
    return counts
print(len(open_chests(30000)))
