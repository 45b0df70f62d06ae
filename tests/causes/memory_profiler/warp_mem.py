import numpy as np  # SPDX-License-Identifier: MIT
from memory_profiler import profile


@profile
def normalise(stack):
    low = stack.min()
    high = stack.max()
    scaled = (stack.astype("float64") - low) / (high - low)
    means = scaled.mean(axis=(1, 2))
    return means


@profile
def load(n):
    stack = np.zeros((n, 512, 512), dtype="uint8")
    stack[:, ::2] = 9
    return stack


if __name__ == "__main__":
    print(normalise(load(40)).sum())
