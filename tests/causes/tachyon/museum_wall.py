import random  # SPDX-License-Identifier: MIT


def visits(n):
    rng = random.Random(31)
    return [(rng.randrange(9, 18), rng.randrange(60), rng.choice(["adult", "child", "group"])) for _ in range(n)]


def busy(rows):
    hours = {}
    for hour, minute, _ in rows:
        hours.setdefault(hour, []).append(minute)
    return {hour: sorted(minutes) for hour, minutes in hours.items()}


def income(rows):
    total = 0.0
    for hour, _, kind in rows:
        price = 12.0 if kind == "adult" else 5.0 if kind == "child" else 40.0
        total += price * 0.8 if hour > 16 else price
    return total


def tickets(rows):
    return [f"{kind}-{hour:02}{minute:02}" for hour, minute, kind in rows]


def queue_length(rows):
    waiting = longest = 0
    for hour, minute, kind in rows:
        waiting = max(0, waiting + (3 if kind == "group" else 1) - (minute % 4))
        longest = max(longest, waiting)
    return longest


def main():
    for _ in range(8):
        rows = visits(90000)
        print(len(busy(rows)), income(rows), len(tickets(rows)), queue_length(rows))


main()
