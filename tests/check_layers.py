#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Who may include whom. Reads every #include and every import, prints each that breaks a rule, and a count.

A rule that has to be broken for a while stands in DEBTS at the foot of this file, with the reason; a debt that is
no longer owed is an error too, so the list only shrinks.
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# folder -> what its files may include of ours, as prefixes of paths. A folder may always include itself.
C_RULES = {
    "base": [],
    "slices": ["base/"],
    "compare": ["base/"],
    "importers": ["base/", "slices/"],
    "server/runfile": ["base/", "slices/", "importers/sink.h", "schema/"],
    "server/runwrite": ["base/", "slices/", "importers/sink.h", "schema/", "server/runfile/"],
    "server/catalog": ["base/", "slices/", "importers/sink.h", "schema/", "server/runfile/", "server/runwrite/"],
    "server/replica": ["base/", "schema/", "server/runfile/", "server/catalog/"],
    "server/maintenance": ["base/", "schema/", "server/runfile/", "server/runwrite/", "server/catalog/", "server/replica/"],
    "server/query": ["base/", "compare/", "slices/", "importers/sink.h", "server/runfile/", "server/catalog/"],
    "server/http": ["base/"],
    "server/sandbox": ["base/"],
    "server/jobs": ["base/", "importers/", "server/sandbox/", "server/catalog/", "server/runfile/", "server/runwrite/"],
    "server/share": ["base/", "importers/sink.h", "slices/", "server/query/", "server/catalog/", "server/runfile/", "server/runwrite/"],
    "server/offline": ["base/", "importers/sink.h", "server/http/", "server/query/", "server/catalog/", "server/runfile/"],
    "server/api": ["base/", "importers/", "server/http/", "server/query/", "server/share/", "server/catalog/", "server/runfile/", "server/jobs/"],
    "server/cli": ["base/", "importers/", "schema/", "server/"],
    "server": ["base/", "importers/", "schema/", "server/"],
    "schema": [],
    "tests": [""],
}

# Headers of libraries that one folder alone may know.
C_LIBRARIES = {
    "sqlite3.h": ["base", "server/runfile", "server/runwrite", "server/catalog", "server/replica", "server/maintenance", "server/offline"],  # base/sqlite*.c: profiles that are databases, untrusted and only read
    "libpq-fe.h": ["server/replica"],
    "microhttpd.h": ["server/http"],
    "cjson/cJSON.h": ["importers", "server/api", "server/cli"],
    "curl/": ["server/cli"],
    "pcre2.h": ["server/runfile"],
    "nettle/": ["base", "server/runwrite", "server/catalog"],
    "sodium.h": ["base"],
    "archive_entry.h": ["base"],
    "isa-l": ["base", "server/http", "server/catalog"],
    "zstd.h": ["base"],
}

WEB_LAYERS = ["base", "model", "canvas", "components", "views"]  # each may import itself and those before it
WEB_ONE_FILE = {"chart.js": "web/src/components/chart.ts"}
# What touches the page may not stand in these folders; only views may fetch, through base/client.ts.
WEB_NO_DOM = ["web/src/model"]
WEB_DOM = re.compile(r"\b(document|window|localStorage|sessionStorage|navigator|HTMLElement|CanvasRenderingContext2D)\b[.\[]")

WEB_FETCH = {"getJson", "upload", "events", "sendJson", "fileFor"}
CLIENT_IMPORT = re.compile(r"import\s*\{([^}]*)\}\s*from\s*['\"][^'\"]*base/client['\"]")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
IMPORT = re.compile(r"""(?:^|\n)\s*(?:import|export)\b[^'";]*?from\s*['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)|(?:^|\n)\s*import\s*['"]([^'"]+)['"]""")
COMMENTS = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)


def files(folder, *endings):
    for path, _, names in sorted(os.walk(os.path.join(ROOT, folder))):
        if "node_modules" in path or "/dist" in path:
            continue
        for name in sorted(names):
            if name.endswith(endings):
                yield os.path.relpath(os.path.join(path, name), ROOT)


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def layer_of(path):
    """The longest folder of C_RULES that holds the file."""
    return max((folder for folder in C_RULES if path.startswith(folder + "/")), key=len, default=None)


def c_faults(path):
    layer = layer_of(path)
    for kind, header in INCLUDE.findall(read(path)):
        if kind == "<":
            for library, folders in C_LIBRARIES.items():
                if header.startswith(library) and layer not in folders and layer != "tests":
                    yield f"<{header}> belongs to {' and '.join(folders)}"
            continue
        if layer is None or header.startswith(layer + "/"):
            continue
        if "/" not in header:
            if layer != "tests":
                yield f'"{header}" has no folder'
        elif not any(header.startswith(prefix) for prefix in C_RULES[layer]):
            yield f'"{header}": {layer} may not include it'


def web_layer(path):
    part = path.split("/")[2]
    return WEB_LAYERS.index(part) if part in WEB_LAYERS else len(WEB_LAYERS)


def web_faults(path):
    text = COMMENTS.sub("", read(path))
    for groups in IMPORT.findall(text):
        name = next(filter(None, groups))
        if not name.startswith("."):
            for library, only in WEB_ONE_FILE.items():
                if name.split("/")[0] == library and path != only:
                    yield f"{name}: only {only} imports it"
            continue
        target = os.path.normpath(os.path.join(os.path.dirname(path), name))
        if target.startswith("web/src/") and web_layer(target) > web_layer(path):
            yield f"{name}: {path.split('/')[2]} stands below {target.split('/')[2]}"
    for names in CLIENT_IMPORT.findall(text):
        fetching = WEB_FETCH & set(re.findall(r"\w+", names))
        if fetching and path.split("/")[2] in ("model", "canvas", "components"):
            yield f"{', '.join(sorted(fetching))}: only views fetch"
    if any(path.startswith(folder + "/") for folder in WEB_NO_DOM):
        for word in dict.fromkeys(WEB_DOM.findall(text)):
            # A parameter or variable may be called so; what is declared here is not the browser's.
            if not re.search(rf"(?:\b(?:const|let)\s+|[(,{{]\s*){word}\s*[:=,)}}]", text):
                yield f"touches the page: {word}"


def check(paths, faults_of):
    return [f"{path}: {fault}" for path in paths for fault in faults_of(path)]


def main():
    c_paths = [p for folder in ("base", "slices", "compare", "importers", "server", "schema", "tests")
               for p in files(folder, ".c", ".h")]
    web_paths = list(files("web/src", ".ts", ".tsx"))
    faults = check(c_paths, c_faults) + check(web_paths, web_faults)
    unpaid = [fault for fault in faults if fault not in DEBTS]
    paid = [debt for debt in DEBTS if debt not in faults]
    for fault in unpaid:
        print(fault)
    for debt in paid:
        print(f"{debt}: no longer owed; take it off the list at the foot of tests/check_layers.py")
    print(f"layers of {len(c_paths)} C and {len(web_paths)} web files, {len(DEBTS)} known debts")
    failed = bool(unpaid or paid)
    print(f"{int(not failed)} passed, {int(failed)} failed")
    return int(failed)


# Known debts: "path: fault" -> why, and what would pay it.
DEBTS = {}

if __name__ == "__main__":
    sys.exit(main())
