"""Stores the rows of sensors in a database."""  # SPDX-License-Identifier: MIT
import os
import random
import sqlite3
import tempfile


def read_sensor(count):
    rng = random.Random(1)
    return [(n, rng.gauss(20, 4), f"s{n % 30}") for n in range(count)]


def store_row(db, row):
    db.execute("INSERT INTO reading VALUES (?, ?, ?)", row)


def store_all(db, rows):
    for row in rows:
        store_row(db, row)
    db.commit()


def summarise(db):
    return db.execute("SELECT sensor, avg(value) FROM reading GROUP BY sensor").fetchall()


def main():
    with tempfile.TemporaryDirectory() as folder:
        db = sqlite3.connect(os.path.join(folder, "r.db"))
        db.execute("CREATE TABLE reading (time INTEGER, value REAL, sensor TEXT)")
        store_all(db, read_sensor(1500))
        print(len(summarise(db)))


if __name__ == "__main__":
    main()
