#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Describes the rows that the statements in queries/ answer: their TypeScript types, and the tables of columns in docs/api*.md.

usage: row_types.py types FILE      writes the types
       row_types.py docs [--check]  writes the tables of columns; --check: only says which are out of date

A statement answers rows of its own if its head has a line `-- sort:`, `-- column:` or `-- columns:`. This program reads:
  column: NAME [TYPE], ...: TEXT   columns with the same description. TYPE is number, string or Origin; ? after it: or null.
                                   It may be left out for columns of tables, whose types run.sql declares. A TYPE wins over
                                   the declared type, so NAME number says that a column which may be NULL is not NULL here
  columns: STATEMENT               the columns, their types and descriptions are those of another statement
A table of columns in docs/ follows a line <!-- columns: STATEMENT -->.
"""
import glob
import os
import re
import sqlite3
import sys

from run_tables import TABLE, Table

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
HEAD = re.compile(r"-- (sort|column|columns): (.+)")
COLUMN = re.compile(r"(\w+)(?: (number|string|Origin)(\??))?")
TYPES = {"INTEGER": "number", "REAL": "number", "": "number", "TEXT": "string"}
SHELF = {"runs"}  # of the catalog: server/query/shelf.c answers objects made from it
MARK = re.compile(r"(<!-- columns: (\w+) -->\n\n)((?:\|.*\n)*)")


def read(*path):
    """The text of a file, with the fragments that its lines `-- include: NAME` stand for (embed.cmake)."""
    with open(os.path.join(*path), encoding="utf-8") as file:
        return re.sub(r"(?m)^-- include: (\w+)\n", lambda line: read(HERE, "fragments", line[1] + ".sql"), file.read())


class Schema:
    """The tables and views of a run file in memory. The declared type of each column is its name as TABLE__COLUMN, which SQLite
    passes on through subqueries and views: so the columns of a statement name the columns of tables that they come from. Joins
    that may find no row read copies of the tables, in which a type ends with __OR_NULL."""

    def __init__(self):
        text = read(HERE, "run.sql")
        tables = [Table(*match) for match in TABLE.findall(text)]
        self.columns = {f"{table.name}__{column.name}": column for table in tables for column in table.columns}
        self.db = sqlite3.connect(":memory:")
        for name, n in (("ps_words", -1), ("regexp", 2), ("ps_frame_function", 1), ("ps_frame_group", 2), ("ps_case_numbers", 1), ("ps_command_failed", 3)):
            self.db.create_function(name, n, lambda *_: None)
        for table in tables:
            for copy, end in ((table.name, ""), (f"or_null_{table.name}", "__OR_NULL")):
                self.create(copy, [f"{column.name} {table.name}__{column.name}{end}" for column in table.columns])
        for name, columns in virtual_tables():
            self.create(name, columns)
        self.tables = "|".join(table.name for table in tables)
        for view in re.findall(r"^CREATE VIEW .*?;$", text, re.M | re.S):
            self.db.execute(plain(view))

    def create(self, name, columns):
        quoted = (re.sub(r"^\w+", r'"\g<0>"', column) for column in columns)
        self.db.execute(f"CREATE TABLE {name}({', '.join(quoted)})")

    def describe(self, sql):
        """[(name, declared type)] of the columns of a statement."""
        sql = re.sub(rf"\bLEFT JOIN (?=({self.tables})\b)", "LEFT JOIN or_null_", plain(re.sub(r":\w+", "NULL", sql)))
        self.db.execute(f"CREATE TEMP VIEW described AS {sql}")
        columns = [(row[1], row[2]) for row in self.db.execute("PRAGMA table_info(described)")]
        self.db.execute("DROP VIEW described")
        return columns


def virtual_tables():
    """(name, columns) of the virtual tables of run files, which the files of server/runfile declare."""
    operator = ", ".join(re.findall(r"MEMBER\(\w+, (\w+)\)", read(ROOT, "slices", "operators.h")))
    for path in glob.glob(os.path.join(ROOT, "server", "runfile", "*.c")):
        text = read(path).replace("PS_OPERATOR_MEMBERS(NAME)", f'"{operator}, "')
        text = re.sub(r'"\s*\\?\n?\s*"', "", text)
        schema = re.search(r'#define SCHEMA\s*\\?\s*"CREATE TABLE x\((.*?)\)"', text)
        declared = re.findall(r'"(ps_\w+)",\s*"CREATE TABLE x\((.*?)\)"', text) + re.findall(r'TABLE\(\s*"(\w+)",\s*"([^"]*)"', text)
        if schema:
            declared += [(name, schema[1]) for name in re.findall(r'"(ps_\w+)",\s*SCHEMA', text)]
        for name, columns in declared:
            yield name if name.startswith("ps_") else f"ps_temp_{name}", re.sub(r" (HIDDEN|INTEGER)\b", "", columns).split(", ")


def plain(sql):
    """Without the arguments of virtual tables, which plain tables do not take."""
    while match := re.search(r"(?:FROM|JOIN|,) (ps_\w+)\(", sql):
        end, depth = match.end(), 1
        while depth:
            depth += {"(": 1, ")": -1}.get(sql[end], 0)
            end += 1
        sql = sql[:match.end() - 1] + sql[end:]
    return sql


class Statement:
    """The description of one statement: columns in order, and the groups of its head that describe them."""

    def __init__(self, path, schema):
        self.name, self.sql, self.groups, self.types, self.texts = os.path.splitext(os.path.basename(path))[0], read(path), [], {}, {}
        head = [HEAD.fullmatch(line) for line in self.sql.split("\n") if line.startswith("--")]
        self.lines = [(match[1], match[2]) for match in head if match]
        self.answers = bool(self.lines) and self.name not in SHELF
        if self.answers:
            self.of = next((rest for word, rest in self.lines if word == "columns"), None)
            try:
                self.declared = schema.describe(self.sql)
            except sqlite3.Error as err:
                self.fail(str(err))
            if not self.of:
                self.read_types(schema)

    def fail(self, what):
        sys.exit(f"queries/{self.name}.sql: {what}")

    @property
    def type_name(self):
        return "".join(word.capitalize() for word in re.sub("(?<=ss)es$|(?<!erie)s$", "", self.of or self.name).split("_")) + "Row"

    def read_types(self, schema):
        names = [name for name, _ in self.declared]
        for rest in (rest for word, rest in self.lines if word == "column"):
            listed, _, text = rest.partition(": ")
            matches = [COLUMN.fullmatch(part) or self.fail(f"cannot read {rest!r}") for part in listed.split(", ")]
            for name, word, optional in (match.groups() for match in matches):
                if name not in names or name in self.texts:
                    self.fail(f"{name} is {'described twice' if name in self.texts else 'not a column'}")
                self.texts[name] = text
                if word:
                    self.types[name] = word + (" | null" if optional else "")
            self.groups.append(([match[1] for match in matches], text))
        for name, declared in self.declared:
            column = schema.columns.get(declared.removesuffix("__OR_NULL"))
            if column and name not in self.types:
                word = "Origin" if column.where == "origin.word" else TYPES.get(column.declared) or self.fail(f"{name} is a BLOB")
                self.types[name] = word + (" | null" if column.nullable or declared.endswith("__OR_NULL") else "")
            if name not in self.types:
                self.fail(f"{name} is computed: its head needs a line `-- column: {name} TYPE: what it is, unit`")
            if name not in self.texts:
                self.texts[name] = column.text if column else ""
                self.groups.append(([name], self.texts[name]))

    def interface(self):
        out = [f"/** schema/queries/{self.name}.sql */", f"export interface {self.type_name} {{"]
        for name, _ in self.declared:
            out += [f"    /** {self.texts[name]} */"] * bool(self.texts[name]) + [f"    {name}: {self.types[name]};"]
        return out + ["}", ""]

    def table(self):
        rows = "".join(f"| {', '.join(names)} |{text and ' ' + text} |\n" for names, text in self.groups)
        return f"| column | meaning |\n|---|---|\n{rows}"


def all_statements():
    schema = Schema()
    found = [Statement(path, schema) for path in sorted(glob.glob(os.path.join(HERE, "queries", "*.sql")))]
    found = {statement.name: statement for statement in found if statement.answers}
    for statement in found.values():
        if statement.of and [name for name, _ in statement.declared] != [name for name, _ in found[statement.of].declared]:
            statement.fail(f"does not have the columns of {statement.of}")
    return found


def statements():
    """The statements that describe their columns themselves."""
    return {name: statement for name, statement in all_statements().items() if not statement.of}


def write_types(path):
    out = ["// SPDX-License-Identifier: MIT", "// Generated from schema/run.sql and schema/queries by schema/row_types.py.",
           "import type { Origin } from './answers';", ""]
    for statement in statements().values():
        out += statement.interface()
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(out))


def write_tables(mark, table, check, what):
    """Writes the tables behind the marks in docs/api*.md, or only says which are out of date. mark finds the mark, a name and the table."""
    stale, n = 0, 0
    for path in sorted(glob.glob(os.path.join(ROOT, "docs", "api*.md"))):
        text = read(path)
        written = mark.sub(lambda match: match[1] + table(match[2]), text)
        n += len(mark.findall(text))
        if written == text:
            continue
        stale += 1
        print(f"{os.path.relpath(path, ROOT)}: {f'its tables of {what} are out of date: run ./dev docs' if check else 'written'}")
        if not check:
            with open(path, "w", encoding="utf-8") as file:
                file.write(written)
    if check:
        print(f"{n} tables of {what}\n{n - stale} passed, {stale} failed")
    return 1 if check and stale else 0


def write_docs(check):
    described = statements()
    return write_tables(MARK, lambda name: described[name].table(), check, "columns")


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "types":
        write_types(os.path.abspath(sys.argv[2]))
    elif sys.argv[1:] in (["docs"], ["docs", "--check"]):
        sys.exit(write_docs(len(sys.argv) == 3))
    else:
        sys.exit(__doc__)
