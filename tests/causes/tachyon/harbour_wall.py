import random  # SPDX-License-Identifier: MIT
import time


def ships(n):
    rng = random.Random(15)
    return [(i, rng.random() * 300, rng.choice(["bulk", "tank", "box"])) for i in range(n)]


def crane_hours(length, kind):
    hours = 0.0
    for bay in range(int(length / 12)):
        hours += 1.5 if kind == "box" else 0.8
    return hours


def ask_pilot(number):
    time.sleep(0.012)
    return number % 7 != 3


def berth(rows):
    return [number for number, length, _ in rows if ask_pilot(number)]


def unload(rows):
    return sum(crane_hours(length, kind) for _, length, kind in rows)


def papers(rows):
    return "\n".join(f"{number:6}|{kind}|{length:8.2f}" for number, length, kind in rows)


def main():
    for _ in range(6):
        rows = ships(120000)
        print(unload(rows), len(papers(rows)), len(berth(rows[:60])))


main()
