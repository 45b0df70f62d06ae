# SPDX-License-Identifier: MIT
"""Counts the ways to pay an amount."""
import functools

COINS = (200, 100, 50, 20, 10, 5, 2, 1)


@functools.cache
def ways(amount, coin=0):
    if amount == 0:
        return 1
    if amount < 0 or coin == len(COINS):
        return 0
    return ways(amount - COINS[coin], coin) + ways(amount, coin + 1)


def table(amounts):
    return {amount: ways(amount) for amount in amounts}


if __name__ == "__main__":
    print(table(range(60, 195, 15)))
