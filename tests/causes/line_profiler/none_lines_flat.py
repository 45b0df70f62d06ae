"""Measures tracks; each line costs about the same."""  # SPDX-License-Identifier: MIT
import math


@profile
def make_track(count):
    return [(math.sin(n / 9) * 80, math.cos(n / 7) * 60, n % 50) for n in range(count)]


@profile
def measure(track):
    length = climb = turn = shade = 0.0
    last = track[0]
    for point in track[1:]:
        length += math.hypot(point[0] - last[0], point[1] - last[1])
        climb += point[2] - last[2] if point[2] > last[2] else 0
        turn += math.atan2(point[1] - last[1], point[0] - last[0])
        shade += math.cos(point[0] / 30) * math.sin(point[1] / 40)
        last = point
    return length, climb, turn, shade


@profile
def main():
    print(measure(make_track(150000))[0] > 0)


if __name__ == "__main__":
    main()
