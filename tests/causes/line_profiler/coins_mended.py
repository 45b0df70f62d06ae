from functools import cache


@cache
def ways(coins, amount):
    if amount == 0:
        return 1
    if amount < 0 or not coins:
        return 0
    return ways(coins, amount - coins[0]) + ways(coins[1:], amount)


def main():
    print(sum(ways((50, 20, 10, 5, 2, 1), n) for n in (40, 55, 70)))


main()
