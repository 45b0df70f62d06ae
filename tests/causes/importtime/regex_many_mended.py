# SPDX-License-Identifier: MIT
# file: lint/__init__.py
# file: lint/rules.py
import re
WORDS = [f"word{i}" for i in range(250)]
import functools
@functools.cache
def all_rules():
    return [re.compile(rf"\b(?P<a>{w}|{w[::-1]})\s*[=:]\s*(?P<v>[^;#\n]+?)\s*(?:#.*)?$", re.M) for w in WORDS]
def __getattr__(name):
    return all_rules()
# file: lint/files.py
import pathlib
def sources(folder):
    return sorted(pathlib.Path(folder).glob("*.py"))
# file: lint/main.py
import argparse
from lint import files, rules
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    if parser.parse_args().check:
        for path in files.sources("."):
            for rule in rules.RULES:
                rule.search(path.read_text())
    else:
        print(len(files.sources(".")), "files")
# file: main.py
from lint.main import main
main()
