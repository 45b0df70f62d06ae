import random  # SPDX-License-Identifier: MIT


def rain(r, days):
    return [max(0.0, r.gauss(2, 4)) for _ in range(days)]


def soil(water, drops):
    out = []
    for d in drops:
        water = max(0.0, min(90.0, water + d - 1.8))
        out.append(water)
    return out


def sugar(levels):
    s = 0.0
    for w in levels:
        s += 0.2 - abs(w - 40) / 400
    return s


def mould(levels):
    run = worst = 0
    for w in levels:
        run = run + 1 if w > 70 else 0
        worst = max(worst, run)
    return worst


def season(r):
    drops = rain(r, 2000)
    levels = soil(30.0, drops)
    return sugar(levels), mould(levels)


r = random.Random(6)
print(max(season(r) for _ in range(700)))
