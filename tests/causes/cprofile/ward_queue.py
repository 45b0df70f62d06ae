"""Treats patients by urgency."""  # SPDX-License-Identifier: MIT
import random


def arrivals(count):
    rng = random.Random(12)
    return [(rng.randrange(1000), n) for n in range(count)]


def next_patient(waiting):
    waiting.sort(reverse=True)
    return waiting.pop()


def treat(patient):
    return sum(k * patient[0] for k in range(20)) % 11


def run_day(patients):
    waiting, done = [], []
    for n, patient in enumerate(patients):
        waiting.append(patient)
        if n % 2:
            done.append(treat(next_patient(waiting)))
    return done


if __name__ == "__main__":
    print(sum(run_day(arrivals(16000))))
