import random
import re


def score(text, weights):
    total = 0
    for i, ch in enumerate(text):
        total += weights[i % 7] * ord(ch)
    return total


def tokens(text):
    return [t for t in re.split(r"[ ,.]+", text) if t]


def rank(documents, weights):
    ranked = []
    for text in documents:
        best = 0
        for attempt in range(3):
            best = max(best, score(text, weights) + attempt)
        ranked.append((best, len(tokens(text))))
    ranked.sort()
    return ranked


def summary(ranked):
    lines = []
    for best, n in ranked:
        lines.append(f"{best:>12} {n:>4}")
    return "\n".join(lines)


def histogram(documents):
    counts = {}
    for text in documents:
        for ch in text:
            counts[ch] = counts.get(ch, 0) + 1
    return counts


def main():
    rng = random.Random(5)
    documents = [" ".join(rng.choice(["red", "blue", "green", "wide"]) for _ in range(30)) for _ in range(6000)]
    ranked = rank(documents, [3, 1, 4, 1, 5, 9, 2])
    print(len(summary(ranked)), len(histogram(documents)))


main()
