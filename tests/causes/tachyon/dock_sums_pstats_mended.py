"""Sums the loads of a dock for each hour."""  # SPDX-License-Identifier: MIT
import random


def make_loads(count):
    rng = random.Random(40)
    return [rng.randrange(100) for _ in range(count)]


def load_between(loads, first, last):
    return sum(loads[first:last])


def queries(count, size):
    rng = random.Random(41)
    return [sorted(rng.sample(range(size), 2)) for _ in range(count)]


def answer(loads, asked):
    sums = [0]
    for load in loads:
        sums.append(sums[-1] + load)
    return [sums[last] - sums[first] for first, last in asked]


if __name__ == "__main__":
    loads = make_loads(30000)
    print(max(answer(loads, queries(12000, 30000))))
