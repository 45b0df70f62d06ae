"""Finds which points lie on the hull of a cloud, one after the other."""  # SPDX-License-Identifier: MIT
import random


def make_points(count):
    rng = random.Random(8)
    return [(rng.gauss(0, 1), rng.gauss(0, 1)) for _ in range(count)]


def centre(points):
    return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)


def distance(point, middle):
    return ((point[0] - middle[0]) ** 2 + (point[1] - middle[1]) ** 2) ** 0.5


def far_points(points):
    far, middle = [], centre(points)
    for point in points:
        if distance(point, middle) > 2.5:
            far.append(point)
    return far


def label(points):
    return "".join(f"{x:.3f},{y:.3f};" for x, y in sorted(points))


if __name__ == "__main__":
    import sys
    total = 0
    for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 8):
        total += len(label(far_points(make_points(1600))))
    print(total)
