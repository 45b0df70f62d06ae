import random


def make_grid(n):
    rng = random.Random(8)
    return [[rng.randrange(10) for _ in range(n)] for _ in range(n)]


def neighbours(grid, i, k):
    n = len(grid)
    total = 0
    for a in (-1, 0, 1):
        for b in (-1, 0, 1):
            total += grid[(i + a) % n][(k + b) % n]
    return total


def step(grid):
    out = []
    for i in range(len(grid)):
        row = []
        for k in range(len(grid)):
            row.append(neighbours(grid, i, k) % 10)
        out.append(row)
    return out


def hottest(grid):
    cells = []
    for row in grid:
        for cell in row:
            cells.append(cell)
    cells.sort()
    return cells[-5:]


def show(grid):
    return "\n".join(" ".join(str(c) for c in row) for row in grid)


def main():
    grid = make_grid(130)
    for _ in range(6):
        grid = step(grid)
    print(hottest(grid), len(show(grid)))


main()
