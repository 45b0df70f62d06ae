# SPDX-License-Identifier: MIT
"""Sums up a table row by row; the mean of all is computed for each row again."""


def mean(values):
    return sum(values) / len(values)


def above(readings):
    found = []
    for value in readings:
        if value > mean(readings):
            found.append(value)
    return found


def main():
    readings = [(i * 7919) % 1009 for i in range(9000)]
    print(len(above(readings)))


if __name__ == "__main__":
    main()
