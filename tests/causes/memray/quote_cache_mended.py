"""Answers questions for prices."""  # SPDX-License-Identifier: MIT
import random


CACHE = {}


def compute(key):
    return [(key[0] * k + key[1]) % 97 for k in range(60)]


def quote(article, moment):
    key = article, 0
    if key not in CACHE:
        CACHE[key] = compute(key)
    return CACHE[key][moment % 60]


def serve(count):
    rng = random.Random(5)
    answers = 0
    for moment in range(count):
        answers += quote(rng.randrange(50), moment)
    return answers


if __name__ == "__main__":
    print(serve(60000))
