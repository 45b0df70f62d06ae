# SPDX-License-Identifier: MIT
"""Counts ways by a recursion without memory."""


def ways(n):
    if n < 2:
        return 1
    return ways(n - 1) + ways(n - 2)


def main():
    print([ways(n) for n in range(24, 28)])


main()
