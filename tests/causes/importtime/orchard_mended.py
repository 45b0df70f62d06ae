# SPDX-License-Identifier: MIT
# file: orchard/__init__.py
from orchard import varieties, prices
# file: orchard/varieties.py
def table():
    return {(a, b): (a * 31 + b * 17) % 101 for a in range(420) for b in range(420)}
# file: orchard/prices.py
import json
PRICES = json.loads('{"apple": 3}')
# file: main.py
import orchard
print(orchard.prices.PRICES)
