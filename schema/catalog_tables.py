#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Generates catalog_tables.c from the tables of catalog.sql: the columns of each table, and what its tags say.

usage: catalog_tables.py catalog.sql FOLDER

The head of catalog.sql explains the tags. server/catalog/catalog_tables.h explains what this program writes.
"""
import os
import re
import sys

TABLE = re.compile(r"CREATE TABLE IF NOT EXISTS (\w+)\((?: -- ([^\n]*))?\n(.*?)\n\)[^;]*;", re.S)
COLUMN = re.compile(r"(\w+) (INTEGER|REAL|TEXT)((?: PRIMARY KEY| AUTOINCREMENT| NOT NULL| UNIQUE| DEFAULT (?:'\w*'|\d+))*)")
KEY = re.compile(r"(PRIMARY KEY|UNIQUE)\(([\w, ]+)\)")
COPY = {"copied": "PS_COPY_ROWS", "copied with runs": "PS_COPY_WITH_RUNS"}
SALVAGE = {"salvaged": "PS_SALVAGE_ROWS", "salvaged if whole": "PS_SALVAGE_IF_INTACT"}


def fail(what):
    sys.exit(f"catalog.sql: {what}")


def split_tags(comment):
    """The tags in brackets at the beginning of a comment."""
    match = re.match(r"\[([^]]*)\]", comment.strip())
    return match[1].split(", ") if match else []


class Column:
    def __init__(self, table, name, declared, constraints, tags):
        self.name, self.type, self.key = name, declared, int("PRIMARY KEY" in constraints)
        self.is_nullable = not self.key and "NOT NULL" not in constraints
        default = re.search(r"DEFAULT (\S+)", constraints)
        self.default = default[1] if default else None
        self.since = 0
        for tag in tags:
            if not (match := re.fullmatch(r"since (\d+)", tag)):
                fail(f"{table}.{name} has an unknown tag: [{tag}]")
            self.since = int(match[1])
        if self.since and not self.default and not self.is_nullable:
            fail(f"{table}.{name} was added to older catalogs, and needs a DEFAULT for their rows")


class Table:
    def __init__(self, name, comment, body):
        self.name, self.columns, self.is_shared, self.like = name, [], False, None
        self.copy, self.salvage = "PS_COPY_NONE", "PS_SALVAGE_NONE"
        for tag in split_tags(comment):
            if tag == "shared":
                self.is_shared = True
            elif tag in COPY:
                self.copy = COPY[tag]
            elif tag in SALVAGE:
                self.salvage = SALVAGE[tag]
            elif tag.startswith("like "):
                self.like = tag[5:]
            else:
                fail(f"table {name} has an unknown tag: [{tag}]")
        for line in body.split("\n"):
            declared, _, comment = line.partition("--")
            for kind, columns in KEY.findall(declared):
                for place, column in enumerate(columns.split(", "), 1):
                    if kind == "PRIMARY KEY":
                        self.column(column).key = place
            for part in filter(None, (part.strip() for part in KEY.sub("", declared).split(","))):
                match = COLUMN.fullmatch(part)
                if not match:
                    fail(f"table {name}: cannot read the column {part!r}")
                self.columns.append(Column(name, match[1], match[2], match[3], split_tags(comment)))
        if self.is_shared and not any(column.key for column in self.columns):
            fail(f"table {name} is shared, and needs a primary key")

    def column(self, name):
        return next((column for column in self.columns if column.name == name), None) or fail(f"table {self.name} has no column {name}")


def initializer(column):
    words = [f'.name = "{column.name}", .type = "{column.type}"']
    words += [".is_nullable = true"] * column.is_nullable
    words += [f".key = {column.key}"] * bool(column.key) + [f".since_layout = {column.since}"] * bool(column.since)
    if column.default:
        words.append(f'.default_literal = "{column.default}"')
    return ", ".join(words)


def source(layout, tables):
    out = ["/* Generated from schema/catalog.sql by schema/catalog_tables.py. */", '#include "server/catalog/catalog_tables.h"', ""]
    for table in tables:
        out.append(f"static const struct ps_catalog_column {table.name}_columns[] = {{")
        out += [f"    {{{initializer(column)}}}," for column in table.columns]
        out += ["};", ""]
    out.append("const struct ps_catalog_table ps_catalog_tables[] = {")
    for table in tables:
        words = [f'.name = "{table.name}", .columns = {table.name}_columns, .n = {len(table.columns)}']
        words += [f".copy = {table.copy}, .salvage = {table.salvage}"] + [".is_shared = true"] * table.is_shared
        out.append(f"    {{{', '.join(words)}}},")
    return "\n".join(out + ["    {0},", "};", "", f"const int ps_catalog_layout = {layout};", ""])


def main(sql, folder):
    with open(sql, encoding="utf-8") as file:
        text = file.read()
    tables = [Table(*match) for match in TABLE.findall(text)]
    if len(re.findall(r"^CREATE TABLE", text, re.M)) != len(tables):
        fail("a CREATE TABLE does not have the form that schema/catalog_tables.py reads")
    layout = int(re.search(r"^PRAGMA user_version = (\d+);", text, re.M)[1])
    by_name = {table.name: table for table in tables}
    for table in tables:
        for column in table.columns:
            if column.since > layout:
                fail(f"{table.name}.{column.name} is of layout {column.since}, and this is layout {layout}")
        for column in by_name[table.like].columns if table.like else []:
            table.column(column.name)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "catalog_tables.c"), "w", encoding="utf-8") as file:
        file.write(source(layout, tables))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
