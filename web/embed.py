#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the table of embedded files: web/dist as manifest.json lists it, or one page that says how to build it;
and the page of HTML exports, or nothing where it was not built.

usage: embed.py DIST OUT.c [--no-offline]     --no-offline: also nothing where it was built

The bytes come in through .incbin, so that a megabyte of WebAssembly costs the compiler nothing.
"""
import hashlib
import json
import os
import sys

HEAD = """/* Written by web/embed.py. */
#include "server/http/assets.h"

"""
GRAPHVIZ = "/assets/graphviz-"

NOT_BUILT = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>perfshelf: the page is not built</title>
<h1>The page is not built</h1>
<p>This perfshelf serves its API, but was compiled before the web UI was built.
Run <code>./dev build</code> in the source folder, then start it again.</p>
"""


def c_string(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def tag(path):
    with open(path, "rb") as file:
        return c_string('"' + hashlib.sha256(file.read()).hexdigest()[:16] + '"')


def rows_of(dist, out):
    """(row of the manifest, path of the raw file, path of the .gz or None)"""
    manifest = os.path.join(dist, "manifest.json")
    if os.path.exists(manifest):
        with open(manifest, encoding="utf-8") as file:
            for row in json.load(file):
                gz = row.get("gz")
                yield row, os.path.join(dist, row["file"]), os.path.join(dist, gz) if gz else None
        return
    page = os.path.splitext(out)[0] + ".html"
    with open(page, "w", encoding="utf-8") as file:
        file.write(NOT_BUILT)
    yield {"path": "/", "type": "text/html; charset=utf-8", "hashed": False}, page, None


def assembly(*lines):
    return "__asm__(" + "".join("\n        " + c_string(line)[:-1] + '\\n"' for line in (".section .rodata", ".balign 16", *lines, ".byte 0", ".previous")) + ");\n"


def labelled(name, *lines):
    return f".global ps_asset_{name}", f"ps_asset_{name}:", *lines, f".global ps_asset_{name}_end", f"ps_asset_{name}_end:"


def incbin(path):
    return f".incbin {c_string(os.path.abspath(path))}"


def declared(name):
    return f"extern const unsigned char ps_asset_{name}[], ps_asset_{name}_end[];\n"


def cells(number, row, raw, gz):
    return (
        f"    {{{c_string(row['path'])}, {c_string(row['type'])}, {tag(raw)}, {tag(gz) if gz else 'NULL'},\n"
        f"     ps_asset_{number}, ps_asset_{number}_end, {os.path.getsize(raw)}, {'true' if gz else 'false'}, "
        f"{'true' if row['hashed'] else 'false'}}},\n"
    )


def embedded(rows, dist, offline):
    """The bytes: of each file only the gzip form where there is one, which the server decompresses for the rare client without gzip.

    The page of HTML exports contains the script of Graphviz, which takes more than the rest of it. Gzip files in a row are one
    gzip file, so that the page is what comes before that script, the script as it is served, and what comes after it."""
    sides = [os.path.join(dist, f"offline-{side}.gz") for side in (0, 1)]
    has_page = offline and os.path.exists(sides[0])
    for number, (row, raw, gz) in enumerate(rows):
        lines = labelled(number, incbin(gz or raw))
        if has_page and row["path"].startswith(GRAPHVIZ):
            lines = labelled("offline", incbin(sides[0]), *lines, incbin(sides[1]))
        yield assembly(*lines) + declared(number)
    if not has_page:
        yield assembly(*labelled("offline"))
    yield declared("offline") + "const unsigned char *const ps_offline_page = ps_asset_offline;\n" \
        "const unsigned char *const ps_offline_page_end = ps_asset_offline_end;\n"


def main():
    dist, out, *options = sys.argv[1:]
    os.makedirs(os.path.dirname(os.path.abspath(out)), exist_ok=True)
    rows = list(rows_of(dist, out))
    with open(out, "w", encoding="utf-8") as file:
        file.write(HEAD)
        file.writelines(embedded(rows, dist, "--no-offline" not in options))
        file.write("\nconst struct ps_asset ps_assets[] = {\n")
        file.writelines(cells(number, *row) for number, row in enumerate(rows))
        file.write("};\nconst size_t ps_assets_count = sizeof ps_assets / sizeof *ps_assets;\n")


if __name__ == "__main__":
    main()
