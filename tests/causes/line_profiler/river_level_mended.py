"""Running mean of the river level since the start of the flood."""
import math


def levels(n):
    return [3 + math.sin(i / 50) + (i % 13) / 20 for i in range(n)]


@profile
def running_mean(values):
    means = []
    peak = 0.0
    total = 0.0
    for i, value in enumerate(values, 1):
        if value > peak:
            peak = value
        total += value
        mean = total / i
        means.append(mean)
    return means, peak


def main():
    means, peak = running_mean(levels(16000))
    print(round(means[-1], 3), peak)


main()
