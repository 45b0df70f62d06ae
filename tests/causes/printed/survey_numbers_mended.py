"""Reads the numbers of a survey with many empty answers."""  # SPDX-License-Identifier: MIT
import random
import traceback


def make_answers(count):
    rng = random.Random(16)
    return [rng.choice(["", "none", "?", str(rng.randrange(100))]) for _ in range(count)]


def read_number(answer, errors):
    if not answer.isdigit():
        errors.append("no number")
        return None
    try:
        return int(answer)
    except ValueError:
        errors.append("no number")
        return None


def mean(numbers):
    found = [n for n in numbers if n is not None]
    return sum(found) / len(found)


def read_survey(answers):
    errors = []
    numbers = [read_number(answer, errors) for answer in answers]
    return mean(numbers), len(errors)


if __name__ == "__main__":
    print(read_survey(make_answers(20000)))
