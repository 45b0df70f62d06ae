import random  # SPDX-License-Identifier: MIT
import time


def state(lamp):
    time.sleep(0.02)
    return (lamp * 7919) % 3


def poll(lamps):
    return [state(lamp) for lamp in lamps]


def pattern(states):
    return sum(s * 3 ** (i % 20) for i, s in enumerate(states))


def main():
    rng = random.Random(1)
    lamps = [rng.randrange(1000) for _ in range(40)]
    print(sum(pattern(poll(lamps)) for _ in range(6)))


main()
