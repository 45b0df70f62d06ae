"""Loads vehicles onto ferries by their booking."""  # SPDX-License-Identifier: MIT
import random


BY_CODE = {}


def make_bookings(count):
    rng = random.Random(11)
    return [(f"B{i:05}", rng.randrange(3, 19)) for i in range(count)]


def length_of(lengths, code):
    return lengths.get(code, 0)


def load_ferry(bookings, codes, room):
    loaded, lengths = [], BY_CODE or BY_CODE.update(bookings) or BY_CODE
    for code in codes:
        metres = length_of(lengths, code)
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
