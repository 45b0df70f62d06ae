"""In how many ways can an amount be paid."""  # SPDX-License-Identifier: MIT

COINS = (50, 20, 10, 5, 2, 1)


def ways(amount, kind):
    if amount == 0:
        return 1
    if amount < 0 or kind == len(COINS):
        return 0
    return ways(amount - COINS[kind], kind) + ways(amount, kind + 1)


def price_table(prices):
    return {price: ways(price, 0) for price in prices}


def render(table):
    return "\n".join(f"{price / 100:8.2f} {count:9d}" for price, count in sorted(table.items()))


if __name__ == "__main__":
    print(len(render(price_table(range(60, 121, 3)))))
