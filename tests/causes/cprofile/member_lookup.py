"""Finds the member of each card of a day."""  # SPDX-License-Identifier: MIT
import random
import sqlite3


def make_club(count):
    db = sqlite3.connect(":memory:")
    db.execute("CREATE TABLE member (id INTEGER, card TEXT, name TEXT)")
    db.executemany("INSERT INTO member VALUES (?, ?, ?)", ((n, f"k{n * 7}", f"m{n}") for n in range(count)))
    return db


def find_member(db, card):
    return db.execute("SELECT name FROM member WHERE card = ?", (card,)).fetchone()[0]


def read_day(count, members):
    rng = random.Random(7)
    return [f"k{rng.randrange(members) * 7}" for _ in range(count)]


def visits(db, cards):
    names = {}
    for card in cards:
        name = find_member(db, card)
        names[name] = names.get(name, 0) + 1
    return names


if __name__ == "__main__":
    club = make_club(15000)
    print(len(visits(club, read_day(1200, 15000))))
