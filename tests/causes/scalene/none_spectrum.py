import numpy as np  # SPDX-License-Identifier: MIT


def signal(n):
    return np.random.default_rng(2).normal(size=n)


def spectrum(values):
    return np.abs(np.fft.fft(values))


def main():
    values = signal(2 ** 22 + 1)
    print(spectrum(values).max())


main()
