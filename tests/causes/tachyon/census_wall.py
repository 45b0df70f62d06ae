import random  # SPDX-License-Identifier: MIT


def people(n):
    rng = random.Random(55)
    return [(rng.randrange(100), rng.randrange(40), rng.choice("mfx")) for _ in range(n)]


def pyramid(rows):
    bands = {}
    for age, _, sex in rows:
        key = (age // 5, sex)
        bands[key] = bands.get(key, 0) + 1
    return bands


def districts(rows):
    found = {}
    for age, district, _ in rows:
        found.setdefault(district, []).append(age)
    return {d: sorted(ages)[len(ages) // 2] for d, ages in found.items()}


def dependency(rows):
    young = old = middle = 0
    for age, _, _ in rows:
        if age < 15:
            young += 1
        elif age > 64:
            old += 1
        else:
            middle += 1
    return (young + old) / middle


def forms(rows):
    return [f"{district:02}-{age:03}-{sex}" for age, district, sex in rows]


def main():
    for _ in range(5):
        rows = people(220000)
        print(len(pyramid(rows)), len(districts(rows)), dependency(rows), len(forms(rows)))


main()
