import math  # SPDX-License-Identifier: MIT
CONSTITUENTS = [("M2", 1.9, 28.98), ("S2", 0.6, 30.0), ("N2", 0.4, 28.44), ("K1", 0.2, 15.04), ("O1", 0.15, 13.94)]
def nodal_factor(name, year):
    total = 1.0
    for k in range(1, 120):
        total += 0.0005 * math.sin(k * (year - 2000) / 18.6 + len(name)) / k
    return total
def height_at(hour, year):
    height = 3.1
    for name, amplitude, speed in CONSTITUENTS:
        height += amplitude * nodal_factor(name, year) * math.cos(math.radians(speed * hour))
    return height
def high_waters(year, hours):
    heights = [height_at(hour / 10, year) for hour in range(hours)]
    return [i for i in range(1, len(heights) - 1) if heights[i - 1] < heights[i] > heights[i + 1]]
print(len(high_waters(2031, 20000)))
