import random  # SPDX-License-Identifier: MIT


def points(n):
    rng = random.Random(23)
    return [(rng.random() * 100, rng.random() * 100) for _ in range(n)]


def tile(x, y, zoom):
    scale = 1 << zoom
    return int(x / 100 * scale), int(y / 100 * scale)


def simplify(rows):
    kept = rows[:1]
    for x, y in rows[1:]:
        if abs(x - kept[-1][0]) + abs(y - kept[-1][1]) > 10:
            kept.append((x, y))
    return kept


def tiles(rows):
    found = {}
    for zoom in (3, 5, 7):
        for x, y in rows:
            key = (zoom, tile(x, y, zoom))
            found[key] = found.get(key, 0) + 1
    return found


def bounds(rows):
    xs = [x for x, _ in rows]
    ys = [y for _, y in rows]
    return min(xs), min(ys), max(xs), max(ys)


def main():
    for _ in range(8):
        rows = points(60000)
        print(len(simplify(rows)), len(tiles(rows)), bounds(rows))


main()
