#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How long files and functions are. Prints the figures; fails past the hard stops:

a function of C or TypeScript over 80 lines (functions inside it are counted for themselves), a .c file over 500, a .ts or .tsx file over 350, README.md over 120, and a
source file without its SPDX line.
"""
import os
import re
import statistics
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FUNCTION_STOP = 80
FILE_STOP = {".c": 500, ".h": 500, ".ts": 350, ".tsx": 350}

# A C function as clang-format writes one: its body's braces stand alone in the first column.
C_BODY = re.compile(r"^\{\n(.*?)^\}", re.M | re.S)
# A TypeScript function or method whose closing brace stands at its own indent.
TS_BODY = re.compile(
    r"^( *)(?:export )?(?:default )?(?:async )?(?:(?:function\b[^\n]*|(?:const|let) \w+[^\n]*=> |"
    r"(?:private |public |static |get |set )*\w+\([^\n]*\)[^\n;]*))\{\n(.*?)^\1\}", re.M | re.S)


def sources():
    for top in ("base", "slices", "compare", "importers", "schema", "server", "tests", "web"):
        for path, folders, names in os.walk(os.path.join(ROOT, top)):
            folders[:] = [f for f in folders if f not in ("node_modules", "dist", "__pycache__", "shots", "regression")]
            for name in sorted(names):
                if os.path.splitext(name)[1] in (".c", ".h", ".ts", ".tsx", ".mjs", ".py", ".sql", ".css"):
                    yield os.path.relpath(os.path.join(path, name), ROOT)


def functions(path, text):
    """(line, own lines) of each function: the lines of its body without those of functions within."""
    pattern = C_BODY if path.endswith((".c", ".h")) else TS_BODY
    spans, at = [], 0
    while match := pattern.search(text, at):
        first = text.count("\n", 0, match.start()) + 1
        spans.append((first, first + match.group(0).count("\n")))
        at = text.index("\n", match.start()) + 1
    for first, last in spans:
        inner = [(a, b) for a, b in spans if first < a and b < last]
        outermost = [(a, b) for a, b in inner if not any(c < a and b < d for c, d in inner)]
        yield first, last - first - 1 - sum(b - a for a, b in outermost)


def check(path, lengths, faults):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        text = file.read()
    ending = os.path.splitext(path)[1]
    lines = text.count("\n")
    lengths.setdefault(("file", ending), []).append(lines)
    if lines > FILE_STOP.get(ending, lines):
        faults.append(f"{path}: {lines} lines; the stop is {FILE_STOP[ending]}")
    if ending not in (".sql", ".css") and "SPDX-License-Identifier: MIT" not in text[:200]:
        faults.append(f"{path}: no SPDX line")
    if ending in FILE_STOP:
        for line, length in functions(path, text):
            lengths.setdefault(("function", ending), []).append(length)
            if length > FUNCTION_STOP:
                faults.append(f"{path}:{line}: a function of {length} lines; the stop is {FUNCTION_STOP}")


def main():
    lengths, faults, paths = {}, [], list(sources())
    for path in paths:
        check(path, lengths, faults)
    readme = os.path.join(ROOT, "README.md")
    if os.path.exists(readme) and open(readme, encoding="utf-8").read().count("\n") > 120:
        faults.append("README.md: over 120 lines")
    for (what, ending), values in sorted(lengths.items()):
        if len(values) > 1:
            p90 = statistics.quantiles(values, n=10)[-1]
            print(f"{what:8} {ending:5} {len(values):5}  median {statistics.median(values):5.0f}"
                  f"  p90 {p90:5.0f}  longest {max(values):5}")
    for fault in faults:
        print(fault)
    print(f"{len(paths)} passed, {len(faults)} failed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
