# SPDX-License-Identifier: MIT
"""A nightly job with several steps of about equal cost."""
import csv
import hashlib
import io
import json
import random


def make(n):
    return [{"id": i, "name": f"item {i * 7919 % n}", "price": i * 31 % 1009 / 10} for i in range(n)]


def to_csv(rows):
    out = io.StringIO()
    writer = csv.DictWriter(out, ["id", "name", "price"])
    for row in rows:
        writer.writerow(row)
    return len(out.getvalue())


def to_json(rows):
    return sum(len(json.dumps(row)) for row in rows)


def digest(rows):
    return sum(hashlib.sha256(row["name"].encode()).digest()[0] for row in rows)


def words(rows):
    counts = {}
    for row in rows:
        for word in row["name"].split():
            counts[word] = counts.get(word, 0) + 1
    return len(counts)


def order(rows):
    return sorted(rows, key=lambda row: (row["price"], row["name"]))[0]["id"]


def sample(rows):
    rng = random.Random(1)
    return sum(rng.randrange(10) for _ in rows)


def job(n):
    rows = make(n)
    return to_csv(rows), to_json(rows), digest(rows), words(rows), order(rows), sample(rows)


if __name__ == "__main__":
    for _ in range(3):
        print(job(60_000))
