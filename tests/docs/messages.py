#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lists every text that a user may read, for review: messages of the program, labels of the page, paragraphs of the documentation.

    messages.py                       all messages and labels: file:line: text
    messages.py --draw 80 60 30 SEED  so many messages, labels and paragraphs, drawn at random

A message is a string literal of the program's C code or of a statement in schema/queries with two words or more, adjacent
literals of C joined; SQL and formats without words are left out. Of the help texts each line is one. A label is a text, title, placeholder or the like in the TypeScript of the page (web/test/labels.mjs).
"""
import argparse
import os
import random
import re
import subprocess
import sys

import markdown

HELP = os.path.join("server", "cli", "help")
QUERIES = os.path.join("schema", "queries")
LITERAL = re.compile(r"'((?:[^']|'')*)'")
FOLDERS = ("base", "compare", "importers", "schema", "server", "slices")
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|#[^\n]*(?:\\\n[^\n]*)*|\s+|.', re.S)
SQL = re.compile(r"\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|PRAGMA|ATTACH|DETACH|WITH|BEGIN|COMMIT|ROLLBACK|VACUUM|SAVEPOINT|RELEASE|FROM|WHERE|"
                 r"AND|OR|ORDER|GROUP|JOIN|LEFT|UNION|VALUES|SET|ON|LIMIT|EXCEPT|RETURNING|EXPLAIN|LOCK|COPY)\b|.*\b(?:FROM|WHERE|VALUES|ORDER BY|LIMIT) [\w(?]")
ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "'": "'"}


def unescape(literal):
    return re.sub(r"\\(.)", lambda match: ESCAPES.get(match[1], match[0]), literal[1:-1])


def literals(text):
    """(line, text) of each string literal of C, adjacent ones as one."""
    line, joined, began = 1, "", 0
    for match in TOKEN.finditer(text):
        token = match[0]
        if token.startswith('"'):
            began = began or line
            joined += unescape(token)
        elif joined and not token.isspace() and not token.startswith(("//", "/*")):
            yield began, joined
            joined, began = "", 0
        line += token.count("\n")


def is_message(text):
    words = re.findall(r"[A-Za-z]{2,}", re.sub(r"%[-+0-9.*]*[a-z]+", "", text))
    return len(words) > 1 and " " in text.strip() and not SQL.match(text)


def messages():
    for top in FOLDERS:
        for folder, _, names in os.walk(os.path.join(markdown.ROOT, top)):
            for name in sorted(names):
                path = os.path.relpath(os.path.join(folder, name), markdown.ROOT)
                if name.endswith((".c", ".h")):
                    for line, text in literals(markdown.read(path)):
                        if is_message(text):
                            yield f"{path}:{line}", text
                elif path.startswith(QUERIES):
                    for line, row in enumerate(markdown.read(path).splitlines(), 1):
                        for text in LITERAL.findall(row if not row.startswith("--") else ""):
                            if is_message(text):
                                yield f"{path}:{line}", text
                elif path.startswith(HELP) and name.endswith(".txt"):
                    for line, text in enumerate(markdown.read(path).splitlines(), 1):
                        if is_message(text):
                            yield f"{path}:{line}", text.strip()


def labels():
    done = subprocess.run(["node", os.path.join(markdown.ROOT, "web", "test", "labels.mjs")], capture_output=True, text=True, check=True)
    for row in done.stdout.splitlines():
        place, _, text = row.partition("\t")
        yield place, text


def paragraphs():
    for path in markdown.pages():
        number, part = 0, []
        for n, line in enumerate([*markdown.without_blocks(markdown.read(path)), ""], 1):
            if line.strip() and not line.startswith(("#", "|", "<")):
                number = number or n
                part.append(line.strip())
            elif part:
                text = " ".join(part)
                if len(text.split()) > 5:
                    yield f"{path}:{number}", text
                number, part = 0, []


def show(rows):
    for place, text in rows:
        print(f"{place}: {' / '.join(text.strip().split(chr(10)))}")


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--draw", nargs=4, type=int, metavar=("MESSAGES", "LABELS", "PARAGRAPHS", "SEED"))
    draw = options.parse_args().draw
    if not draw:
        show(sorted({*messages()}))
        show(sorted({*labels()}))
        return 0
    rng = random.Random(draw[3])
    for title, source, count in zip(("Messages", "Labels", "Paragraphs"), (messages, labels, paragraphs), draw):
        rows = sorted({*source()})
        print(f"# {title}: {min(count, len(rows))} of {len(rows)}")
        show(rng.sample(rows, min(count, len(rows))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
