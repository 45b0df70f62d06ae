"""Splits a query language into tokens and counts them."""  # SPDX-License-Identifier: MIT
import re
from collections import Counter

PATTERN = re.compile(r"\s*(?:(\d+)|([a-z_]+)|(.))")


def tokens(text):
    while text:
        match = PATTERN.match(text)
        if match is None:
            return
        yield match.lastgroup or match.lastindex, match.group().strip()
        text = text[match.end():]


def nested(items):
    depth = 0
    for kind, word in items:
        depth += (word == "(") - (word == ")")
        yield depth, kind, word


def main():
    text = "select total_sum ( amount * 12 ) from orders where ( age > 30 ) ; " * 6000
    counts = Counter(word for depth, kind, word in nested(tokens(text)) if depth < 3)
    print(counts.most_common(3))


main()
