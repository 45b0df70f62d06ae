# SPDX-License-Identifier: MIT
# file: main.py
import csv
import io
def read(text):
    return list(csv.DictReader(io.StringIO(text)))
def report(rows):
    counts = {}
    for row in rows:
        counts[row["city"]] = counts.get(row["city"], 0) + 1
    return counts
print(report(read("city,n\nOslo,1\nOslo,2\nRome,3\n")))
