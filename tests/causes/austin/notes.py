# SPDX-License-Identifier: MIT
"""Adds notes with the place that wrote them."""
import inspect

NOTES = []


def note(text):
    caller = inspect.stack()[1]
    NOTES.append((caller.function, caller.lineno, text))


def weigh(parcel):
    note(f"weigh {parcel}")
    return parcel * 7 % 31


def send(parcels):
    return sum(weigh(parcel) for parcel in range(parcels))


if __name__ == "__main__":
    print(send(2500), len(NOTES))
