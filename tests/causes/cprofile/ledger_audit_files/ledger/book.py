from collections import defaultdict

from .audit import audited


class Book:
    def __init__(self):
        self.accounts = defaultdict(int)
        self.trail = []

    @audited
    def post(self, debit, credit, amount):
        self.move(debit, amount)
        self.move(credit, -amount)

    @audited
    def move(self, account, amount):
        self.accounts[account] += amount

    def balance(self):
        return sum(self.accounts.values())
