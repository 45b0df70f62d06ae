# SPDX-License-Identifier: MIT
"""The main components of measurements."""
import numpy as np


def measurements(n):
    return np.random.default_rng(6).normal(size=(n, n))


def components(matrix):
    return np.linalg.svd(matrix)[1]


if __name__ == "__main__":
    print(components(measurements(800))[:3])
