# SPDX-License-Identifier: MIT
"""Needed work in four functions of about the same size."""
import math


def heights(n):
    total = 0.0
    for i in range(n):
        total += math.sin(i * 0.01) * math.cos(i * 0.02)
    return total


def flows(n):
    total = 0.0
    for i in range(n):
        total += math.sqrt(i + 1) * math.log(i + 2)
    return total


def winds(n):
    total = 0.0
    for i in range(n):
        total += math.atan(i) * math.exp(-i * 1e-6)
    return total


def moons(n):
    total = 0.0
    for i in range(n):
        total += math.tan(i * 0.001) * math.hypot(i, 3)
    return total


def main():
    print(heights(1900000) + flows(1900000) + winds(1900000) + moons(1900000))


if __name__ == "__main__":
    main()
