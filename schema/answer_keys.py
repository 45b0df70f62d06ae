#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the descriptions of answers (answers.py) with the C code: every endpoint is described, and every key that the code writes.

usage: answer_keys.py [STAMP]    prints each difference; without any it writes the empty file STAMP

A file in C writes a key if it passes the literal to ps_json_key(), or to a function that passes its parameter on as a key, or if the
literal is part of JSON in a string. Each such key has to be one of the types whose `written by` names the file. The other way round, a
key of a type has to be a literal in one of these files.
"""
import glob
import os
import re
import sys

import row_types
from answers import ROOT, Answers, Wrong

STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


class Code:
    """The text of the files in C that answer, and which keys they write."""

    def __init__(self, root):
        self.texts, self.defined = {}, {}
        for folder in ("server/query", "server/api"):
            for path in glob.glob(os.path.join(root, folder, "**", "*.[ch]"), recursive=True):
                self.texts[os.path.relpath(path, root)] = without_comments(row_types.read(path))
        for path in glob.glob(os.path.join(root, "schema", "queries", "*.sql")):
            self.texts[os.path.relpath(path, root)] = row_types.read(path)
        bodies = [(path, *found) for path, text in self.texts.items() for found in functions(text)]
        for path, name, is_static, _, _ in bodies:
            self.defined[path if is_static else None, name] = None
        for text in self.texts.values():
            self.defined.update({(None, name): 1 for name in re.findall(r"\b(ps_json_key\w*)\(", text)})
        found = True
        while found:  # functions that call functions that were found in the last round
            found = False
            for path, name, is_static, names, body in bodies:
                place = (path if is_static else None, name)
                argument = next((word for word in self.passed(path, body) if word in names), None)
                if self.defined[place] is None and argument:
                    self.defined[place], found = names.index(argument), True

    def passed(self, path, text):
        """What is passed on as a key in a part of a file."""
        for match in re.finditer(r"\b(\w+)\(", text):
            index = self.defined[path, match[1]] if (path, match[1]) in self.defined else self.defined.get((None, match[1]))
            given = arguments(text, match.end()) if index is not None else []
            if index is not None and index < len(given):
                yield given[index]

    def written(self, path):
        text = self.texts[path]
        keys = {key for argument in self.passed(path, text) for key in STRING.findall(argument)}
        return keys | set(re.findall(r'\\"(\w+)\\":', without_messages(text)))

    def mentioned(self, path):
        text = self.texts[path]
        if path.endswith(".sql"):
            return set(re.findall(r"\w+", text))
        return set(STRING.findall(text)) | set(re.findall(r'\\"(\w+)\\"', text))


def without_comments(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def without_messages(text):
    """The text without the strings of errors, which show JSON that the server reads."""
    for message in {given for call in re.finditer(r"\bps_fail\(", text) for given in arguments(text, call.end()) if '"' in given}:
        text = text.replace(message, "")
    return text


def functions(text):
    """(name, whether it is static, its parameters, its body) of the functions that a file defines."""
    for match in re.finditer(r"^(?!#)([A-Za-z][^;{}()=]*?)\b(\w+)\(([^;{}]*?)\)\s*\n\{", text, re.M):
        end = text.find("\n}", match.end())
        names = [re.split(r"[\s*]+", part.strip())[-1].removesuffix("[]") for part in match[3].split(",")]
        yield match[2], match[1].startswith("static "), names, text[match.end():end if end >= 0 else len(text)]


def arguments(text, at):
    given, depth, start, i = [], 0, at, at
    while i < len(text):
        char = text[i]
        if char == '"':
            i = STRING.match(text, i).end()
            continue
        if char in ",)" and depth == 0:
            given.append(text[start:i].strip())
            start = i + 1
            if char == ")":
                break
        depth += {"(": 1, "{": 1, "[": 1, ")": -1, "}": -1, "]": -1}.get(char, 0)
        i += 1
    return given


def endpoints_of(root):
    """{(method, path): the statements that it may answer with} of the code: views, PS_READS and the routes."""
    found = {}

    def read(*path):
        return without_comments(row_types.read(root, *path))

    for path, name, flags in re.findall(r'READ\("([^"]+)", (\w+), ([^)]*)\)', read("server/query/reads.h")):
        if name != "view":
            found.setdefault(("GET", path), set())
    texts = [read(path) for path in sorted(glob.glob("server/query/*.c", root_dir=root))]
    views = next(match[1] for match in (re.search(r"struct ps_view views\[\] = \{\n(.*?)\n\};", text, re.S) for text in texts) if match)
    for path, statement in re.findall(r'\{[^{}"]*"([^"]+)",\s*\w+,\s*(?:NULL|"(\w+)")', views):
        found.setdefault(("GET", f"runs/{{run}}/{path}"), set()).update({statement} - {""})
    for method, api, path in re.findall(r'\{"([A-Z]+)", (API )?"([^"]+)"', read("server/api/routes.c")):
        found.setdefault((method, path if api else path), set())
    return found


def bare(endpoint):
    """An endpoint without the names of the segments of its path."""
    return endpoint[0], re.sub(r"\{\w*\}", "{}", endpoint[1])


def endpoint_errors(described, root):
    coded = endpoints_of(root)
    by_bare = {bare(endpoint): answer for endpoint, answer in described.endpoints.items()}
    for endpoint, statements in coded.items():
        form, of, place = by_bare.get(bare(endpoint), (None, None, None))
        words = " ".join(endpoint)
        if form is None:
            yield f"{words} has no description: schema/answers/*.answers needs a line `{words}: ...`"
        elif statements and (form != "table" or set(of) != statements):
            yield f"{place}: {words} answers rows of {' | '.join(sorted(statements))}: write `table {' | '.join(sorted(statements))}`"
        elif form == "table" and not statements:
            yield f"{place}: {words} answers no rows of a statement"
    known = {bare(endpoint) for endpoint in coded}
    for endpoint, (_, _, place) in described.endpoints.items():
        if bare(endpoint) not in known:
            yield f"{place}: there is no endpoint {' '.join(endpoint)}"


def summary_errors(described, root):
    kinds = set(re.findall(r'\.name = "([\w-]+)"', row_types.read(root, "importers/kinds.c")))
    for kind in sorted(kinds - set(described.summaries)):
        yield f"the summary of {kind} has no description: schema/answers/*.answers needs a line `summary {kind}: ...`"
    for kind in sorted(set(described.summaries) - kinds):
        yield f"{described.summaries[kind][1]}: importers/kinds.c has no kind {kind}"


def key_errors(described, code):
    allowed = {}
    for named in described.types.values():
        names = {name for key in described.keys(named) for name in nested(key)} | {name for type_ in [named.alias] if type_ for name in nested_in(type_)}
        for path in named.writers:
            if path not in code.texts:
                yield f"{named.where}: there is no file {path}"
            allowed.setdefault(path, set()).update(names)
        present = set().union(*(code.mentioned(path) for path in named.writers if path in code.texts))
        own = {name for key in named.own_keys for name in nested(key)} if named.writers else set()
        for name in sorted(own - present - {"*"}):
            yield f"{named.where}: {named.name}.{name} is described, but {', '.join(named.writers)} has no such literal"
    for path, names in allowed.items():
        for name in sorted(code.written(path) - names) if path in code.texts else ():
            yield f"{path}: writes the key {name}, which no type that is `written by` this file has"
    for path in sorted(set(code.texts) - set(allowed)):
        if path.endswith(".c") and code.written(path):
            yield f"{path}: writes keys, and no `written by` names it"


def nested(key):
    """The name of a key, and of the keys of objects in its type."""
    return {key.name} | nested_in(key.type)


def nested_in(type_):
    return {name for member in type_.members for name in nested_in(member)} | {name for key in type_.keys for name in nested(key)}


def errors(described, root):
    return [*endpoint_errors(described, root), *summary_errors(described, root), *key_errors(described, Code(root))]


def main(stamp=None):
    try:
        found = errors(Answers(), ROOT)
    except Wrong as err:
        sys.exit(str(err))
    if found:
        sys.exit("\n".join(found))
    if stamp:
        with open(stamp, "w", encoding="utf-8"):
            pass


if __name__ == "__main__":
    main(*sys.argv[1:])
