import random  # SPDX-License-Identifier: MIT
import statistics


def answers(n):
    rng = random.Random(21)
    return [(rng.randrange(16, 90), rng.choice("abcd"), rng.gauss(50, 12)) for _ in range(n)]


def by_age(rows):
    groups = {}
    for age, _, score in rows:
        groups.setdefault(age // 10, []).append(score)
    return groups


def means(groups):
    return {age: statistics.fmean(scores) for age, scores in groups.items()}


def ranked(rows):
    return sorted(rows, key=lambda row: (-row[2], row[0]))


def codes(rows):
    return ["%02d%s%03d" % (age, answer, int(score)) for age, answer, score in rows]


def main():
    for _ in range(4):
        rows = answers(200000)
        print(len(means(by_age(rows))), ranked(rows)[0], len(set(codes(rows))))


main()
