# SPDX-License-Identifier: MIT
# file: main.py
from lab import load
print(load.rows(20))
# file: lab/__init__.py
"""The laboratory package."""
from . import load


def __getattr__(name):
    if name == "plots":
        import importlib
        return importlib.import_module("lab.plots")
    raise AttributeError(name)
# file: lab/load.py
import csv
import io


def rows(count):
    return len(list(csv.reader(io.StringIO("a;b\n" * count))))
# file: lab/plots.py
import networkx as nx


def draw(edges):
    return nx.spring_layout(nx.Graph(edges))
