# SPDX-License-Identifier: MIT
# file: engine/__init__.py
# file: engine/rules/__init__.py
# file: engine/rules/load.py
import yaml

TEXT = "\n".join(f"- {{name: rule{i}, min: {i}, max: {i + 10}, tags: [a, b]}}" for i in range(60))


import functools


@functools.cache
def rules():
    return yaml.safe_load(TEXT)


def match(value):
    return [r["name"] for r in rules() if r["min"] <= value <= r["max"]]
# file: engine/stream.py
from engine.rules.load import match


def events(n):
    for i in range(n):
        yield i * 13 % 70


def classify(n):
    return sum(len(match(v)) for v in events(n))
# file: main.py
from engine.stream import classify

print(classify(60))
