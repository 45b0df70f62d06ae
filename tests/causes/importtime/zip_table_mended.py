# SPDX-License-Identifier: MIT
# file: post/__init__.py
# file: post/zones.py
import re
def _zone(code):
    return sum(ord(c) * i for i, c in enumerate(f"{code:05d}")) % 17
class _Zones(dict):
    def __missing__(self, code):
        self[code] = _zone(code)
        return self[code]
ZONES = _Zones()
# file: post/label.py
import textwrap
from post.zones import ZONES
def label(name, street, code):
    return textwrap.fill(f"{name}, {street}, {code:05d} zone {ZONES[code]}", 40)
# file: main.py
import json
from post.label import label
print(json.dumps(label("A. Nilsson", "Long Road 5", 4711)))
