# SPDX-License-Identifier: MIT
"""Adds notes with the place that wrote them."""
import sys

NOTES = []


def note(text):
    caller = sys._getframe(1)
    NOTES.append((caller.f_code.co_name, caller.f_lineno, text))


def weigh(parcel):
    note(f"weigh {parcel}")
    return parcel * 7 % 31


def send(parcels):
    return sum(weigh(parcel) for parcel in range(parcels))


if __name__ == "__main__":
    print(send(2500), len(NOTES))
