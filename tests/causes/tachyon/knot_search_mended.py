import random  # SPDX-License-Identifier: MIT


def knots(n):
    rng = random.Random(14)
    return [(rng.random(), rng.random()) for _ in range(n)]


def distance(a, b):
    return ((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) ** 0.5


def cell(point):
    return int(point[0] * 24), int(point[1] * 24)


def nearest(cells, point):
    x, y = cell(point)
    radius = 1
    while True:
        near = [other for i in range(x - radius, x + radius + 1) for j in range(y - radius, y + radius + 1) for other in cells.get((i, j), ()) if other is not point]
        if near:
            best = min((distance(point, other), other) for other in near)
            if best[0] <= radius / 24:
                return best
        radius += 1


def lengths(points):
    cells = {}
    for point in points:
        cells.setdefault(cell(point), []).append(point)
    return [nearest(cells, point)[0] for point in points]


def main():
    print(round(sum(lengths(knots(2400))), 3))


main()
