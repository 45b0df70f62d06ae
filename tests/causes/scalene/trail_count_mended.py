import random  # SPDX-License-Identifier: MIT


def slopes(rows, columns):
    rng = random.Random(12)
    return [[rng.randrange(9) for _ in range(columns)] for _ in range(rows)]


def trails(height):
    counts = [[1] * len(height[0]) for _ in height]
    for row in range(1, len(height)):
        for column in range(1, len(height[0])):
            counts[row][column] = counts[row - 1][column] + counts[row][column - 1]
    return counts[-1][-1]


def steepest(height):
    return max(max(row) - min(row) for row in height)


def main():
    height = slopes(14, 12)
    print(steepest(height), trails(height))


main()
