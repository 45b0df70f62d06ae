import random  # SPDX-License-Identifier: MIT
def plants(n):
    rng = random.Random(9)
    return [(rng.choice("abcdefg"), rng.random() * 9, rng.random()) for _ in range(n)]
def by_bed(rows):
    beds = {}
    for bed, size, water in rows:
        beds.setdefault(bed, []).append((size, water))
    return beds
def thirst(size, water):
    need = 0.0
    for day in range(5):
        need += size * 0.1 - water * 0.05
    return need
def ranking(beds):
    out = []
    for bed, rows in beds.items():
        out.append((sum(thirst(s, w) for s, w in rows), bed))
    return sorted(out)
def labels(rows):
    return [f"{bed}-{size:.1f}" for bed, size, _ in rows]
def checks(rows):
    bad = 0
    for bed, size, water in rows:
        if size < 0.1 and water < 0.2 or bed == "z":
            bad += 1
    return bad
def main():
    for _ in range(9):
        rows = plants(30000)
        ranking(by_bed(rows)); labels(rows); checks(rows)
main()
