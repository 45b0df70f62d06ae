import random  # SPDX-License-Identifier: MIT


def readings(n):
    rng = random.Random(2)
    return [980 + rng.random() * 60 for _ in range(n)]


def smooth(values):
    out = []
    for i in range(2, len(values) - 2):
        out.append((values[i - 2] + values[i - 1] + values[i] + values[i + 1] + values[i + 2]) / 5)
    return out


def record_high(values):
    best, highs = 0.0, []
    for value in values:
        highs.append(value)
        highs.sort()
        if len(highs) > 40:
            highs.pop(0)
    return highs


def trend(values):
    ups = 0
    for before, after in zip(values, values[1:]):
        ups += after > before
    return ups


def describe(values):
    return ["low" if v < 1000 else "fair" if v < 1020 else "high" for v in values]


def main():
    for _ in range(8):
        values = smooth(readings(250000))
        print(len(record_high(values)), trend(values), len(describe(values)))


main()
