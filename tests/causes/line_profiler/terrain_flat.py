"""Slope, aspect and light of a terrain patch."""
import math


def height(x, y):
    return math.sin(x / 9) * 4 + math.cos(y / 7) * 3


@profile
def shade(size):
    light = 0.0
    for x in range(size):
        for y in range(size):
            dx = height(x + 1, y) - height(x - 1, y)
            dy = height(x, y + 1) - height(x, y - 1)
            slope = math.atan(math.hypot(dx, dy) / 2) + math.sqrt(dx * dx + 1)
            aspect = math.atan2(dy, dx) + math.copysign(0.1, dx)
            light += max(0.0, math.cos(slope) * 0.7 + math.sin(slope) * math.cos(aspect - 5.5))
    return light


print(round(shade(520), 2))
