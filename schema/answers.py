#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads the descriptions of JSON answers in answers/, and writes their TypeScript types and the tables of keys in docs/api*.md.
answer_keys.py compares the descriptions with the code, tests/http/answers_http.py with answers.

usage: answers.py types FILE      writes the types
       answers.py docs [--check]  writes the tables of keys; --check: only says which are out of date

Lines of a description that are not indented:
  # TEXT                        a comment
  METHOD PATH: ANSWER           what an endpoint answers: a TYPE, `table STATEMENT | ...` (a Page of the rows of schema/queries/STATEMENT.sql),
                                `page NAME of NAME | ...` (a page, and the types of its rows as objects), `events TYPE` (server-sent
                                events with such data), or a word of NO_JSON. {NAME} in a path stands for one segment
  summary KIND, ...: NAME       the `summary` of runs of these kinds
  written by FILE, ...          the C files that write the types below, up to the next such line; or statements with their columns
  NAME [& NAME, ...]: TEXT      an object. Its keys follow, indented by 2; it has those of the types behind & too
  NAME = TYPE: TEXT             another name for a type
Keys are `KEY TYPE, KEY TYPE, ...: TEXT`: keys in one line have a description in common. KEY? may be absent. `* TYPE: TEXT` stands
for keys whose names are data. Lines that are indented by 4 or more go on.

