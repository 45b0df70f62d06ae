import math  # SPDX-License-Identifier: MIT


def wave(n):
    return [math.sin(i / 7) + math.sin(i / 3) / 2 for i in range(n)]


def smooth(signal, width):
    out, total = [], sum(signal[:width])
    for i in range(len(signal) - width):
        out.append(total / width)
        total += signal[i + width] - signal[i]
    return out


def peaks(signal):
    return [i for i in range(1, len(signal) - 1) if signal[i - 1] < signal[i] > signal[i + 1]]


print(len(peaks(smooth(wave(60000), 200))))
