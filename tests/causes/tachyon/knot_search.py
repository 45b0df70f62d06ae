import random  # SPDX-License-Identifier: MIT


def knots(n):
    rng = random.Random(14)
    return [(rng.random(), rng.random()) for _ in range(n)]


def distance(a, b):
    return ((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) ** 0.5


def nearest(points, point):
    return min((distance(point, other), other) for other in points if other is not point)


def lengths(points):
    return [nearest(points, point)[0] for point in points]


def main():
    print(round(sum(lengths(knots(2400))), 3))


main()