A TYPE is a word of WORDS, "TEXT" or a number (this value alone), NAME, NAME of a row (schema/row_types.py), [TYPE] (array), (TYPE, ...)
(array with an element for each), {KEY TYPE, ...} (object), map TYPE (object with any keys), TYPE | TYPE, or TYPE? (or null).
"""
import glob
import os
import re
import sys

import row_types

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
NO_JSON = {"nothing": "204 without a body", "file": "a file", "rpc": "JSON-RPC", "refused": "always an error"}

# word: (type in TypeScript, what a value has to be, meaning)
WORDS = {
    "text": ("string", lambda v: True, "a text"),
    "time": ("string", lambda v: re.match(r"\d{4}-\d\d-\d\dT", v) is not None, "a time as text, such as `2026-03-01T12:00:00Z`"),
    "bool": ("boolean", lambda v: True, "`true` or `false`"),
    "any": ("unknown", lambda v: True, "any value"),
    "count": ("number", lambda v: is_whole(v) and v >= 0, "a whole number of things"),
    "id": ("number", lambda v: is_whole(v), "a number that names a thing"),
    "index": ("number", lambda v: is_whole(v) and v >= -1, "a position from 0; -1 means none"),
    "line": ("number", lambda v: is_whole(v) and v >= 0, "number of a line from 1; 0 means unknown"),
    "code": ("number", lambda v: is_whole(v), "a whole number that stands for a word"),
    "flag": ("number", lambda v: v in (0, 1), "1 (yes) or 0 (no)"),
    "shade": ("number", lambda v: is_whole(v) and 0 <= v <= 255, "a share as whole number, 0 to 255"),
    "share": ("number", lambda v: -1e-9 <= v <= 1 + 1e-9, "a share, 0 to 1"),
    "percent": ("number", lambda v: True, "percent, 0 to 100 for a share"),
    "number": ("number", lambda v: True, "a number without a unit, or with the unit that the answer names"),
    "whole": ("number", lambda v: is_whole(v), "the same, without decimals"),
    "ns": ("number", lambda v: True, "nanoseconds"),
    "us": ("number", lambda v: True, "microseconds"),
    "ms": ("number", lambda v: True, "milliseconds"),
    "s": ("number", lambda v: True, "seconds"),
    "us_1970": ("number", lambda v: is_whole(v), "microseconds since 1970"),
    "ms_1970": ("number", lambda v: is_whole(v), "milliseconds since 1970"),
    "bytes": ("number", lambda v: True, "bytes"),
    "MiB": ("number", lambda v: True, "MiB"),
    "MiB/s": ("number", lambda v: True, "MiB per second"),
    "bytes/s": ("number", lambda v: True, "bytes per second"),
    "GB/s": ("number", lambda v: True, "10⁹ bytes per second"),
    "FLOP": ("number", lambda v: True, "floating-point operations"),
    "TFLOP/s": ("number", lambda v: True, "10¹² floating-point operations per second"),
}
ENDINGS = {"_ns": "ns", "_ms": "ms", "_bytes": "bytes", "_mib": "MiB", "_pct": "percent"}  # of the names of keys: their unit
TOKEN = re.compile(r'\s*("[^"]*"|-?\d+(?![\w/])|[A-Za-z_][\w/-]*|[\[\](){}|?,&=*])')
HEAD = re.compile(r"(?:(?P<method>GET|POST|PUT|PATCH|DELETE) (?P<path>\S+)|summary (?P<kinds>[\w, -]+)|(?P<name>[A-Z]\w*)(?: & (?P<bases>[\w, ]+)|(?P<alias> = .*?))?): (?P<rest>.+)")
MARK = re.compile(r"(<!-- answer: (\w+) -->\n\n)((?:\|.*\n)*)")


def is_whole(value):
    return isinstance(value, int) or value == int(value)


class Wrong(Exception):
    """A description that cannot be read, or that differs from the code."""


class Type:
    """A type: its form, and by the form its word, name or value; its members; the keys of an object."""

    def __init__(self, form, of=None, members=(), keys=()):
        self.form, self.of, self.members, self.keys = form, of, list(members), list(keys)


class Key:
    def __init__(self, name, optional, type_, text=""):
        self.name, self.optional, self.type, self.text = name, optional, type_, text


class Named:
    """A type with a name: an object with groups of keys, or another name for a type."""

    def __init__(self, name, where, text, writers, bases=(), alias=None):
        self.name, self.where, self.text, self.writers, self.bases, self.alias, self.groups = name, where, text, writers, list(bases), alias, []

    @property
    def own_keys(self):
        return [key for keys, _ in self.groups for key in keys]


class Reader:
    """Reads types from the text of one line."""

    def __init__(self, text):
        self.text, self.at = text, 0

    def peek(self):
        match = TOKEN.match(self.text, self.at)
        return match[1] if match else None

    def take(self, expected=None):
        match = TOKEN.match(self.text, self.at)
        if not match or expected not in (None, match[1]):
            raise Wrong(f"expected {expected or 'a type'} at {self.text[self.at:].strip()[:30]!r}")
        self.at = match.end()
        return match[1]

    def listed(self, read, end):
        items = [read()]
        while self.peek() == ",":
            self.take()
            items.append(read())
        self.take(end)
        return items

    def type(self):
        members = [self.member()]
        while self.peek() == "|":
            self.take()
            members.append(self.member())
        return members[0] if len(members) == 1 else Type("union", members=members)

    def member(self):
        found = self.single()
        while self.peek() == "?":
            self.take()
            found = Type("union", members=[found, Type("value", None)])
        return found

    def single(self):
        token = self.take()
        if token == "[":
            found = Type("array", members=[self.type()])
            self.take("]")
        elif token == "(":
            members = self.listed(self.type, ")")
            found = members[0] if len(members) == 1 else Type("tuple", members=members)
        elif token == "{":
            found = Type("object", keys=self.listed(self.key, "}"))
        elif token == "map":
            found = Type("map", members=[self.single()])
        elif token[0] == '"':
            found = Type("value", token[1:-1])
        elif re.fullmatch(r"-?\d+", token):
            found = Type("value", int(token))
        elif token in ("true", "false", "null"):
            found = Type("value", {"true": True, "false": False, "null": None}[token])
        elif token in WORDS:
            found = Type("word", token)
        elif token[0].isupper():
            found = Type("name", token)
        else:
            raise Wrong(f"{token} is not a word of WORDS in answers.py" if token[0].isalpha() else f"expected a type, found {token!r}")
        return found

    def key(self):
        name = self.take()
        optional = self.peek() == "?" and bool(self.take())
        key = Key(name, optional, self.type())
        unit = next((unit for ending, unit in ENDINGS.items() if name.endswith(ending)), None)
        if unit and not set(words_in(key.type)) <= {unit, unit + "_1970"}:
            raise Wrong(f"{name} ends with the unit {unit}, but is {', '.join(words_in(key.type))}")
        return key

    def keys(self):
        """The keys of a line, and the text behind them."""
        found = [self.key()]
        while self.peek() == ",":
            self.take()
            found.append(self.key())
        rest = self.text[self.at:].lstrip()
        if not rest.startswith(": ") or not rest[2:].strip():
            raise Wrong(f"{found[-1].name} has no description" if not rest or rest.strip() == ":" else f"cannot read {rest[:30]!r}")
        return found, rest[2:].strip()


def words_in(type_):
    """The words that stand for a number in a type, of the keys of objects none."""
    if type_.form == "word":
        yield type_.of
    for member in type_.members:
        yield from words_in(member)


def logical_lines(path):
    """(number, indent, text) of each line, with the lines that go on."""
    lines = []
    for number, line in enumerate(row_types.read(path).split("\n"), 1):
        indent = len(line) - len(line.lstrip())
        if not line.strip() or line.startswith("#"):
            continue
        if indent >= 4 and lines:
            lines[-1][2] += " " + line.strip()
        elif indent in (0, 2):
            lines.append([number, indent, line.strip()])
        else:
            raise Wrong(f"{where(path)}:{number}: is indented by {indent}; keys are by 2, lines that go on by 4 or more")
    return lines


def where(path):
    return os.path.relpath(path, ROOT) if path.startswith(ROOT) else path


class Answers:
    """All descriptions: types by name; endpoints as {(method, path): answer}; the types of summaries by kind."""

    def __init__(self, folder=os.path.join(HERE, "answers")):
        self.types, self.endpoints, self.summaries = {}, {}, {}
        self.keys_by_name = {}  # of errors(): the keys of objects, by their names
        self.statements = row_types.all_statements()
        self.rows = {statement.type_name: statement for statement in self.statements.values() if not statement.of}
        for path in sorted(glob.glob(os.path.join(folder, "*.answers"))):
            self.read(path)
        self.check_names()

    def read(self, path):
        writers, current = [], None
        for number, indent, text in logical_lines(path):
            try:
                if indent:
                    self.read_key(current, text)
                elif text.startswith("written by "):
                    writers, current = text.removeprefix("written by ").split(", "), None
                else:
                    current = self.read_head(text, f"{where(path)}:{number}", writers)
            except Wrong as err:
                raise Wrong(f"{where(path)}:{number}: {err}") from None

    def read_head(self, text, place, writers):
        head = HEAD.fullmatch(text)
        if not head:
            raise Wrong(f"cannot read {text!r}")
        if head["path"]:
            return self.add(self.endpoints, (head["method"], head["path"]), self.answer(head["rest"]) + (place,))
        if head["kinds"]:
            for kind in head["kinds"].split(", "):
                self.add(self.summaries, kind, (head["rest"], place))
            return None
        alias = whole_type(head["alias"].removeprefix(" = ")) if head["alias"] else None
        named = Named(head["name"], place, head["rest"], writers, (head["bases"] or "").split(", ") if head["bases"] else (), alias)
        self.add(self.types, named.name, named)
        return named if alias is None else None

    @staticmethod
    def add(found, name, value):
        if name in found:
            raise Wrong(f"{' '.join(name) if isinstance(name, tuple) else name} is described twice")
        found[name] = value

    @staticmethod
    def answer(text):
        if text in NO_JSON:
            return text, None
        if text.startswith("table "):
            return "table", text.removeprefix("table ").split(" | ")
        if text.startswith("page "):
            page, _, rows = text.removeprefix("page ").partition(" of ")
            return "page", [page, *rows.split(" | ")]
        if text.startswith("events "):
            return "events", whole_type(text.removeprefix("events "))
        return "json", whole_type(text)

    @staticmethod
    def read_key(named, text):
        if named is None:
            raise Wrong("a key outside of a type")
        if text.startswith("* "):
            reader = Reader(text[2:])
            keys, rest = [Key("*", True, reader.type())], reader.text[reader.at:].lstrip()
            if not rest.startswith(": "):
                raise Wrong("* has no description")
            rest = rest[2:]
        else:
            keys, rest = Reader(text).keys()
        for key in keys:
            if key.name in {other.name for other in named.own_keys}:
                raise Wrong(f"{named.name}.{key.name} is described twice")
            key.text = rest
        named.groups.append((keys, rest))

    def check_names(self):
        """Each name that a type mentions is described, and each type is part of an answer."""
        used = set()
        for named in self.types.values():
            mentioned = set(named.bases) | {name for key in named.own_keys for name in names_in(key.type)}
            mentioned |= set(names_in(named.alias)) if named.alias else set()
            self.check_known(mentioned, named.where)
            used |= mentioned - {named.name}
        for form, of, place in self.endpoints.values():
            if form == "table":
                for name in set(of) - set(self.statements):
                    raise Wrong(f"{place}: schema/queries/{name}.sql answers no rows")
                used.add("Page")
            elif of:
                mentioned = set(of if form == "page" else names_in(of))
                self.check_known(mentioned, place)
                used |= mentioned
        for name, place in self.summaries.values():
            self.check_known({name}, place)
            used.add(name)
        for named in self.types.values():
            if named.name not in used:
                raise Wrong(f"{named.where}: no answer has a {named.name}")
            names = [key.name for key in self.keys(named)]
            for name in names:
                if names.count(name) > 1:
                    raise Wrong(f"{named.where}: {named.name}.{name} is described in {named.name} and in a type behind &")

    def check_known(self, names, place):
        for name in sorted(names - set(self.types) - set(self.rows)):
            raise Wrong(f"{place}: the type {name} is not described")

    def keys(self, named):
        """The keys of an object, with those of its bases, which may be rows."""
        return [key for base in named.bases for key in self.keys_of(base)] + named.own_keys

    def keys_of(self, name):
        if name in self.rows:
            return [Key(column, False, row_type(self.rows[name].types[column])) for column, _ in self.rows[name].declared]
        return self.keys(self.types[name])

    # --- a value and its type ---

    def answer_errors(self, endpoint, value):
        """(path, what is wrong) of each part of the answer of an endpoint, (method, path), that differs from its description."""
        form, of, _ = self.endpoints[endpoint]
        if form == "json":
            return self.errors(of, value, "answer")
        page, *names = of if form == "page" else ["Page", *(self.statements[name].type_name for name in of)]
        row = Type("union", members=[Type("name", name) for name in names])
        found = self.errors(Type("name", page), value, page)
        for cells in value["rows"]:
            found += self.errors(row, dict(zip(value["columns"], cells)), " | ".join(names))
        return found

    def errors(self, type_, value, path):
        """(path, what is wrong) of each part of a value that differs from its type."""
        form = type_.form
        if form == "union":
            lists = []
            for member in type_.members:
                lists.append(self.errors(member, value, path))
                if not lists[-1]:
                    return []
            inside = next((found for found in sorted(lists, key=len) if any(at != path for at, _ in found)), None)
            return inside or self.mismatch(type_, value, path)
        if form == "name":
            named = self.types.get(type_.of)
            if named and named.alias:
                return self.errors(named.alias, value, path)
            if type_.of not in self.keys_by_name:
                self.keys_by_name[type_.of] = {key.name: key for key in self.keys_of(type_.of)}
            return self.object_errors(self.keys_by_name[type_.of], value, path, type_)
        if form == "object":
            return self.object_errors({key.name: key for key in type_.keys}, value, path, type_)
        if form in ("value", "word"):
            return [] if is_one(type_, value) else self.mismatch(type_, value, path)
        if form == "map":
            inside = [(item, type_.members[0], f"{path}.*") for item in value.values()] if isinstance(value, dict) else None
        elif not isinstance(value, list) or form == "tuple" and len(value) != len(type_.members):
            inside = None
        elif form == "array":
            inside = [(item, type_.members[0], f"{path}[]") for item in distinct(value)]
        else:
            inside = [(item, member, f"{path}[]") for item, member in zip(value, type_.members)]
        if inside is None:
            return self.mismatch(type_, value, path)
        return [each for item, member, at in inside for each in self.errors(member, item, at)]

    def mismatch(self, type_, value, path):
        said = type_.of if type_.form == "name" else self.say(type_)
        return [(path, f"is {short(value)}, described as {said}")]

    def object_errors(self, known, value, path, type_):
        if not isinstance(value, dict):
            return self.mismatch(type_, value, path)
        found = [(f"{path}.{key.name}", "is missing") for key in known.values() if not key.optional and key.name not in value]
        for name, item in value.items():
            key = known.get(name) or known.get("*")
            found += self.errors(key.type, item, f"{path}.{name}") if key else [(f"{path}.{name}", f"is not described; it is {short(item)}")]
        return found

    # --- texts ---

    def say(self, type_, tables=(), expanded=()):
        """A type as documentation. Types with a table of their own are named, of others the keys are listed unless they are expanded."""
        if type_.form == "value":
            return spelled(type_.of, "`")
        if type_.form == "word":
            return type_.of
        if type_.form == "name":
            named = self.types.get(type_.of)
            if type_.of in tables:
                return type_.of
            if named and named.alias:
                return type_.of if self.is_long(named) else self.say(named.alias, tables)
            if type_.of in expanded:
                return "{…}"
            return "{" + ", ".join(self.key_names(type_.of, tables)) + "}"
        if type_.form == "object":
            return "{" + ", ".join(key.name for key in type_.keys) + "}"
        parts = [self.say(member, tables, expanded) for member in type_.members]
        if type_.form == "union":
            return " or ".join([", ".join(parts[:-1]), parts[-1]])
        return {"array": "[{}]", "tuple": "({})", "map": "map of {}"}[type_.form].format(", ".join(parts))

    def is_long(self, named):
        """Whether a table of keys names an alias, which the table of words explains."""
        return named.alias.form == "union" and all(member.form == "value" for member in named.alias.members) and len(named.alias.members) > 4

    def key_names(self, name, tables):
        """The names of the keys of an object. Those with a table of their own are not repeated."""
        if name in self.rows and self.rows[name].name in tables:
            return [f"columns of {self.rows[name].name}"]
        if name in self.rows:
            return [key.name for key in self.keys_of(name)]
        named = self.types[name]
        return [key for base in named.bases for key in ([f"keys of {base}"] if base in tables else self.key_names(base, tables))] + \
            [key.name for key in named.own_keys]

    def table(self, name, tables=()):
        """The table of keys of an object in Markdown. The keys of its bases stand in their own tables, or first."""
        if name == "WORDS":
            rows = [(word, meaning) for word, (_, _, meaning) in WORDS.items()]
            rows += [(named.name, f"{self.say(named.alias)}: {named.text}") for named in self.types.values() if named.alias and self.is_long(named)]
            return "| type | meaning |\n|---|---|\n" + "".join(f"| {word} | {meaning} |\n" for word, meaning in rows)
        named = self.types.get(name)
        if named is None or named.alias:
            raise Wrong(f"there is no object {name} for a table of keys")
        return "| key | type | meaning |\n|---|---|---|\n" + "".join(self.table_rows(named, "", set(), tables))

    def table_rows(self, named, prefix, shown, tables):
        """The rows of an object. Those of objects in it follow their key, where these have no table and more than one description."""
        for base in (self.types[base] for base in named.bases if base in self.types and base not in tables):
            yield from self.table_rows(base, prefix, shown, tables)
        for keys, text in named.groups:
            inner = {name: key for key in reversed(keys) for name in names_in(key.type) if self.is_expanded(name, tables) and name not in shown}
            shown.update(inner)
            said = [self.say(key.type, tables, inner) for key in keys]
            said = said[:1] if len(set(said)) == 1 else said
            names = [f"{prefix if i == 0 else '.' if prefix else ''}{key.name}{'?' * key.optional}" for i, key in enumerate(keys)]
            yield f"| {', '.join(names)} | {', '.join(said)} | {text} |\n"
            for name, key in inner.items():
                yield from self.table_rows(self.types[name], f"{prefix}{key.name}.", shown, tables)

    def is_expanded(self, name, tables):
        """Whether the keys of an object follow in the table of another: it has no table, and more than one description."""
        named = self.types.get(name)
        return named and not named.alias and name not in tables and sum(len(owner.groups) for owner in self.owners(named, tables)) > 1

    def owners(self, named, tables):
        """An object and its bases that have no table of their own."""
        return [owner for base in named.bases if base in self.types and base not in tables for owner in self.owners(self.types[base], tables)] + [named]

    def script(self, type_):
        """A type in TypeScript."""
        if type_.form == "value":
            return spelled(type_.of, "'")
        if type_.form == "word":
            return WORDS[type_.of][0]
        if type_.form == "name":
            return type_.of
        if type_.form == "object":
            return "{ " + "; ".join(f"{key.name}{'?' * key.optional}: {self.script(key.type)}" for key in type_.keys) + " }"
        parts = [self.script(member) for member in type_.members]
        if type_.form == "array":
            return f"({parts[0]})[]" if type_.members[0].form == "union" else f"{parts[0]}[]"
        return {"tuple": "[{}]", "map": "Record<string, {}>", "union": "{}"}[type_.form].format((" | " if type_.form == "union" else ", ").join(parts))

    def interface(self, named):
        out = [f"/** {named.text} */"]
        if named.alias:
            return out + [f"export type {named.name} = {self.script(named.alias)};", ""]
        out.append(f"export interface {named.name}{' extends ' * bool(named.bases)}{', '.join(named.bases)} {{")
        for key in named.own_keys:
            if key.name == "*":  # an index signature would have to fit all other keys
                out += ["    [key: string]: unknown;"] * (key.type.of == "any")
            else:
                out += [f"    /** {key.text} */", f"    {key.name}{'?' * key.optional}: {self.script(key.type)};"]
        return out + ["}", ""]

    def write_types(self, path):
        rows = sorted({name for named in self.types.values() for name in
                       [*named.bases, *(name for key in named.own_keys for name in names_in(key.type)), *(names_in(named.alias) if named.alias else [])]} & set(self.rows))
        out = ["// SPDX-License-Identifier: MIT", "// Generated from schema/answers by schema/answers.py.",
               f"import type {{ {', '.join(rows)} }} from './rows';", ""]
        for named in self.types.values():
            out += self.interface(named)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(out))

    def write_docs(self, check):
        pages = glob.glob(os.path.join(ROOT, "docs", "api*.md"))
        tables = {match[2] for path in pages for mark in (MARK, row_types.MARK) for match in mark.finditer(row_types.read(path))}
        return row_types.write_tables(MARK, lambda name: self.table(name, tables), check, "keys")


def distinct(values):
    """The values of a list, those that are equal and of one type only once; all of them if some are lists or objects."""
    try:
        return [value for _, value in {(type(value), value) for value in values}]
    except TypeError:
        return values


def is_one(type_, value):
    """Whether a value is the value, or one of the values of a word, that a type stands for."""
    if type_.form == "value":
        return value == type_.of and isinstance(value, bool) == isinstance(type_.of, bool)
    script, is_right, _ = WORDS[type_.of]
    python = {"string": str, "boolean": bool, "number": (int, float), "unknown": object}[script]
    return isinstance(value, python) and (script != "number" or not isinstance(value, bool)) and is_right(value)


def whole_type(text):
    reader = Reader(text)
    found = reader.type()
    if reader.text[reader.at:].strip():
        raise Wrong(f"cannot read {reader.text[reader.at:].strip()[:30]!r}")
    return found


def names_in(type_):
    if type_.form == "name":
        yield type_.of
    for member in [*type_.members, *(key.type for key in type_.keys)]:
        yield from names_in(member)


def row_type(script):
    """The type of a column, from its type in TypeScript."""
    word, _, null = script.partition(" | ")
    found = {"number": Type("word", "number"), "string": Type("word", "text"), "Origin": Type("name", "Origin")}[word]
    return Type("union", members=[found, Type("value", None)]) if null else found


def spelled(value, quote):
    return f"{quote}{value}{quote}" if isinstance(value, str) else {"None": "null", "True": "true", "False": "false"}.get(str(value), str(value))


def short(value):
    return "null" if value is None else "an array" if isinstance(value, list) else "an object" if isinstance(value, dict) else repr(value)[:40]


if __name__ == "__main__":
    try:
        if len(sys.argv) == 3 and sys.argv[1] == "types":
            Answers().write_types(os.path.abspath(sys.argv[2]))
        elif sys.argv[1:] in (["docs"], ["docs", "--check"]):
            sys.exit(Answers().write_docs(len(sys.argv) == 3))
        else:
            sys.exit(__doc__)
    except Wrong as err:
        sys.exit(str(err))
