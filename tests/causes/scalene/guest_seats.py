import random  # SPDX-License-Identifier: MIT


def guests(n):
    rng = random.Random(5)
    return ["guest%05d" % rng.randrange(n * 3) for _ in range(n)]


def seat(names):
    seated = []
    for name in names:
        if name not in seated:
            seated.append(name)
    return seated


def tables(seated, size):
    return [seated[i:i + size] for i in range(0, len(seated), size)]


def cards(groups):
    return ["%d: %s" % (number, ", ".join(group)) for number, group in enumerate(groups)]


def main():
    names = guests(24000)
    print(len(cards(tables(seat(names), 8))))


main()
