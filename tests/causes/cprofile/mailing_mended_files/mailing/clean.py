import re

ADDRESS = re.compile(r"[^@\s]+@[^@\s]+\.[a-z]{2,}$")


def normalise(address):
    return address.strip().lower()


def valid(address):
    return bool(ADDRESS.match(address))
