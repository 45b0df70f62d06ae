#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Generates C from the tables of run.sql.

usage: run_tables.py rows run.sql FOLDER     run_rows.h and run_rows.c: a struct for a row of each table and its description
       run_tables.py layouts run.sql FOLDER  run_layouts.c: what makes a run file of an older layout look like one of this layout

The head of run.sql explains the tags that this program reads. server/runwrite/run_tables.h and schema/schema.h explain what it
writes.
"""
import functools
import os
import re
import sys

RELATIONS = {"<": "LESS", "<=": "LESS_OR_EQUAL", ">": "GREATER", ">=": "GREATER_OR_EQUAL"}
PACKED = re.compile(r"^-- PACKED (\w+): ([^\n]*)\n((?:--   [^\n]*\n)+)", re.M)
VIEW = re.compile(r"^CREATE VIEW (\w+) AS.*?;$", re.M | re.S)
OLDEST = 3  # the layout of 0.1.0
TABLE = re.compile(r"CREATE TABLE (\w+)\((?: -- ([^\n]*))?\n(.*?)\n\)[^;]*;", re.S)
COLUMN = re.compile(r"(\w+)((?: (?:INTEGER|REAL|TEXT|BLOB))?)((?: NOT NULL| PRIMARY KEY)*)")
CLASSES = "fixed numbers code label process_group path measured group message source json parameters template chunk slice meta".split()
LIMIT = {"": "INT64_MAX"}
LACKS = re.compile(r"lacks (.+) of (\w+)")
KINDS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "importers", "kinds.c")


@functools.cache
def words_of_data():
    """What importers/kinds.c calls the data that kinds can have."""
    with open(KINDS, encoding="utf-8") as file:
        return re.findall(r'"(\w+)"', re.search(r"\*const words\[PS_N_KIND_HAS_BITS\] = \{(.*?)\};", file.read(), re.S)[1])


class Column:
    """One column: name, declared type, what its tags say, and the text of its comment."""

    def __init__(self, where, name, declared, constraints, tags, text):
        self.where, self.name, self.declared, self.tags, self.text = f"{where}.{name}", name, declared, tags, text
        self.is_key = "PRIMARY KEY" in constraints
        self.is_id = self.is_key and declared == "INTEGER"
        self.nullable = not self.is_key and "NOT NULL" not in constraints
        self.min = "1" if self.is_id else "INT64_MIN"
        self.max, self.of, self.redact, self.any = "INT64_MAX", None, None, False
        self.kinds, self.relation, self.is_sorted = [], None, False
        self.since, self.absent = 0, None
        self.lacks = lacks_of(self.where, tags)
        for tag in tags:
            if not LACKS.fullmatch(tag):
                self.read(tag)
        if not self.redact and (declared in ("TEXT", "BLOB") or self.any):
            self.fail("needs a tag [redact as CLASS]")

    def fail(self, what):
        sys.exit(f"run.sql: {self.where} {what}")

    def read(self, tag):
        if match := re.fullmatch(r"redact as (\w+)", tag):
            if match[1] not in CLASSES:
                self.fail(f"has an unknown class of redaction: {match[1]}")
            self.redact = match[1]
        elif match := re.fullmatch(r"-> (\w+)( or 0)?(?: of ([A-Z ]+))?", tag):
            self.of, self.min, self.max = match[1], "0" if match[2] else "1", "INT64_MAX"
            self.kinds = match[3].split() if match[3] else []
        elif match := re.fullmatch(r"([<>]=?) (\w+)( or 0)?", tag):
            self.relation = match.groups()
        elif match := re.fullmatch(r"since (\d+)(?: as (-?\d+|''))?", tag):
            self.since, self.absent = int(match[1]), match[2]
        elif tag == "sorted":
            self.is_sorted = True
        elif match := re.fullmatch(r"([-\w ]+)\.\.([-\w ]*)", tag):
            self.min, self.max = match[1], LIMIT.get(match[2], match[2])
        elif tag == "bool":
            self.min, self.max = "0", "1"
        elif tag == "any":
            self.any = True
        else:
            self.fail(f"has an unknown tag: [{tag}]")

    def check_since(self, layout, of_table):
        """`of_table`: the layout since which its table exists."""
        if not self.since:
            return
        if not OLDEST < self.since <= layout:
            self.fail(f"is of layout {self.since}, but the layouts that are read are {OLDEST} to {layout}")
        if self.since <= of_table:
            self.fail(f"is of layout {self.since}, and its table of layout {of_table}: remove the tag")
        if self.is_key:
            self.fail("cannot be newer than its table, because it is the key")
        if self.nullable and self.absent:
            self.fail("may be NULL, so it is NULL in older files: remove the value")
        if not self.nullable and self.absent is None:
            self.fail(f"needs a value for older files, because it is NOT NULL: [since {self.since} as VALUE]")
        if self.absent and (self.type in ("TEXT", "BLOB")) != (self.absent == "''"):
            self.fail(f"cannot have the value {self.absent}")
        if self.absent and self.type == "INT" and not self.allows(int(self.absent)):
            self.fail(f"cannot have the value {self.absent}, which is out of its range")

    def allows(self, value):
        """Whether a value is in the range, as far as its limits are numbers."""
        limits = [int(text) if re.fullmatch(r"-?\d+", text) else None for text in (self.min, self.max)]
        return (limits[0] is None or value >= limits[0]) and (limits[1] is None or value <= limits[1])

    @property
    def type(self):
        """enum ps_column_type without its prefix."""
        if self.any:
            return "ANY"
        return {"INTEGER": "INT", "": "NUMBER"}.get(self.declared, self.declared)

    @property
    def member(self):
        """The member of the struct of a row."""
        if self.type in ("TEXT", "BLOB"):
            return f"struct ps_str {self.name};"
        if self.type == "ANY":
            return f"struct ps_cell {self.name};"
        if self.type == "NUMBER" or self.nullable:
            return f"struct ps_num {self.name};"
        return f"{'double' if self.type == 'REAL' else 'int64_t'} {self.name};"


class Table:
    def __init__(self, name, comment, body):
        tags, self.comment = split_tags(comment or "")
        self.name, self.columns = name, []
        self.is_constant, self.is_sparse, self.replaces = (word in tags for word in ("constant", "sparse", "replace"))
        self.first = next((tag[5:] for tag in tags if tag.startswith("from ")), "1")
        self.since, self.lacks = since_of(tags), lacks_of(name, tags)
        for line in body.split("\n"):
            declared, _, comment = line.partition("--")
            tags, text = split_tags(comment.strip())
            for part in filter(None, (part.strip() for part in declared.split(","))):
                match = COLUMN.fullmatch(part)
                if not match:
                    sys.exit(f"run.sql: {name}: cannot read the column {part!r}")
                self.columns.append(Column(name, match[1], match[2].strip(), match[3], tags, text))


class Packed:
    """The columns of slices or of a family of packed rows."""

    def __init__(self, name, about, body):
        tags = split_tags(about)[0]
        self.name, self.columns = name, []
        self.since, self.lacks = since_of(tags), lacks_of(name, tags)
        for line in body.splitlines():
            column, _, comment = line[5:].partition(" ")
            tags, text = split_tags(comment)
            self.columns.append(Column(name, column, "INTEGER", " NOT NULL", [tag for tag in tags if tag], text))


def split_tags(comment):
    """The tags at the beginning of a comment, in one pair of brackets or in several, and the text after them."""
    match = re.match(r"((?:\[[^]]*\] ?)*)(.*)", comment)
    return [tag for bracket in re.findall(r"\[([^]]*)\]", match[1]) for tag in bracket.split(", ")], match[2]


def since_of(tags):
    return next((int(tag[6:]) for tag in tags if tag.startswith("since ")), 0)


def lacks_of(where, tags):
    """What a run lacks without the table or the column: the words for it, and the data of a kind."""
    found = next((match.groups() for match in map(LACKS.fullmatch, tags) if match), None)
    if found and found[1] not in words_of_data():
        sys.exit(f"run.sql: {where} lacks {found[0]} of {found[1]}, which importers/kinds.c does not have; it has {', '.join(words_of_data())}")
    if bool(found) != any(tag.startswith("since ") for tag in tags):
        sys.exit(f"run.sql: {where} needs " + ("a tag [since N]" if found else "[lacks WORDS of DATA]: what runs of older layouts lack"))
    return found


def header(tables, packed):
    out = ["/* Generated from schema/run.sql by schema/run_tables.py. */", "#ifndef PS_RUN_ROWS_H", "#define PS_RUN_ROWS_H", "",
           "enum ps_run_table_id {"]
    out += [f"    PS_TABLE_{table.name.upper()}," for table in tables]
    out += ["    PS_N_RUN_TABLES", "};", ""]
    for table in tables:
        if table.comment:
            out.append(f"/* {table.comment} */")
        out.append(f"struct ps_row_{table.name} {{")
        out += [f"    {column.member}" for column in table.columns]
        out += ["};",
                f"static inline void ps_insert_{table.name}(struct ps_inserter *to, const struct ps_row_{table.name} *row)",
                "{", f"    ps_insert_row(to, PS_TABLE_{table.name.upper()}, row);", "}", ""]
    return "\n".join(out + packed_header(packed) + ["#endif", ""])


def packed_header(packed):
    out = ["/* Rules of the columns of slices, and of the families of packed rows in the order of enum ps_packed_family. */",
           "enum ps_packed_table_id {"]
    return out + [f"    PS_PACKED_TABLE_{table.name.upper()}," for table in packed] + ["    PS_N_PACKED_TABLES", "};", ""]


def initializer(table, column):
    words = [f'.name = "{column.name}", .declared_type = "{column.declared}", .type = PS_COLUMN_{column.type}']
    words += [".is_nullable = true"] * column.nullable + [".is_id = true"] * column.is_id
    words.append(f".min = {column.min}, .max = {column.max}")
    if column.of:
        words.append(f'.referenced_table = "{column.of}"')
    if column.redact:
        words.append(f".redaction_class = PS_REDACT_{column.redact.upper()}")
    if column.kinds:
        words.append(".slice_kinds = " + " | ".join(f"1u << PS_SLICE_{kind}" for kind in column.kinds))
    if column.relation:
        sign, other, or_0 = column.relation
        places = [place for place, each in enumerate(table.columns) if each.name == other]
        if not places:
            column.fail(f"is compared with an unknown column: {other}")
        words += [f".relation = PS_{RELATIONS[sign]}, .other_column = {places[0]}"] + [".may_be_zero = true"] * bool(or_0)
    words += [".is_sorted = true"] * column.is_sorted + [f".since_layout = {column.since}"] * bool(column.since)
    words += [f".absent_value = {column.absent}"] * (column.absent not in (None, "''"))
    if isinstance(table, Table):
        words.append(f".offset = offsetof(struct ps_row_{table.name}, {column.name})")
    return ", ".join(words)


def source(tables, packed):
    out = ["/* Generated from schema/run.sql by schema/run_tables.py. */", '#include "server/runwrite/run_tables.h"', "",
           "#include <stddef.h>", "", '#include "base/python_origin.h"', '#include "importers/records/run.h"',
           '#include "importers/records/snapshot.h"', '#include "slices/slices.h"', ""]
    for table in tables + packed:
        out.append(f"static const struct ps_column {table.name}_columns[] = {{")
        out += [f"    {{{initializer(table, column)}}}," for column in table.columns]
        out += ["};", ""]
    out.append("const struct ps_run_table ps_run_tables[PS_N_RUN_TABLES] = {")
    for table in tables:
        words = [f'.name = "{table.name}", .columns = {table.name}_columns, .n = {len(table.columns)}, .first_id = {table.first}']
        words += [".is_sparse = true"] * table.is_sparse + [".replaces = true"] * table.replaces
        words += [f".since_layout = {table.since}"] * bool(table.since)
        out.append(f"    {{{', '.join(words)}}},")
    out += ["};", "", "const struct ps_run_table ps_packed_tables[PS_N_PACKED_TABLES] = {"]
    out += [f'    {{.name = "{table.name}", .columns = {table.name}_columns, .n = {len(table.columns)}}},' for table in packed]
    return "\n".join(out + ["};", ""])


def older_layout_sql(tables, layout):
    """Temporary views in front of the tables that a file of the layout lacks, or that lack columns. They have the columns of
    run.sql in order, and `rowid` where statements read it. Their names come before those of the file."""
    out = []
    for table in tables:
        if table.since > layout:
            columns, rest = [f"NULL AS {column.name}" for column in table.columns], "WHERE 0"
        elif any(column.since > layout for column in table.columns):
            columns = [f"{column.absent or 'NULL'} AS {column.name}" if column.since > layout else column.name for column in table.columns]
            columns += ["rowid AS rowid"] * (not any(column.is_key for column in table.columns))
            rest = f"FROM main.{table.name}"
        else:
            continue
        out.append(f"CREATE TEMP VIEW {table.name} AS SELECT {', '.join(columns)} {rest};")
    return "".join(out)


def layouts(tables, packed, text, layout):
    out = ["/* Generated from schema/run.sql by schema/run_tables.py. */", '#include "schema/schema.h"', "",
           f"const int64_t ps_current_layout = {layout}, ps_oldest_layout = {OLDEST};", "",
           f"static const char *const older_layouts[] = {{"]
    out += [f"    [{older - OLDEST}] = {quote(older_layout_sql(tables, older))}," for older in range(OLDEST, layout)]
    out += ["};", "const char *ps_older_layout_sql(int64_t layout)", "{",
            "    return layout >= ps_oldest_layout && layout < ps_current_layout ? older_layouts[layout - ps_oldest_layout] : \"\";", "}", "",
            "const char ps_public_views_sql[] ="]
    out += [f"    {quote(re.sub(r'^CREATE VIEW', 'CREATE TEMP VIEW', view[0]))}" for view in VIEW.finditer(text)]
    out += ["    ;", "", "const struct ps_packed_column_since ps_packed_columns_since[] = {"]
    out += [f"    {{{family}, {place}, {column.since}, {column.absent}}}," for family, table in enumerate(packed)
            for place, column in enumerate(table.columns) if column.since and family]
    out += ["    {-1, 0, 0, 0},", "};", "", "const struct ps_run_part_since ps_run_parts_since[] = {"]
    newer = [each for table in tables + packed for each in [table, *table.columns] if each.since]
    out += [f'    {{{since}, "{words}", "{data}"}},' for since, words, data in dict.fromkeys((each.since, *each.lacks) for each in newer)]
    return "\n".join(out + ["    {INT64_MAX, NULL, NULL},", "};", ""])


def quote(sql):
    sql = re.sub(r"\s*--[^\n]*", "", sql).replace("\\", "\\\\").replace('"', '\\"')
    return '"' + re.sub(r"\s+", " ", sql) + '"'


def main(what, sql, folder):
    with open(sql, encoding="utf-8") as file:
        text = file.read()
    layout = int(re.search(r"^PRAGMA user_version = (\d+);", text, re.M)[1])
    tables = [table for table in (Table(*match) for match in TABLE.findall(text)) if not table.is_constant]
    packed = [Packed(*match) for match in PACKED.findall(text)]
    for table in tables + packed:
        if table.since and not OLDEST < table.since <= layout:
            sys.exit(f"run.sql: {table.name} is of layout {table.since}, but the layouts that are read are {OLDEST} to {layout}")
        for column in table.columns:
            column.check_since(layout, table.since)
    for column in packed[0].columns:
        if column.absent not in (None, "0"):
            column.fail("is 0 in older files, like each column of slices that a chunk lacks")
    names = {table.name for table in tables} | {"slice"}
    for table in tables + packed:
        for column in table.columns:
            if column.of and column.of not in names:
                column.fail(f"refers to an unknown table: {column.of}")
    if len(re.findall(r"^CREATE TABLE", text, re.M)) != len(TABLE.findall(text)):
        sys.exit("run.sql: a CREATE TABLE does not have the form that schema/run_tables.py reads")
    os.makedirs(folder, exist_ok=True)
    written = {"rows": {"run_rows.h": lambda: header(tables, packed), "run_rows.c": lambda: source(tables, packed)},
               "layouts": {"run_layouts.c": lambda: layouts(tables, packed, text, layout)}}
    for name, content in written[what].items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(content())


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in ("rows", "layouts"):
        sys.exit(__doc__)
    main(*sys.argv[1:])
