#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make_pstats.py FUNCTIONS FILE: a cProfile dump of so many functions, the same every time.

A connected call graph from <module> on: each function has one to five callers among those before it, one in twelve calls
itself. marshal itself writes the file, so strings and tuples are shared as CPython shares them.
"""
import marshal
import random
import sys

VERBS = "load save parse render encode visit walk update merge split filter open read write send bind check run".split()
NOUNS = "row page tree node frame token block field index cache graph queue batch model layer state event entry".split()


def labels(count, chance):
    for i in range(count):
        if i == 0:
            yield "/srv/app/main.py", 1, "<module>"
        elif chance.random() < 0.06:
            yield "~", 0, f"<method '{VERBS[i % 18]}' of '_lib{i}' objects>"
        else:
            folder, file = divmod(i // 40, 30)
            name = chance.choice(("__init__", "<lambda>", "<listcomp>")) if chance.random() < 0.15 else \
                f"{chance.choice(VERBS)}_{chance.choice(NOUNS)}"
            yield f"/usr/lib/python3/dist-packages/package_{folder:03}/{NOUNS[file % 18]}_{file}.py", 3 + i % 40 * 17, name


def callers_of(i, keys, cumulative, own, chance):
    edges = {}
    for _ in range(chance.randrange(1, 6) if i else 0):
        edges[keys[i - 1 if chance.random() < 0.3 else chance.randrange(i)]] = 1 + int(chance.expovariate(0.05))
    calls = sum(edges.values()) or 1
    rows = {key: (n, n, own * n / calls, cumulative * n / calls) for key, n in edges.items()}
    deeper = 0
    if i and chance.random() < 0.08:
        deeper = chance.randrange(1, 50)
        rows[keys[i]] = (deeper, 0, 0.0, 0.0)
    return calls, calls + deeper, rows


def main():
    count, path = int(sys.argv[1]), sys.argv[2]
    chance = random.Random(count)
    keys = list(labels(count, chance))
    stats = {}
    for i, key in enumerate(keys):
        own = round(chance.expovariate(1) ** 3 * 1e-4, 9)
        cumulative = round(own + chance.random() ** 4 * 2, 9) if i else 1000.0
        primitive, calls, callers = callers_of(i, keys, cumulative, own, chance)
        stats[key] = (primitive, calls, own, cumulative, callers)
    with open(path, "wb") as file:
        marshal.dump(stats, file)


main()
