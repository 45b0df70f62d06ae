import csv
import datetime
import decimal


def open_orders(path):
    with open(path, newline="") as handle:
        for row in csv.DictReader(handle):
            yield row["number"], datetime.date.fromisoformat(row["due"]), decimal.Decimal(row["amount"])
