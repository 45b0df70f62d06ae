"""Word statistics of a letter archive."""
import random
import string
from collections import Counter


def make_letters(n):
    rng = random.Random(8)
    words = ["".join(rng.choices(string.ascii_lowercase, k=rng.randint(2, 9))) for _ in range(3000)]
    return [" ".join(rng.choices(words, k=120)) for _ in range(n)]


def lengths(letter):
    return [len(w) for w in letter.split()]


def longest_run(letter):
    best = run = 0
    for c in letter:
        run = run + 1 if c > "m" else 0
        if run > best:
            best = run
    return best


def vowels(letter):
    n = 0
    for c in letter:
        if c in "aeiou":
            n += 1
    return n


def initials(letter):
    return Counter(w[0] for w in letter.split())


def bigrams(letter):
    return Counter(zip(letter[::2], letter[1::2]))


def shout(letter):
    return " ".join(w.capitalize() for w in letter.split())


def rotate(letter):
    return "".join(chr((ord(c) - 84) % 26 + 97) if c != " " else c for c in letter[:140])


def main():
    out = 0
    for letter in make_letters(3200):
        out += sum(lengths(letter)) + longest_run(letter) + vowels(letter)
        out += len(initials(letter)) + len(bigrams(letter))
        out += len(shout(letter)) + len(rotate(letter))
    print(out)


main()
