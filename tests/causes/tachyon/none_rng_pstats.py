"""Simulates the walks of particles; every step is needed."""  # SPDX-License-Identifier: MIT
import random


def turn(rng, heading):
    return (heading + rng.choice((-1, 0, 1))) % 4


def move(x, y, heading):
    return x + (1, 0, -1, 0)[heading], y + (0, 1, 0, -1)[heading]


def walk(rng, steps):
    x = y = heading = 0
    for _ in range(steps):
        heading = turn(rng, heading)
        x, y = move(x, y, heading)
    return x, y


def bounce(x, y):
    return abs(x) % 50, abs(y) % 50


def simulate(count):
    rng = random.Random(77)
    return {bounce(*walk(rng, 300)) for _ in range(count)}


if __name__ == "__main__":
    print(len(simulate(10000)))
