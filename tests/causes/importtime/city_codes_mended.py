# SPDX-License-Identifier: MIT
# file: main.py
import geo
print(geo.code_of("place77"))
# file: geo/__init__.py
from .codes import code_of
# file: geo/codes.py
import hashlib
import csv
import json


def make_table():
    return {f"place{n}": hashlib.sha256(b"%d" % n).hexdigest()[:7] for n in range(150000)}


def code_of(place):
    return hashlib.sha256(place[5:].encode()).hexdigest()[:7]
