#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that every source file carries its licence line. Reports one result per check, not one per file."""
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDERS = ("base", "slices", "compare", "importers", "schema", "server", "tests", "web")
SKIPPED_FOLDERS = ("node_modules", "samples", "dist", "__pycache__", "shots", "regression")
SOURCE_ENDINGS = (".c", ".h", ".ts", ".tsx", ".mjs", ".py")


def sources():
    for top in FOLDERS:
        for path, folders, names in os.walk(os.path.join(ROOT, top)):
            folders[:] = [folder for folder in folders if folder not in SKIPPED_FOLDERS]
            for name in sorted(names):
                if name.endswith(SOURCE_ENDINGS):
                    yield os.path.relpath(os.path.join(path, name), ROOT)


def licence_faults(paths):
    for path in paths:
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            if "SPDX-License-Identifier: MIT" not in file.read(200):
                yield f"{path}: no SPDX line"


def main():
    paths = list(sources())
    faults = list(licence_faults(paths))
    for fault in faults:
        print(fault)
    print(f"licence lines of {len(paths)} files")
    print(f"{0 if faults else 1} passed, {1 if faults else 0} failed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
