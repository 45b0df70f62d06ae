"""Collects the peaks of a tide gauge."""  # SPDX-License-Identifier: MIT
import numpy as np


@profile
def read_gauge(count):
    rng = np.random.default_rng(2)
    return np.cumsum(rng.normal(0, 1, count))


@profile
def find_peaks(levels):
    peaks = np.array([])
    for n in range(1, len(levels) - 1):
        if levels[n - 1] < levels[n] > levels[n + 1]:
            peaks = np.append(peaks, levels[n])
    return peaks


@profile
def summary(peaks):
    return round(float(peaks.mean()), 3), len(peaks)


@profile
def main():
    levels = read_gauge(60000)
    print(summary(find_peaks(levels)))


if __name__ == "__main__":
    main()
