"""Grade a course: many small rules per answer sheet."""
import random
import statistics
from dataclasses import dataclass


@dataclass
class Sheet:
    student: int
    answers: list
    words: str


def sheets(n):
    rng = random.Random(6)
    for s in range(n):
        yield Sheet(s, [rng.randrange(5) for _ in range(40)], " ".join(str(rng.randrange(10 ** 5)) for _ in range(30)))


KEY = [(i * 3) % 5 for i in range(40)]


def correct(sheet):
    hits = 0
    for given, right in zip(sheet.answers, KEY):
        if given == right:
            hits += 1
    return hits


def streak(sheet):
    best = run = 0
    for given, right in zip(sheet.answers, KEY):
        run = run + 1 if given != right else 0
        best = max(best, run)
    return best


def vocabulary(sheet):
    return len({w for w in sheet.words.split()})


def checksum(sheet):
    c = 0
    for a in sheet.answers:
        c = (c * 31 + a) & 0xFFFF
    return c


def spread(sheet):
    mean = sum(sheet.answers) / len(sheet.answers)
    return sum((a - mean) ** 2 for a in sheet.answers)


def digits(sheet):
    return sum(c.isdigit() for c in sheet.words[:90])


def main():
    points = []
    for sheet in sheets(14000):
        points.append(correct(sheet) + streak(sheet) + vocabulary(sheet) + spread(sheet) / 40
                      + digits(sheet) / 100 + checksum(sheet) / 65536)
    print(statistics.fmean(points))


main()
