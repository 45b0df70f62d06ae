import random  # SPDX-License-Identifier: MIT


def bookings(n):
    rng = random.Random(4)
    return [(rng.randrange(1000), rng.random() * 500, rng.choice("abcdef")) for _ in range(n)]


def balance(rows):
    total = {}
    for account, amount, _ in rows:
        total[account] = total.get(account, 0.0) + amount
    return total


def print_ledger(rows):
    lines = [f"{account:6} {amount:10.2f} {kind}\n" for account, amount, kind in rows]
    return "".join(reversed(lines))


def main():
    rows = bookings(40000)
    print(len(balance(rows)), len(print_ledger(rows)))


main()
