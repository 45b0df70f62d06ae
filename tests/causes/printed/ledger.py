# SPDX-License-Identifier: MIT
"""Sums accounts; the balance is found by a search of all bookings."""


def balance(account, bookings):
    return sum(amount for name, amount in bookings if name == account)


def statement(accounts, bookings):
    return {account: balance(account, bookings) for account in accounts}


def main():
    accounts = [f"a{i}" for i in range(300)]
    bookings = [(f"a{i % 300}", i % 17) for i in range(9000)]
    print(len(statement(accounts, bookings)))


main()
