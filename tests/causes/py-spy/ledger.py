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
    return [f"{day:4} {balance_on(entries, day):9}" for day in range(900)]
def main():
    entries = load(60000)
    print(len(statement(entries)))
main()
