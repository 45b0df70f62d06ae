# SPDX-License-Identifier: MIT
"""Reads a limit from the settings for each order."""
import configparser
import os


def write(path):
    with open(path, "w") as out:
        for i in range(30):
            out.write(f"[section{i}]\nlimit = {i * 10}\nname = s{i}\n")


def limit_of(path, region):
    settings = configparser.ConfigParser()
    settings.read(path)
    return settings.getint(f"section{region}", "limit")


def check(path, orders):
    return sum(amount > limit_of(path, amount % 30) for amount in range(orders))


if __name__ == "__main__":
    write("limits.ini")
    print(check("limits.ini", 2500))
    os.unlink("limits.ini")
