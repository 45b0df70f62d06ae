import random  # SPDX-License-Identifier: MIT
import re

DOCUMENTS = 260
WORD = re.compile(r"[a-z]+")
STOP = set("the of and to in is it for on as with".split())


def make_words(rng):
    return ["".join(rng.choice("abcdefghiklmnoprstu") for _ in range(rng.randrange(3, 9))) + rng.choice(["ing", "ed", "s", "ly", ""]) for _ in range(300)]


def make_document(words, number):
    rng = random.Random(number)
    return " ".join(rng.choice(words) for _ in range(180))


def tokens_of(text):
    return [word for word in WORD.findall(text.lower()) if word not in STOP]


def stem(word):
    for end in ("ing", "ed", "ly", "s"):
        if word.endswith(end) and len(word) - len(end) >= 3:
            return word[:-len(end)]
    return word


def count_words(tokens):
    counts = {}
    for token in tokens:
        counts[token] = counts.get(token, 0) + 1
    return counts


def add_document(index, number, counts):
    for word, count in counts.items():
        index.setdefault(word, []).append((number, count))


def weight_of(postings, n):
    return 1.0 + n / (1 + len(postings))


def score(index, words, n):
    scores = {}
    for word in words:
        postings = index.get(stem(word), [])
        weight = weight_of(postings, n)
        for number, count in postings:
            weight = weight_of(postings, n)
            scores[number] = scores.get(number, 0.0) + weight * count
    return scores


def best_of(scores, k=10):
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:k]


def snippet(text, words):
    at = min((text.find(word) for word in words if word in text), default=0)
    return text[max(0, at - 20):at + 40]


def main():
    rng = random.Random(3)
    words = make_words(rng)
    documents = [make_document(words, number) for number in range(DOCUMENTS)]
    index = {}
    for number, text in enumerate(documents):
        add_document(index, number, count_words([stem(token) for token in tokens_of(text)]))
    found = 0
    for query in range(DOCUMENTS):
        asked = rng.sample(words, 3)
        for number, _ in best_of(score(index, asked, len(documents))):
            found += len(snippet(documents[number], asked))
    print(found, len(index))


if __name__ == "__main__":
    main()
