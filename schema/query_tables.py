#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Generates query_tables.c from the heads of the statements in queries/: how tables are sorted and summed, and what comparisons measure.

usage: query_tables.py FOLDER_OF_QUERIES FOLDER

The heads of imports.sql and compare_imports.sql explain their lines. server/query/query_tables.h explains what this program writes.
"""
import os
import re
import sys

PATHS = ("file", "parents")  # places of comparisons that are paths
LINE = re.compile(r"-- (sort|sum|where|of|rows|title|row|place|metric|budget|has|recorded|resolution|calls|whole|work|each|cut): (.+)")
ROWS = {"by-id": "PS_ROWS_BY_ID", "cached": "PS_ROWS_CACHED"}
METRICS_MAX = 5  # PS_HEAD_METRICS
WORKS_MAX = 2  # PS_HEAD_WORKS
NO_FILTERS = (":row", ":q", ":regex", ":hide")  # server/query/rowset.c binds these itself


class Head:
    """The lines `-- WORD: REST` at the beginning of a statement, and the text after the head."""

    def __init__(self, path):
        self.name, self.lines, self.text = os.path.splitext(os.path.basename(path))[0], [], ""
        with open(path, encoding="utf-8") as file:
            for line in file:
                if not line.startswith("--"):
                    self.text = line + file.read()
                    break
                if match := LINE.fullmatch(line.rstrip("\n")):
                    self.lines.append((match[1], match[2]))

    def fail(self, what):
        sys.exit(f"queries/{self.name}.sql: {what}")

    def all(self, word):
        return [rest for found, rest in self.lines if found == word]

    def one(self, word):
        found = self.all(word)
        if len(found) > 1:
            self.fail(f"has more than one line {word}")
        return found[0] if found else None

    def split(self, rest, n):
        words = rest.split(" ", n - 1)
        return words if len(words) == n else self.fail(f"cannot read {rest!r}")


def quoted(text):
    return "NULL" if text is None else '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def rows_of(head, kind, name, lines):
    """A static array; its name and length as an initializer."""
    if not lines:
        return [], ""
    return [f"static const struct ps_query_{kind} {head.name}_{name}[] = {{", *(f"    {{{line}}}," for line in lines), "};"], \
        f", .{name} = {head.name}_{name}, .n_{name} = {len(lines)}"


def params_of(head):
    """The parameters of the statement that requests give. A list is searched with instr(:NAME, ',' || ... || ',')."""
    text = " ".join([re.sub(r"--.*", "", head.text), *head.all("where")])
    names = [name for name in dict.fromkeys(re.findall(r":[a-z_]+", text)) if name not in NO_FILTERS]
    lists = [name for name in names if f"instr({name}, ',' ||" in text]
    return [f".name = {quoted(name)}, .is_list = {str(name in lists).lower()}" for name in names]


def order_terms(terms, direction):
    return ", ".join(f"{term} {direction}" for term in terms) + ", id"


def table(head):
    sorts, sums, filters = [], [], []
    for rest in head.all("sort"):
        key, direction, expression = head.split(rest, 3)
        if direction not in ("asc", "desc"):
            head.fail(f"{direction} is not asc or desc")
        terms = expression.split(", ")
        words = [f".key = {quoted(key)}, .is_descending = {str(direction == 'desc').lower()}"]
        words += [f".ascending = {quoted(order_terms(terms, 'ASC'))}, .descending = {quoted(order_terms(terms, 'DESC'))}"]
        words += [f".expression = {quoted(terms[0])}"] * (len(terms) == 1)
        sorts.append(", ".join(words))
    for rest in head.all("sum"):
        name, expression = head.split(rest, 2)
        column = re.fullmatch(r"sum\((\w+)\)", expression)
        sums.append(f".name = {quoted(name)}, .expression = {quoted(expression)}" + (f", .column = {quoted(column[1])}" if column else ""))
    for rest in head.all("where"):
        name, condition = head.split(rest, 2)
        filters.append(f".name = {quoted(name)}, .condition = {quoted(condition)}")
    rows = head.one("rows")
    if rows is not None and rows not in ROWS:
        head.fail(f"rows can be {' or '.join(ROWS)}, not {rows}")
    if rows == "cached" and any(".column" not in line for line in sums):
        head.fail("rows are cached, so a sum can only be sum(COLUMN)")
    out, words = [], f".query = {quoted(head.name)}, .rows = {ROWS.get(rows, 'PS_ROWS_ORDERED')}, .count_query = {quoted(head.one('of'))}"
    for kind, name, lines in (("sort", "sorts", sorts), ("sum", "sums", sums), ("param", "params", params_of(head)), ("filter", "filters", filters)):
        array, initializer = rows_of(head, kind, name, lines)
        out, words = out + array, words + initializer
    return out, words


def comparison(head):
    metrics, has_table, of_all = [], None, head.one("recorded")
    for rest in head.all("metric"):
        name, unit, adds, title = head.split(rest, 4)
        if adds not in ("adds", "-"):
            head.fail(f"{adds} is not adds or -")
        metrics.append({"name": name, "unit": unit, "adds": adds == "adds", "title": title, "has": None, "resolution": None, "calls": None, "whole": None})
    for word in ("has", "resolution", "calls", "whole"):
        for rest in head.all(word):
            name, select = head.split(rest, 2)
            if word == "has" and name == "*":
                has_table = select
                continue
            metric = next((metric for metric in metrics if metric["name"] == name), None) or head.fail(f"has no metric {name}")
            metric[word] = select
    if has_table and of_all:
        head.fail("can have either has: * or recorded")
    works = [head.split(rest, 2) for rest in head.all("work")]
    each = head.one("each")
    if len(works) > WORKS_MAX or each not in (None, "step"):
        head.fail(f"can have {WORKS_MAX} lines work; each can only be step")
    budget = head.one("budget") or (metrics[0]["name"] if metrics else None)
    if not metrics or len(metrics) > METRICS_MAX or not any(metric["name"] == budget for metric in metrics):
        head.fail(f"needs 1 to {METRICS_MAX} metrics, and a budget that is one of them")
    words = [f".query = {quoted(head.name)}, .title = {quoted(head.one('title'))}, .row = {quoted(head.one('row'))}",
             f".place = {quoted(head.one('place') or '')}, .budget_metric = {quoted(budget)}, .presence_query = {quoted(has_table or of_all)}, .needs_all_runs = {str(of_all is not None).lower()}, .n = {len(metrics)}",
             f".place_is_path = {str(head.one('place') in PATHS).lower()}, .place_is_unit = {str(head.one('place') == 'unit').lower()}",
             f".is_per_step = {str(each == 'step').lower()}, .cut = {quoted(head.one('cut'))}, .n_works = {len(works)}",
             ".works = {" + ", ".join(f"{{.word = {quoted(word)}, .query = {quoted(select)}}}" for word, select in works) + "}",
             ".metrics = {"]
    for metric in metrics:
        words[-1] += f"{{.name = {quoted(metric['name'])}, .unit = {quoted(metric['unit'])}, .title = {quoted(metric['title'])}, " \
                     f".is_additive = {str(metric['adds']).lower()}, .presence_query = {quoted(metric['has'])}, .resolution = {quoted(metric['resolution'])}, .calls = {quoted(metric['calls'])}, " \
                     f".whole = {quoted(metric['whole'])}}}, "
    words[-1] += "}"
    return ", ".join(words)


def main(queries, folder):
    heads = [Head(os.path.join(queries, name)) for name in sorted(os.listdir(queries)) if name.endswith(".sql")]
    out = ["/* Generated from the heads of schema/queries by schema/query_tables.py. */", '#include "server/query/query_tables.h"', ""]
    tables, comparisons = [], []
    for head in heads:
        if head.all("sort"):
            arrays, words = table(head)
            out += [*arrays, ""]
            tables.append(words)
        elif head.all("title"):
            comparisons.append(comparison(head))
        elif head.lines:
            head.fail(f"has a line {head.lines[0][0]}, and neither sort nor title")
    out += ["const struct ps_query_table ps_query_tables[] = {", *(f"    {{{words}}}," for words in tables), "    {0},", "};", ""]
    out += ["const struct ps_query_comparison ps_query_comparisons[] = {", *(f"    {{{words}}}," for words in comparisons), "    {0},", "};", ""]
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "query_tables.c"), "w", encoding="utf-8") as file:
        file.write("\n".join(out))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
