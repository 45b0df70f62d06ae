import random


def read_words(n):
    rng = random.Random(2)
    return ["w%d" % rng.randrange(n) for _ in range(n)]


def known_words(words):
    return set(words[:6000:11])


def clean(word):
    return word.strip().lower().replace("w", "v")


def count_known(words, known):
    hits = 0
    for word in words:
        if word in known:
            hits += 1
    return hits


def tally(words):
    counts = {}
    for word in words:
        key = clean(word)
        counts[key] = counts.get(key, 0) + 1
    return counts


def longest(counts):
    best = ""
    for key in counts:
        if len(key) > len(best) or counts[key] > counts.get(best, 0):
            best = key
    return best


def main():
    words = read_words(150000)
    known = known_words(words)
    for _ in range(6):
        counts = tally(words)
        best = longest(counts)
    print(count_known(words[:40000], known), len(counts), best)


main()
