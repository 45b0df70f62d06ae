import json
import random
from functools import lru_cache

TABLE = json.dumps({"r%d" % i: i / 7 for i in range(60)})


def rate_of(day):
    table = json.loads(TABLE)
    return table["r%d" % (day % 60)]


def fee(amount):
    steps = 0
    while amount > 1:
        amount *= 0.7
        steps += 1
    return steps


def convert(amount, day):
    return amount * rate_of(day) + fee(amount)


def describe(rows):
    out = []
    for row in rows:
        out.append("%8.2f %s" % (row[0], ",".join(str(x) for x in row)))
    return out


def main():
    rng = random.Random(1)
    rows = [(rng.random() * 1e6, rng.randrange(400), i) for i in range(40000)]
    total = sum(convert(a, d) for a, d, _ in rows)
    print(len(describe(rows)), len(describe(rows[::2])), round(total))


main()
