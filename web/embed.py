#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the table of embedded files: web/dist as manifest.json lists it, or one page that says how to build it;
and offline.html.gz, or nothing where it was not built.

usage: embed.py DIST OUT.c [--no-offline]     --no-offline: also nothing where it was built

The bytes come in through .incbin, so that a megabyte of WebAssembly costs the compiler nothing.
"""
import hashlib
import json
import os
import sys

HEAD = """/* Written by web/embed.py. */
#include "server/http/assets.h"

#define EMBED(name, file)                                                       \\
    __asm__(".section .rodata\\n.balign 16\\n.global ps_asset_" name "\\nps_asset_" name ":\\n" \\
            ".incbin \\"" file "\\"\\n.global ps_asset_" name "_end\\nps_asset_" name "_end:\\n" \\
            ".byte 0\\n.previous\\n")

"""

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


def embed(name, path):
    absolute = os.path.abspath(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'EMBED("{name}", "{absolute}");\nextern const unsigned char ps_asset_{name}[], ps_asset_{name}_end[];\n'


def entry(number, row, raw, gz):
    """Only the gzip form is embedded where there is one: the server decompresses it for the rare client without gzip."""
    cells = (
        f"    {{{c_string(row['path'])}, {c_string(row['type'])}, {tag(raw)}, {tag(gz) if gz else 'NULL'},\n"
        f"     ps_asset_{number}, ps_asset_{number}_end, {os.path.getsize(raw)}, {'true' if gz else 'false'}, "
        f"{'true' if row['hashed'] else 'false'}}},\n"
    )
    return embed(f"{number}", gz or raw), cells


def offline_page(dist, out, wanted):
    path = os.path.join(dist, "offline.html.gz")
    if not wanted or not os.path.exists(path):
        path = out + ".empty"  # /dev/null is no file to some assemblers
        open(path, "wb").close()
    text = embed("offline", path)
    return text + "const unsigned char *const ps_offline_page = ps_asset_offline;\n" \
        "const unsigned char *const ps_offline_page_end = ps_asset_offline_end;\n"


def main():
    dist, out, *options = sys.argv[1:]
    os.makedirs(os.path.dirname(os.path.abspath(out)), exist_ok=True)
    entries = [entry(number, *row) for number, row in enumerate(rows_of(dist, out))]
    with open(out, "w", encoding="utf-8") as file:
        file.write(HEAD)
        file.writelines(text for text, _ in entries)
        file.write(offline_page(dist, out, "--no-offline" not in options))
        file.write("\nconst struct ps_asset ps_assets[] = {\n")
        file.writelines(cells for _, cells in entries)
        file.write("};\nconst size_t ps_assets_count = sizeof ps_assets / sizeof *ps_assets;\n")


if __name__ == "__main__":
    main()
