#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whether tests see a mistake: tests/mutants.py TREE [PATH...] [--count N] [--seed S]

Changes one operator, constant or return of a C file of the tree, a scratch copy, and runs `./dev try` on that file, N times. A PATH is
a file or a folder; without one, the files that the last commit or the working tree changed. Lists the changes that no test saw.

A change of which the compiler makes the same code, such as another start value of a variable that is always assigned later, is no
mistake that a test could see. Such changes are counted by themselves. The numbers of a comparator matter by their sign only, and more
memory than needed is no mistake, and of two equal values either is the larger one: these are not changed.
"""
import argparse
import functools
import json
import os
import random
import re
import shlex
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDERS = ("base", "slices", "compare", "importers", "server")
LIMIT_S = 600
SWAPS = {" == ": " != ", " != ": " == ", " < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > ", " && ": " || ", " || ": " && ", " + ": " - ", " - ": " + ",
         " * ": " / ", " / ": " * ", "? -1 : 1": "? 1 : -1", " += ": " -= ", " -= ": " += ", "++": "--", "return true;": "return false;", "return false;": "return true;"}
MUTABLE = re.compile("|".join(map(re.escape, sorted(SWAPS, key=len, reverse=True))) + r"|(?<![\w.\[])\d+(?![\w.])")
ALLOCATES = re.compile(r"\b(ps_\w*alloc\w*|PS_RESERVE\w*|TR_\w*PUSH)\([^;]*$")  # before a number in its arguments
# The larger or the smaller of two values: equal ones make no difference, so that the other one is taken instead.
EXTREME = re.compile(r"(?<![\w.>])([\w.>\[\]-]+)( [<>]=? )([\w.>\[\]-]+) \? (?:\1 : \3|\3 : \1)(?![\w.\[(-])")
OPPOSITE = {" < ": " > ", " <= ": " > ", " > ": " < ", " >= ": " < "}
# What holds no behaviour: comments, strings, characters, directives, declarations of sizes.
OPAQUE = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*|\[\w+\]|= \{[^;]*\};', re.S | re.M)


def git(*words):
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()


def files(paths):
    """The C files below these paths, relative to the root."""
    if not paths:
        paths = git("diff", "--name-only", "HEAD") or git("diff", "--name-only", "HEAD~1")
    listed = git("ls-files", "--", *paths) if paths else []
    return sorted(path for path in listed if path.endswith(".c") and path.startswith(FOLDERS))


def mutations(path):
    """(path, offset, old, new) of each place of the file that can be changed, within functions."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        text = file.read()
    visible = OPAQUE.sub(lambda match: re.sub(r"[^\n]", "\x01", match[0]), text)
    begin = visible.find("\n{")
    extremes = {match.start(2): OPPOSITE[match[2]] for match in EXTREME.finditer(visible)}
    for match in MUTABLE.finditer(visible, max(begin, 0)):
        begin_of_line = visible.rfind("\n", 0, match.start()) + 1
        line = visible[begin_of_line:visible.find("\n", match.start())]
        if match[0].isdigit() and ALLOCATES.search(visible, begin_of_line, match.start()):
            continue
        if line.startswith((" ", "\t")) and "assert" not in line:
            yield path, match.start(), match[0], extremes.get(match.start()) or SWAPS.get(match[0]) or str(int(match[0]) + 1)


@functools.cache
def compiler_calls(tree):
    """By path: the folder and the words that compile it, without debug information and without a file for the object."""
    listed = subprocess.run(["ninja", "-C", os.path.join(tree, "build"), "-t", "compdb"], capture_output=True, text=True, check=True).stdout
    calls = {}
    for row in json.loads(listed):
        if row["file"].endswith(".c") and " -c " in row["command"]:
            words = shlex.split(row["command"])
            source = os.path.relpath(os.path.join(row["directory"], row["file"]), os.path.abspath(tree))
            calls[source] = (row["directory"], words[:words.index("-MD")] + ["-g0", "-S", "-o", "-", words[-1]])
    return calls


def code_of(tree, path):
    """The assembly that the compiler makes of a file; None: it does not compile."""
    folder, words = compiler_calls(tree)[path]
    done = subprocess.run(words, cwd=folder, capture_output=True)
    return None if done.returncode else done.stdout


@functools.cache
def code_without_change(tree, path):
    return code_of(tree, path)


SEEN, SURVIVED, SAME_CODE = "seen", "SURVIVED", "same code"


def try_change(tree, path, offset, old, new):
    """None: it does not compile, which says nothing of the tests."""
    place = os.path.join(tree, path)
    with open(place, encoding="utf-8") as file:
        text = file.read()
    assert text[offset:offset + len(old)] == old, path
    unchanged = code_without_change(tree, path)
    with open(place, "w", encoding="utf-8") as file:
        file.write(text[:offset] + new + text[offset + len(old):])
    try:
        code = code_of(tree, path)
        if code is None or code == unchanged:
            return code and SAME_CODE
        done = subprocess.run(["./dev", "try", path], cwd=tree, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT_S)
        return None if b"ninja: build stopped" in done.stdout else SEEN if done.returncode else SURVIVED
    except subprocess.TimeoutExpired:
        return SEEN
    finally:
        with open(place, "w", encoding="utf-8") as file:
            file.write(text)


def main():
    options = argparse.ArgumentParser(usage=__doc__.split("\n\n")[0])
    options.add_argument("tree")
    options.add_argument("paths", nargs="*")
    options.add_argument("--count", type=int, default=10)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_intermixed_args()  # options and paths in any order
    chosen = files(given.paths)
    every = [mutation for path in chosen for mutation in mutations(path)]
    if not every:
        sys.exit(f"mutants: no C file to change below {' '.join(given.paths) or 'what was changed'}")
    random.Random(given.seed).shuffle(every)
    counts, passing = dict.fromkeys((SEEN, SURVIVED, SAME_CODE), 0), set()  # the files whose tests pass without a change
    for path, offset, old, new in every:
        if sum(counts.values()) == given.count:
            break
        result = try_change(given.tree, path, offset, old, new)
        if result is None:
            continue
        if result == SEEN and path not in passing:
            if subprocess.run(["./dev", "try", path], cwd=given.tree, stdin=subprocess.DEVNULL, capture_output=True).returncode:
                sys.exit(f"mutants: ./dev try {path} fails without a change")
            passing.add(path)
        counts[result] += 1
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            line = file.read()[:offset].count("\n") + 1
        print(f"{result:9} {path}:{line}: {old.strip()} -> {new.strip()}", flush=True)
    print(f"{counts[SEEN]} seen, {counts[SURVIVED]} survived, {counts[SAME_CODE]} with the same code, seed {given.seed}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
