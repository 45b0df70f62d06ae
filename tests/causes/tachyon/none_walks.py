import random  # SPDX-License-Identifier: MIT


def walk(rng, n):
    place = 0
    for _ in range(n):
        place += rng.choice((-1, 1))
    return place


def histogram(places):
    counts = {}
    for place in places:
        counts[place // 10] = counts.get(place // 10, 0) + 1
    return counts


def primes(n):
    marks = bytearray([1]) * n
    for i in range(2, int(n ** 0.5) + 1):
        if marks[i]:
            for j in range(i * i, n, i):
                marks[j] = 0
    return sum(marks[2:])


def words(n):
    rng = random.Random(2)
    return sorted("".join(rng.choices("abcdefgh", k=6)) for _ in range(n))


def main():
    rng = random.Random(9)
    print(histogram([walk(rng, 500) for _ in range(4000)]), primes(7_000_000), len(words(500_000)))


main()
