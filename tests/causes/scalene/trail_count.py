import random  # SPDX-License-Identifier: MIT


def slopes(rows, columns):
    rng = random.Random(12)
    return [[rng.randrange(9) for _ in range(columns)] for _ in range(rows)]


def trails(height, row, column):
    if row == len(height) - 1 and column == len(height[0]) - 1:
        return 1
    found = 0
    if row + 1 < len(height):
        found += trails(height, row + 1, column)
    if column + 1 < len(height[0]):
        found += trails(height, row, column + 1)
    return found


def steepest(height):
    return max(max(row) - min(row) for row in height)


def main():
    height = slopes(14, 12)
    print(steepest(height), trails(height, 0, 0))


main()
