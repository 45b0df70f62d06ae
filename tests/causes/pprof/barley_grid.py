"""Grows barley on a grid, with equal work in four functions."""  # SPDX-License-Identifier: MIT


def sow(field):
    total = 0
    for i in range(6000):
        total = (total + field[i % 97] * 3) % 7919
    return total


def water(field):
    total = 1
    for i in range(6000):
        total = (total * 3 + field[i % 89]) % 7907
    return total


def weed(field):
    total = 2
    for i in range(6000):
        total = (total ^ field[i % 83]) + i % 5
    return total


def reap(field):
    total = 3
    for i in range(6000):
        total = (total + i * field[i % 79]) % 7901
    return total


def season(field):
    return sow(field) + water(field) + weed(field) + reap(field)


def main():
    field = list(range(97))
    print(sum(season(field) for _ in range(1300)))


if __name__ == "__main__":
    main()
