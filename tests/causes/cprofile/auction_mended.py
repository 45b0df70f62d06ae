"""Replay an auction and keep what each bidder saw."""
import random


class Lot:
    def __init__(self, number, reserve):
        self.number = number
        self.reserve = reserve
        self.bids = []

    @property
    def price(self):
        return self.bids[-1][1] if self.bids else self.reserve

    def bid(self, bidder, amount):
        if amount > self.price:
            self.bids.append((bidder, amount))
            return True
        return False


class Hall:
    def __init__(self, lots):
        self.lots = lots
        self.seen = []

    def on_bid(self, lot, bidder, amount):
        accepted = self.lots[lot].bid(bidder, amount)
        self.remember()
        return accepted

    def remember(self):
        self.seen.append(sum(l.price for l in self.lots))


def bids(count, lots, rng):
    for _ in range(count):
        yield rng.randrange(lots), f"B{rng.randrange(40)}", rng.randrange(10, 5000)


def main():
    rng = random.Random(11)
    hall = Hall([Lot(n, rng.randrange(10, 200)) for n in range(60)])
    won = sum(hall.on_bid(*b) for b in bids(2200, 60, rng))
    print(won, hall.seen[-1])


main()
