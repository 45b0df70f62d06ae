"""Import meter readings into the local store."""
import csv
import sqlite3
from decimal import Decimal


class ReadingStore:
    def __init__(self, path):
        self.db = sqlite3.connect(path)
        self.db.execute("drop table if exists reading")
        self.db.execute("create table reading(meter text, hour int, kwh text)")

    def add(self, meter, hour, kwh):
        self.db.execute("insert into reading values (?, ?, ?)", (meter, hour, str(kwh)))

    def total(self):
        return sum(Decimal(k) for (k,) in self.db.execute("select kwh from reading"))

    def close(self):
        self.db.close()


def readings(path):
    with open(path, newline="") as handle:
        for row in csv.DictReader(handle):
            yield row["meter"], int(row["hour"]), Decimal(row["kwh"])


def main():
    store = ReadingStore("readings.db")
    for meter, hour, kwh in readings("readings.csv"):
        store.add(meter, hour, kwh)
    store.db.commit()
    print(store.total())
    store.close()


if __name__ == "__main__":
    main()
