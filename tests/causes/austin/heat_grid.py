"""Spreads heat over a plate."""  # SPDX-License-Identifier: MIT
import numpy as np


def make_plate(size):
    plate = np.zeros((size, size))
    plate[0, :] = 100.0
    return plate


def step(plate):
    new = plate.copy()
    for i in range(1, plate.shape[0] - 1):
        for j in range(1, plate.shape[1] - 1):
            new[i, j] = (plate[i - 1, j] + plate[i + 1, j] + plate[i, j - 1] + plate[i, j + 1]) / 4
    return new


def simulate(plate, steps):
    for _ in range(steps):
        plate = step(plate)
    return plate


def contour(plate):
    return [int((plate > level).sum()) for level in range(0, 100, 5)]


if __name__ == "__main__":
    print(contour(simulate(make_plate(90), 200))[:3])
