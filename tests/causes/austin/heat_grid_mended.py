"""Spreads heat over a plate."""  # SPDX-License-Identifier: MIT
import numpy as np


def make_plate(size):
    plate = np.zeros((size, size))
    plate[0, :] = 100.0
    return plate


def step(plate):
    new = plate.copy()
    new[1:-1, 1:-1] = (plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:]) / 4
    return new


def simulate(plate, steps):
    for _ in range(steps):
        plate = step(plate)
    return plate


def contour(plate):
    return [int((plate > level).sum()) for level in range(0, 100, 5)]


if __name__ == "__main__":
    print(contour(simulate(make_plate(90), 200))[:3])
