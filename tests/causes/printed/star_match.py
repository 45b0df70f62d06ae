import math, random  # SPDX-License-Identifier: MIT
random.seed(3)
def catalogue(n):
    return [(random.uniform(0, 20), random.uniform(-10, 10)) for _ in range(n)]
def separation(a, b):
    return math.hypot(a[0] - b[0], a[1] - b[1])
def nearest(star, others):
    return min(others, key=lambda other: separation(star, other))
def match(seen, known):
    return [nearest(star, known) for star in seen]
def main():
    print(len(match(catalogue(1400), catalogue(4000))))
main()
