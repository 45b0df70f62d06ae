import collections  # SPDX-License-Identifier: MIT
import math


class Index:
    def __init__(self):
        self.words = collections.defaultdict(set)

    @profile
    def add(self, number, text):
        for word in self.split(text):
            self.words[word].add(number)

    @profile
    def split(self, text):
        return [w.strip(".,") for w in text.lower().split()]

    def find(self, *words):
        sets = sorted((self.words[w] for w in words), key=len)
        return set.intersection(*sets)


@profile
def rank(index, numbers, word):
    idf = math.log(5000 / len(index.words[word]))
    return sorted(numbers, key=lambda n: (n * 7919 % 13) * idf)[:10]


@profile
def search(index, n):
    out = 0
    for i in range(n):
        a, b = f"w{i % 40}", f"w{i % 17}"
        out += len(rank(index, index.find(a, b), a))
    return out


def main():
    index = Index()
    for i in range(5000):
        index.add(i, " ".join(f"W{(i * k) % 90}," for k in range(1, 20)))
    print(search(index, 400))


main()
