# SPDX-License-Identifier: MIT
# file: corpus/__init__.py
# file: corpus/stop.py
import itertools
LETTERS = frozenset("abcdefgh")
def is_stop(w):
    return len(w) == 6 and set(w) <= LETTERS
# file: corpus/stem.py
import re
RULES = [re.compile(r"(.+)(%s)$" % s) for s in ("ing", "ed", "s")]
def stem(w):
    for r in RULES:
        m = r.match(w)
        if m:
            return m[1]
    return w
# file: main.py
import json
from corpus.stem import stem
from corpus.stop import is_stop
print(json.dumps([stem("walking"), is_stop("abcabc")]))
