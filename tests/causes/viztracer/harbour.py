# SPDX-License-Identifier: MIT
"""Five passes over ships; the order takes most, once each, and is needed."""
import operator


def lengths(ships):
    return [ship[0] * 3 + ship[1] for ship in ships]


def masses(ships):
    return [ship[1] * ship[2] - ship[0] for ship in ships]


def names(ships):
    return [f"{ship[0]}/{ship[1]}" for ship in ships]


def flags(ships):
    return [ship[0] % 7 == ship[2] % 7 for ship in ships]


def order(ships):
    return sorted(ships, key=operator.itemgetter(2, 0))


def main():
    ships = [(i % 97, i * 31 % 89, i * 17 % 83) for i in range(1500)]
    for _ in range(3):
        print(len(lengths(ships)), len(masses(ships)), len(names(ships)), len(flags(ships)), len(order(ships)))


if __name__ == "__main__":
    main()
