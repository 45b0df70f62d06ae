"""Loads vehicles onto ferries by their booking."""  # SPDX-License-Identifier: MIT
import random


def make_bookings(count):
    rng = random.Random(11)
    return [(f"B{i:05}", rng.randrange(3, 19)) for i in range(count)]


def length_of(bookings, code):
    for booking, metres in bookings:
        if booking == code:
            return metres
    return 0


def load_ferry(bookings, codes, room):
    loaded = []
    for code in codes:
        metres = length_of(bookings, code)
        if metres <= room:
            loaded.append(code)
            room -= metres
    return loaded


def checksum(loaded):
    total = 0
    for code in loaded:
        for letter in code:
            total = (total * 31 + ord(letter)) % 1_000_003
    return total


def sail(trips):
    bookings = make_bookings(4000)
    rng, total = random.Random(3), 0
    for _ in range(trips):
        codes = [booking for booking, _ in rng.sample(bookings, 60)]
        total += checksum(load_ferry(bookings, codes, 400))
    return total


if __name__ == "__main__":
    print(sail(900))
