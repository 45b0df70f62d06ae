import random  # SPDX-License-Identifier: MIT
def load(n):
    rng = random.Random(3)
    return [(rng.randrange(900), rng.randrange(-500, 500)) for _ in range(n)]
def balance_on(entries, day):
    total = 0
    for when, amount in entries:
        if when <= day:
            total += amount
    return total
def statement(entries):
    sums = [0] * 900
    for when, amount in entries:
        sums[when] += amount
    total, lines = 0, []
    for day, amount in enumerate(sums):
        total += amount
        lines.append(f"{day:4} {total:9}")
    return lines
def main():
    entries = load(60000)
    print(len(statement(entries)))
main()
