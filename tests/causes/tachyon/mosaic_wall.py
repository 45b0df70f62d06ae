import random  # SPDX-License-Identifier: MIT


def tiles(n):
    rng = random.Random(66)
    return [(rng.randrange(256), rng.randrange(256), rng.randrange(256)) for _ in range(n)]


def shade(r, g, b):
    return 0.3 * r + 0.6 * g + 0.1 * b


def nearest(colour, palette):
    best, index = 1 << 30, 0
    for i, other in enumerate(palette):
        far = (colour[0] - other[0]) ** 2 + (colour[1] - other[1]) ** 2 + (colour[2] - other[2]) ** 2
        if far < best:
            best, index = far, i
    return index


def place(rows, palette):
    return [nearest(colour, palette) for colour in rows]


def light(rows):
    return sum(shade(*colour) > 128 for colour in rows)


def cut(rows, width):
    return [rows[i:i + width] for i in range(0, len(rows), width)]


def main():
    palette = tiles(12)[:8]
    for _ in range(6):
        rows = tiles(45000)
        print(len(place(rows, palette)), light(rows), len(cut(rows, 60)))


main()
