import random  # SPDX-License-Identifier: MIT


def beds(n):
    rng = random.Random(19)
    return [(i, rng.random(), rng.randrange(5)) for i in range(n)]


def growth(light, water):
    size = 1.0
    for day in range(14):
        size *= 1.01 + 0.01 * light - 0.001 * abs(water - 2)
    return size


def harvest(rows):
    return sum(growth(light, water) for _, light, water in rows)


def paths(rows):
    steps, last = 0, 0
    for number, light, _ in rows:
        here = int(light * 50)
        steps += abs(here - last)
        last = here
    return steps


def signs(rows):
    return ["bed %d/%d" % (number, water) for number, _, water in rows]


def main():
    for _ in range(8):
        rows = beds(60000)
        print(harvest(rows), paths(rows), len(signs(rows)))


main()
