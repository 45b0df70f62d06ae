#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks what a machine can judge of the documentation: the width of lines, links and anchors, pictures, the contents page,
and that the pages built into the program hold together.

    check_docs.py [DIST]     DIST: web/dist, whose pages are checked too
"""
import glob
import html.parser
import json
import os
import re
import sys

import markdown

WIDTH, TABLE_WIDTH = 110, 240


def wide_lines():
    for path in markdown.pages():
        for number, line in enumerate(markdown.read(path).split("\n"), 1):
            limit = TABLE_WIDTH if line.startswith("|") else WIDTH
            if len(line) > limit and " " in line.strip():
                yield f"{path}:{number}: {len(line)} characters; at most {limit}"


def broken_links():
    for path in markdown.pages():
        for number, target in markdown.links(markdown.read(path)):
            if re.match(r"[a-z]+:", target):
                continue
            file, _, anchor = target.partition("#")
            there = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
            if not os.path.exists(os.path.join(markdown.ROOT, there)):
                yield f"{path}:{number}: no file {target}"
            elif anchor and there.endswith(".md") and anchor not in markdown.anchors(markdown.read(there)):
                yield f"{path}:{number}: no heading for {target}"


def pages_without_link():
    """Pages that the contents page does not list."""
    listed = {target.partition("#")[0] for _, target in markdown.links(markdown.read("docs/README.md"))}
    for path in markdown.pages():
        name = os.path.basename(path)
        if path.startswith("docs/") and name != "README.md" and name not in listed:
            yield f"{path}: docs/README.md does not link to it"


def unexplained_terms():
    """Terms of the page without an entry in the glossary, to which their tooltips link."""
    there = markdown.anchors(markdown.read("docs/glossary.md"))
    terms = re.findall(r"^    '?([a-z-]+)'?: \{", markdown.read("web/src/base/terms.ts"), re.M)
    if len(terms) < 10:
        yield "web/src/base/terms.ts: the list of terms was not found"
    for term in terms:
        if term not in there:
            yield f"docs/glossary.md: no heading for the term {term}"


def unused_pictures():
    used = {os.path.basename(target) for path in markdown.pages() for _, target in markdown.links(markdown.read(path))}
    folder = os.path.join(markdown.ROOT, "docs", "images")
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        if name not in used:
            yield f"docs/images/{name}: no page shows it"


def vanished_code():
    """Functions and files that docs/architecture.md names, and which the tree does not have."""
    text = markdown.read("docs/architecture.md")
    present = text.partition("## Recipes")[0]  # which names files that are still to be written
    sources = [path for folder in ("base", "compare", "importers", "schema", "server", "slices")
               for path in glob.glob(os.path.join(markdown.ROOT, folder, "**", "*.[ch]"), recursive=True)]
    code = "\n".join(markdown.read(path) for path in sources)
    for name in sorted(set(re.findall(r"`(ps_\w+)\(\)`", text))):
        if not re.search(rf"\b{name}\(", code):
            yield f"docs/architecture.md: no function {name}"
    for path in sorted(set(re.findall(r"`((?:\w[\w.]*/)+[\w.]*)`", present))):
        if not os.path.exists(os.path.join(markdown.ROOT, path)):
            yield f"docs/architecture.md: no file {path}"


def missing_kinds():
    """Kinds of importers/kinds.c that a table of the documentation lacks in its first column."""
    kinds = re.findall(r'\.name = "([^"]+)"', markdown.read("importers/kinds.c"))
    if len(kinds) < 10:
        yield "importers/kinds.c: the list of kinds was not found"
    for path, title in (("docs/formats.md", "| kind | written by |"), ("docs/api-views.md", "| kind of the run | views |"),
                        ("docs/api-views.md", "| kind | causes |"),
                        ("docs/api-compare.md", "| kind | tables (`of`) |")):
        tables = re.findall(rf"^{re.escape(title)}.*\n\|[-| ]+\n((?:\|.*\n)+)", markdown.read(path), re.M)
        present = {re.sub(r" \(.*", "", kind) for table in tables for cell in re.findall(r"^\| ([^|]+) \|", table, re.M) for kind in cell.split(", ")}
        for kind in kinds:
            if kind not in present:
                yield f"{path}: no row for the kind {kind} below \"{title}\""


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids, self.targets = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for key, value in attrs:
            if key == "id":
                self.ids.add(value)
            elif key in ("href", "src"):
                self.targets.append(value)


def broken_built_links(dist):
    with open(os.path.join(dist, "manifest.json"), encoding="utf-8") as file:
        files = {row["path"]: row["file"] for row in json.load(file)}
    pages = {}
    for path, name in files.items():
        if path.startswith("/docs") and name.endswith(".html"):
            with open(os.path.join(dist, name), encoding="utf-8") as file:
                pages[path] = Page(file.read())
    if len(pages) < 2:
        yield f"{dist} has no pages under /docs"
    for path, page in pages.items():
        for target in page.targets:
            if re.match(r"[a-z]+:", target):
                continue
            there, _, anchor = target.partition("#")
            there = there or path
            if there not in files:
                yield f"{path}: links to {target}, which the program does not serve"
            elif anchor and there in pages and anchor not in pages[there].ids:
                yield f"{path}: {target} has no such anchor"


def main():
    checks = [("lines are not too wide", wide_lines), ("links lead somewhere", broken_links),
              ("the contents page lists all pages", pages_without_link), ("each picture is shown", unused_pictures),
              ("the glossary has the terms of the page", unexplained_terms), ("the architecture names what there is", vanished_code),
              ("tables of kinds have all kinds", missing_kinds)]
    if len(sys.argv) > 1:
        checks.append(("links of the built pages lead somewhere", lambda: broken_built_links(sys.argv[1])))
    failed = 0
    for name, check in checks:
        faults = list(check())
        failed += bool(faults)
        print(f"{'FAILED' if faults else 'ok'}: {name}")
        for fault in faults:
            print(f"  {fault}")
    print(f"{len(checks) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
