# SPDX-License-Identifier: MIT
"""A command that prints the version, or draws a table."""
import sys

import pandas
import sqlalchemy


def draw(path):
    frame = pandas.read_csv(path)
    engine = sqlalchemy.create_engine("sqlite://")
    frame.to_sql("t", engine)


def version():
    return sum(len(str(i)) for i in range(200_000))


def main(argv):
    if len(argv) > 1:
        draw(argv[1])
    print(version())


if __name__ == "__main__":
    main(sys.argv)
