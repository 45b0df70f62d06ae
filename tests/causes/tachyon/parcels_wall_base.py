import random  # SPDX-License-Identifier: MIT


def parcels(n):
    rng = random.Random(8)
    return [("%05d" % rng.randrange(99999), rng.random() * 30, rng.randrange(1, 5)) for _ in range(n)]


def check_code(code):
    digits = [int(c) for c in code]
    odd = sum(digits[::2])
    even = sum(digits[1::2])
    return (odd * 3 + even) % 10


def zone(code):
    return {"0": "east", "1": "north", "2": "north", "8": "south"}.get(code[0], "west")


def weigh(weight, size):
    return max(weight, size * 4.5)


def accept(rows):
    taken = []
    for code, weight, size in rows:
        if check_code(code) != 7:
            taken.append((zone(code), weigh(weight, size), code))
    return taken


def load(rows):
    trucks = {}
    for where, weight, _ in rows:
        trucks[where] = trucks.get(where, 0.0) + weight
    return trucks


def main():
    for _ in range(6):
        taken = accept(parcels(110000))
        print(len(load(taken)), len(sorted(taken)))


main()
