import random  # SPDX-License-Identifier: MIT


@profile
def kmers(seq, k):
    counts = {}
    for i in range(len(seq) - k + 1):
        word = seq[i:i + k]
        counts[word] = counts.get(word, 0) + 1
    return counts


@profile
def rare(counts):
    return [w for w, n in counts.items() if n == 1]


@profile
def main():
    r = random.Random(8)
    seq = "".join(r.choice("ACGT") for _ in range(300000))
    counts = kmers(seq, 9)
    print(len(rare(counts)))


main()
