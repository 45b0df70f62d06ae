import csv


def split_fields(line):
    return next(csv.reader([line]))
