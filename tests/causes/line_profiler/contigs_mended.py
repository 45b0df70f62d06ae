import random  # SPDX-License-Identifier: MIT
def reads(n):
    rng = random.Random(8)
    return ["".join(rng.choices("ACGT", k=40)) for _ in range(n)]
@profile
def distinct(sequences):
    kept = {}
    for s in sequences:
        key = min(s, s[::-1])
        if key not in kept:
            kept[key] = 1
    return kept
@profile
def gc(sequences):
    total = 0
    for s in sequences:
        total += s.count("G") + s.count("C")
    return total
@profile
def main():
    sequences = reads(9000)
    print(gc(distinct(sequences)))
main()
