#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes docs/commands.md from `perfshelf help`.

    make_commands.py build/perfshelf [--check]     --check: says whether the page is up to date, writes nothing
"""
import os
import re
import subprocess
import sys

from markdown import ROOT

PAGE = os.path.join(ROOT, "docs", "commands.md")
HEAD = """# Commands

What `perfshelf help COMMAND` prints. A command ends with status 0 when it is done, 1 when something failed,
and 2 when it was used wrongly. `--json` prints JSON for programs.

"""


def help_of(program, *words):
    return subprocess.run([program, "help", *words], capture_output=True, text=True, check=True, env={**os.environ, "COLUMNS": "80"}).stdout


def groups(text):
    """(heading, [command...]) of the list of commands."""
    for block in text.split("\n\n"):
        heading, *rows = block.strip("\n").split("\n")
        names = [match[1] for row in rows if (match := re.match(r"  (\w+)  +\S", row))]
        if names and len(names) == len(rows):
            yield heading, names


def page(program):
    text = HEAD
    for heading, names in groups(help_of(program)):
        text += f"## {heading}\n\n"
        for name in names:
            text += f"### {name}\n\n```text\n{help_of(program, name).strip()}\n```\n\n"
    return text.rstrip("\n") + "\n"


def main():
    text = page(sys.argv[1])
    if "--check" not in sys.argv:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(text)
        return 0
    with open(PAGE, encoding="utf-8") as file:
        same = file.read() == text
    print("ok: docs/commands.md is what the help says" if same else "FAILED: docs/commands.md is not what the help says; run ./dev docs")
    print(f"{int(same)} passed, {int(not same)} failed")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
