import random  # SPDX-License-Identifier: MIT


def flights(n):
    rng = random.Random(12)
    return [(rng.random() * 6.28, rng.random() * 900, rng.choice("abc")) for _ in range(n)]


def drift(angle, metres):
    wind = 0.0
    for gust in range(6):
        wind += metres * 0.01 / (gust + 1)
    return angle + wind * 0.001


def landing(angle, metres):
    return round(angle * 100), round(metres / 10)


def map_flights(rows):
    spots = {}
    for angle, metres, hive in rows:
        spot = landing(drift(angle, metres), metres)
        spots.setdefault(spot, []).append(hive)
        spots[spot].sort(key=lambda other: (other, spot))
    return spots


def hives(rows):
    counts = {}
    for _, _, hive in rows:
        counts[hive] = counts.get(hive, 0) + 1
    return counts


def lines(rows):
    return ["%s %.2f %.0f" % (hive, angle, metres) for angle, metres, hive in rows]


def main():
    for _ in range(8):
        rows = flights(70000)
        print(len(map_flights(rows)), hives(rows), len(lines(rows)))


main()
