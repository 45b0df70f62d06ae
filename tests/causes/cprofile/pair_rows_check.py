"""Loads rows of a sheet, checks and sums them."""  # SPDX-License-Identifier: MIT
import csv
import io
import json


def read(text):
    return [{**row, "amount": float(row["amount"])} for row in csv.DictReader(io.StringIO(text))]


def clean(row):
    row["name"] = row["name"].strip().title()
    return row


def check(row, known):
    if row["name"] not in known:
        raise ValueError(row["name"])
    return row


def totals(rows):
    sums = {}
    for row in rows:
        sums[row["name"]] = sums.get(row["name"], 0) + row["amount"]
    return sums


def main():
    text = "name,amount\n" + "".join(f" shop {n % 50} ,{n % 991}.25\n" for n in range(60_000))
    known = [f"Shop {n}" for n in range(899, -1, -1)]
    rows = [check(clean(row), known) for row in read(text)]
    print(len(json.dumps(totals(rows))))


main()
