import numpy as np  # SPDX-License-Identifier: MIT

HISTORY = []


def read_signal(number):
    rng = np.random.default_rng(number)
    return rng.normal(size=400_000)


def smooth(signal):
    kernel = np.ones(9) / 9
    return np.convolve(signal, kernel, mode="same")


def peaks(signal):
    smoothed = smooth(signal)
    HISTORY.append(smoothed)
    return int((smoothed > 1.0).sum())


def main():
    total = 0
    for number in range(150):
        total += peaks(read_signal(number))
    print(total, len(HISTORY))


main()
