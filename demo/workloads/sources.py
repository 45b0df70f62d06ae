# SPDX-License-Identifier: MIT
"""Reads part of the standard library three ways: tokenize, ast, and counting names; writes JSON."""
import ast
import collections
import io
import json
import pathlib
import tokenize


class Counter(ast.NodeVisitor):
    def __init__(self):
        self.calls = collections.Counter()
        self.depth = self.deepest = 0

    def generic_visit(self, node):
        self.depth += 1
        self.deepest = max(self.deepest, self.depth)
        super().generic_visit(node)
        self.depth -= 1

    def visit_Call(self, node):
        self.calls[type(node.func).__name__] += 1
        self.generic_visit(node)


def comments_of(source):
    words = tokenize.generate_tokens(io.StringIO(source).readline)
    return sum(word.type == tokenize.COMMENT for word in words)


def report_on(path):
    source = path.read_text(encoding="utf-8")
    counter = Counter()
    counter.visit(ast.parse(source))
    return {"file": path.name, "comments": comments_of(source), "deepest": counter.deepest, "calls": counter.calls}


def main():
    folder = pathlib.Path(json.__file__).parent.parent
    reports = [report_on(folder / name) for name in ("argparse.py", "dataclasses.py", "json/decoder.py", "textwrap.py")]
    print(len(json.dumps(reports, indent=2, sort_keys=True)))


main()
