def clamp(value):  # SPDX-License-Identifier: MIT
    return 0 if value < 0 else 255 if value > 255 else value
def brighten(row, by):
    return [clamp(value + by) for value in row]
def page(rows, by):
    return [brighten(row, by) for row in rows]
def make(n, m):
    return [[(r * 7 + c * 3) % 256 for c in range(m)] for r in range(n)]
print(sum(map(sum, page(make(700, 1500), 40))))
