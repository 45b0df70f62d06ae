import heapq  # SPDX-License-Identifier: MIT
import math
import random

SIZE = 34
ROUTES = 22


def make_heights(size):
    rng = random.Random(5)
    return [[rng.random() * 9 for _ in range(size)] for _ in range(size)]


def smooth(heights):
    size = len(heights)
    return [[mean_around(heights, x, y, size) for x in range(size)] for y in range(size)]


def mean_around(heights, x, y, size):
    around = [heights[j][i] for i, j in neighbours(x, y, size)]
    return (heights[y][x] + sum(around)) / (1 + len(around))


def neighbours(x, y, size):
    found = []
    if x > 0:
        found.append((x - 1, y))
    if y > 0:
        found.append((x, y - 1))
    if x < size - 1:
        found.append((x + 1, y))
    if y < size - 1:
        found.append((x, y + 1))
    return found


def cost(heights, here, there):
    rise = heights[there[1]][there[0]] - heights[here[1]][here[0]]
    return math.hypot(1, rise) + (rise if rise > 0 else 0)


def walk(heights, start, goal):
    size = len(heights)
    best, queue = {start: 0.0}, [(0.0, start)]
    came = {}
    while queue:
        so_far, here = queue.pop(queue.index(min(queue)))
        if here == goal:
            break
        if so_far > best[here]:
            continue
        for there in neighbours(*here, size):
            total = so_far + cost(heights, here, there)
            if total < best.get(there, math.inf):
                best[there] = total
                came[there] = here
                queue.append((total, there))
    return path_to(came, start, goal)


def path_to(came, start, goal):
    path = [goal]
    while path[-1] != start:
        path.append(came[path[-1]])
    return path


def turns_of(path):
    turns = 0
    for a, b, c in zip(path, path[1:], path[2:]):
        turns += (b[0] - a[0], b[1] - a[1]) != (c[0] - b[0], c[1] - b[1])
    return turns


def slope_of(heights, path):
    return sum(abs(heights[b[1]][b[0]] - heights[a[1]][a[0]]) for a, b in zip(path, path[1:]))


def draw(heights):
    rows = []
    for row in heights:
        rows.append("".join(" .:-=+*#%@"[min(9, int(value))] for value in row))
    return "\n".join(rows)


def main():
    heights = make_heights(SIZE)
    for _ in range(6):
        heights = smooth(heights)
    rng = random.Random(8)
    sums = [0, 0.0]
    for _ in range(ROUTES):
        start = (rng.randrange(SIZE), rng.randrange(SIZE))
        path = walk(heights, start, (SIZE - 1, SIZE - 1))
        sums[0] += turns_of(path)
        sums[1] += slope_of(heights, path)
    print(sums, len(draw(heights)))


if __name__ == "__main__":
    main()
