"""Writes an audit line for each booking."""  # SPDX-License-Identifier: MIT
import os
import tempfile


def make_bookings(count):
    return [{"id": n, "user": f"u{n % 40}", "amount": n * 3 % 1000} for n in range(count)]


def write_audit(out, booking):
    out.write(f"{booking['id']};{booking['user']};{booking['amount']}\n")


def check(booking):
    return sum(ord(c) for c in booking["user"] * 4) % 7 != booking["amount"]


def book_all(path, bookings):
    done = 0
    with open(path, "a", encoding="utf-8") as out:
        for booking in bookings:
            if check(booking):
                write_audit(out, booking)
                done += 1
    return done


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        print(book_all(os.path.join(folder, "audit.csv"), make_bookings(25000)))
