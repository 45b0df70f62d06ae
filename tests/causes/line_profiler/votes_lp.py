import csv  # SPDX-License-Identifier: MIT
import io
import datetime


@profile
def parse(text):
    out = []
    for row in csv.DictReader(io.StringIO(text)):
        when = datetime.datetime.strptime(row["when"], "%Y-%m-%dT%H:%M:%S")
        out.append((when, row["party"], int(row["n"])))
    return out


@profile
def tally(votes):
    total = {}
    for when, party, n in votes:
        day = when.date()
        total[day, party] = total.get((day, party), 0) + n
    return total


@profile
def make(n):
    rows = ["when,party,n"]
    for i in range(n):
        rows.append(f"2026-0{i % 9 + 1}-1{i % 9}T10:{i % 60:02}:00,{'abc'[i % 3]},{i % 50}")
    return "\n".join(rows)


print(len(tally(parse(make(60000)))))
