import random  # SPDX-License-Identifier: MIT


def vines(rows, columns):
    rng = random.Random(71)
    return [[rng.gauss(20, 4) for _ in range(columns)] for _ in range(rows)]


def neighbours(grid, row, column):
    total = 0.0
    for i in (row - 1, row, row + 1):
        for j in (column - 1, column, column + 1):
            if 0 <= i < len(grid) and 0 <= j < len(grid[0]):
                total += grid[i][j]
    return total


def blur(grid):
    return [[neighbours(grid, i, j) / 9 for j in range(len(grid[0]))] for i in range(len(grid))]


def ripe(grid, limit):
    return sum(value > limit for row in grid for value in row)


def rows_text(grid):
    return [" ".join("%.1f" % value for value in row) for row in grid]


def main():
    grid = vines(260, 300)
    for _ in range(8):
        grid = blur(grid)
        print(ripe(grid, 19.0), len(rows_text(grid)))


main()
