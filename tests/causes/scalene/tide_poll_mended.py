import os  # SPDX-License-Identifier: MIT
import random
import tempfile


def write_level(path, level):
    with open(path, "w") as file:
        file.write("%.3f" % level)


def read_level(path):
    with open(path) as file:
        return float(file.read())


def watch(path, n):
    rng = random.Random(1)
    high = 0.0
    for _ in range(n):
        write_level(path, rng.random())
        high = max(high, read_level(path))
    return high


def spectrum(n):
    return sum((i * i) % 97 for i in range(n))


def main():
    path = os.path.join(tempfile.mkdtemp(), "level")
    print(watch(path, 90), spectrum(9_000_000))


main()
