import random  # SPDX-License-Identifier: MIT


@profile
def nearest(points, p):
    best = None
    for q in points:
        d = ((p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2) ** 0.5
        if best is None or d < best:
            best = d
    return best


@profile
def fill(n):
    r = random.Random(2)
    points = [(r.random(), r.random()) for _ in range(n)]
    return points


@profile
def main():
    points = fill(700)
    total = 0
    for p in points[:100]:
        total += nearest(points, p)
    print(total)


main()
