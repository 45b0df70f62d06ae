# SPDX-License-Identifier: MIT
# file: parse/__init__.py
# file: parse/units.py
import re
NAMES = ["metre", "gram", "litre", "second", "volt"]
PREFIX = ["kilo", "milli", "mega", "micro", "nano", ""]
PATTERNS = {p + n: re.compile(rf"^\s*(?P<v>[-+]?\d+(\.\d+)?([eE][-+]?\d+)?)\s*({p}{n}s?|{p[:1]}{n[:1]})\s*(per\s+(?P<d>\w+))?(\s*#.*)?$") for p in PREFIX for n in NAMES}
def value(text):
    for name, p in PATTERNS.items():
        if m := p.match(text):
            return name, float(m["v"])
# file: main.py
from parse.units import value
print(value("3.5 kilometres"))
