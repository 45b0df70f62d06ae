import random
import time


def fetch(page):
    time.sleep(0.002)
    rng = random.Random(page)
    return [rng.random() for _ in range(4000)]


def mean(values):
    total = 0.0
    for v in values:
        total += v
    return total / len(values)


def spread(values):
    m = mean(values)
    return sum((v - m) ** 2 for v in values) / len(values)


def normal(values):
    low = min(values)
    high = max(values)
    return [(v - low) / (high - low) for v in values]


def main():
    out = []
    for page in range(150):
        values = fetch(page)
        for _ in range(5):
            values = normal(values)
        out.append((mean(values), spread(values)))
    print(len(out))


main()
