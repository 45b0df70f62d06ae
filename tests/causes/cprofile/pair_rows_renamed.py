"""Loads rows of a sheet, checks and sums them."""  # SPDX-License-Identifier: MIT
import csv
import io
import json


def read(text):
    return [{**row, "amount": float(row["amount"])} for row in csv.DictReader(io.StringIO(text))]


def totals(rows):
    sums = {}
    for row in rows:
        sums[row["name"]] = sums.get(row["name"], 0) + row["amount"]
    return sums


def normalise_row(row):
    row["name"] = row["name"].strip().title()
    return row


def main():
    text = "name,amount\n" + "".join(f" shop {n % 50} ,{n % 991}.25\n" for n in range(60_000))
    rows = [normalise_row(row) for row in read(text)]
    print(len(json.dumps(totals(rows))))


main()
