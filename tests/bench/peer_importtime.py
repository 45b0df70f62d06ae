#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""peer_importtime.py LOG: what a viewer in Python has to do with an import log before its page can be drawn.

A regular expression on each line, a tree from the indents, the tree as JSON. tuna does the same and is used instead
where it is installed.
"""
import json
import re
import sys

ROW = re.compile(r"^import time:\s+(-?\d+) \|\s+(-?\d+) \|(\s+)(.*)$")


def tree_of(path):
    pending = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            found = ROW.match(line)
            if not found:
                continue
            depth = (len(found[3]) - 1) // 2
            node = {"text": [found[4]], "value": int(found[1]) * 1e-6, "children": pending.pop(depth + 1, [])}
            pending.setdefault(depth, []).append(node)
    return {"text": ["main"], "children": pending.get(0, [])}


def main():
    sys.setrecursionlimit(100_000)
    try:
        from tuna._import_profile import read_import_profile as read
    except ImportError:
        read = tree_of
    json.dumps(read(sys.argv[1]))


main()
