"""Collect the blocks of a seismogram and find the strongest shake."""
import numpy as np


def blocks(n, size):
    rng = np.random.default_rng(3)
    for _ in range(n):
        yield rng.normal(size=size)


def collect(n, size):
    trace = np.zeros(0)
    for block in blocks(n, size):
        trace = np.append(trace, block)
    return trace


def strongest(trace):
    energy = np.convolve(trace ** 2, np.ones(20), "valid")
    return int(energy.argmax())


def main():
    print(strongest(collect(3200, 100)))


main()
