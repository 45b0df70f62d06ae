"""Scores words in worker processes."""  # SPDX-License-Identifier: MIT
from concurrent.futures import ProcessPoolExecutor


def score(word):
    return sum(ord(c) for c in word) % 97


def score_all(words):
    with ProcessPoolExecutor(2) as pool:
        futures = [pool.submit(score, word) for word in words]
        return [future.result() for future in futures]


def make_words(count):
    return [f"word{n}" * (n % 5 + 1) for n in range(count)]


def histogram(scores):
    bins = [0] * 97
    for value in scores:
        bins[value] += 1
    return bins


if __name__ == "__main__":
    print(max(histogram(score_all(make_words(12000)))))
