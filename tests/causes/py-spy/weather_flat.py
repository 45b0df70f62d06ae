import math, random  # SPDX-License-Identifier: MIT
def parse(lines):
    out = []
    for line in lines:
        station, t, h = line.split(";")
        out.append((station, float(t), float(h)))
    return out
def dew(rows):
    out = []
    for station, t, h in rows:
        g = math.log(h / 100) + 17.62 * t / (243.12 + t)
        out.append((station, 243.12 * g / (17.62 - g)))
    return out
def group(rows):
    of = {}
    for station, d in rows:
        of.setdefault(station, []).append(d)
    return of
def smooth(values):
    out, last = [], values[0]
    for v in values:
        last = 0.9 * last + 0.1 * v
        out.append(last)
    return out
def encode(values):
    return ",".join([f"{v:.1f}" for v in values])
def histogram(rows):
    counts = [0] * 60
    for _, t, _ in rows:
        counts[int(t) + 10] += 1
    return counts
def main():
    rng = random.Random(5)
    lines = [f"s{i % 40};{rng.uniform(-5, 30):.2f};{rng.uniform(20, 99):.1f}" for i in range(70000)]
    for _ in range(12):
        rows = parse(lines)
        histogram(rows)
        for station, values in group(dew(rows)).items():
            encode(smooth(values))
main()
