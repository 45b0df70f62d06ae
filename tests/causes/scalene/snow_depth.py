import numpy as np  # SPDX-License-Identifier: MIT


def measure(rows, columns):
    rng = np.random.default_rng(11)
    return rng.gamma(2.0, 30.0, (rows, columns))


def deep_places(depth, limit):
    found = []
    rows, columns = depth.shape
    for i in range(1, rows - 1):
        for j in range(1, columns - 1):
            if depth[i, j] > limit and depth[i - 1, j] < limit:
                found.append((i, j))
    return found


def summary(depth):
    return depth.mean(), depth.std(), np.percentile(depth, 90)


def main():
    for day in range(6):
        depth = measure(1100, 1100)
        print(day, summary(depth), len(deep_places(depth, 120.0)))


main()
