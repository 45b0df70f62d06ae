#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Who may include whom, who may name a kind of profile, and who may put claims into words. Reads every #include, every import and every literal, prints each
that breaks a rule, and a count.

A module includes only the modules that C_RULES allows, and of these only the headers in PUBLIC. Neither modules nor headers
include each other in a circle. Files call each other in a circle in the folders of CIRCLES only.

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
    "server/runfile": ["base/", "slices/", "importers/records/", "schema/"],
    "server/runwrite": ["base/", "slices/", "importers/sink.h", "importers/records/", "schema/", "server/runfile/"],
    "server/catalog": ["base/", "slices/", "schema/", "server/runfile/", "server/runwrite/"],
    "server/replica": ["base/", "schema/", "server/runfile/", "server/catalog/"],
    "server/maintenance": ["base/", "schema/", "server/runfile/", "server/runwrite/", "server/catalog/", "server/replica/"],
    "server/query": ["base/", "compare/", "slices/", "importers/records/", "importers/kinds.h", "server/runfile/", "server/catalog/"],
    "server/http": ["base/"],
    "server/sandbox": ["base/"],
    "server/jobs": ["base/", "importers/", "server/sandbox/", "server/catalog/", "server/runfile/", "server/runwrite/"],
    "server/share": ["base/", "importers/kinds.h", "slices/", "server/query/", "server/catalog/", "server/runfile/", "server/runwrite/"],
    "server/offline": ["base/", "server/http/", "server/query/", "server/catalog/", "server/runfile/"],
    "server/text": ["base/"],
    "server/agent": ["base/", "importers/kinds.h", "importers/records/environment.h", "schema/", "server/http/", "server/text/"],
    "server/api": ["base/", "importers/", "server/agent/", "server/http/", "server/query/", "server/share/", "server/catalog/", "server/runfile/", "server/jobs/"],
    "server/cli": ["base/", "compare/", "importers/", "schema/", "server/"],
    "server": ["base/", "importers/", "schema/", "server/"],
    "schema": [],
    "tests": [""],
}

# The headers of a module that other modules may include; its other headers are private. base and slices have no private ones.
# A header of some modules only has a list of them: these are written against the inside of the other module.
ALL = None
PUBLIC = {
    "compare": {"change_points.h": ALL, "comparison.h": ALL, "drift.h": ALL, "function_changes.h": ALL, "judge.h": ALL, "modes.h": ALL, "pairs.h": ALL, "request_pairs.h": ALL, "results.h": ALL, "samples.h": ALL, "stats.h": ALL, "lazy_estimate.h": ALL},
    "importers": {
        # files of which several are one run
        "measurements/asv.h": ALL,
        "measurements/criterion.h": ALL,
        "serving/job.h": ALL,
        "importer.h": ALL,
        "kinds.h": ALL,
        "records/actions.h": ALL,
        "records/collectives.h": ALL,
        "records/environment.h": ALL,
        "records/functions.h": ALL,
        "records/imports.h": ALL,
        "records/lines.h": ALL,
        "records/measurements.h": ALL,
        "records/memory_curve.h": ALL,
        "records/printed.h": ALL,
        "records/requests.h": ALL,
        "records/run.h": ALL,
        "records/snapshot.h": ALL,
        "records/stacks.h": ALL,
        "records/steps.h": ALL,
        "records/trace.h": ALL,
        "sink.h": ALL,
        "text/clean.h": ["server/jobs"],
        "trace/job_rank.h": ALL,
        "trace/xla_job.h": ALL,
    },
    "server/runfile": {
        "db.h": ALL,
        "trace.h": ALL,
        "trace_steps.h": ["server/query"],
        "handle.h": ["server/runwrite", "server/catalog"],
        "trace_reader.h": ["server/runwrite"],
    },
    "server/runwrite": {"checks.h": ALL, "import_shared.h": ALL, "rewrite.h": ALL, "run_rows.h": ALL, "run_tables.h": ALL, "run_writer.h": ALL},
    "server/catalog": {
        "changes.h": ALL,
        "clock_check.h": ALL,
        "deleted.h": ALL,
        "gzip_writer.h": ALL,
        "job_rows.h": ALL,
        "names_db.h": ALL,
        "partial.h": ALL,
        "temp_shelf.h": ALL,
        "quota.h": ALL,
        "readers.h": ALL,
        "retention.h": ALL,
        "store.h": ALL,
        "tokens.h": ALL,
        # For backends, and for what reads and writes shelves as a whole.
        "backend.h": ["server/replica", "server/maintenance", "server/offline"],
        "catalog_tables.h": ["server/replica", "server/maintenance"],
        "copy_file.h": ["server/replica", "server/maintenance"],
        "files.h": ["server/replica", "server/maintenance"],
        "state.h": ["server/replica", "server/maintenance", "server/offline"],
        "uploads.h": ["server/replica"],
    },
    "server/replica": {"replica.h": ALL, "url.h": ALL},
    "server/maintenance": {"maintenance.h": ALL, "transfer.h": ALL},
    "server/query": {"compare/groups.h": ALL, "compare/headline.h": ALL, "query.h": ALL, "reads.h": ALL, "shelf.h": ALL, "user_query.h": ALL},
    "server/http": {
        "assets.h": ALL,
        "guard.h": ALL,
        "http.h": ALL,
        "hub.h": ALL,
        "listen.h": ALL,
        "local.h": ALL,
        "negotiate.h": ALL,
        "reply.h": ALL,
        "router.h": ALL,
        "request.h": ALL,
        "upload.h": ALL,
        "url.h": ALL,
        "work.h": ALL,
    },
    "server/sandbox": {"child.h": ALL, "frame.h": ALL, "sandbox.h": ALL},
    "server/jobs": {
        "import.h": ALL,
        "import_process.h": ALL,
        "importer_main.h": ALL,
        "copies.h": ["server/cli"],
        "jobs.h": ALL,
        "members.h": ALL,
        "merge.h": ALL,
        "parts.h": ALL,
        "samples.h": ALL,
        "serving_files.h": ALL,
        "sniff.h": ALL,
        "sources.h": ALL,
    },
    "server/share": {"bundle.h": ALL, "selection.h": ALL, "redact.h": ALL},
    "server/offline": {},
    "server/agent": {"agent.h": ALL, "budget.h": ["server/cli"], "check.h": ["server/cli"], "rpc.h": ALL},
    "server/text": {"answer.h": ALL, "output.h": ALL, "table.h": ALL, "text.h": ALL},
    "server/api": {"api.h": ALL},
    "server/cli": {
        "cli.h": ALL,
        "commands/complete.h": ALL,
        "options/features.h": ALL,
        "options/help.h": ALL,
        "options/retention_options.h": ALL,
        "options/option_values.h": ALL,
        "options/options.h": ALL,
        "progress.h": ALL,
        "commands/serve.h": ALL,
        "client/server_record.h": ALL,
    },
}

# Folders whose files still call each other in a circle. The files of all others do not.
CIRCLES = ("server/catalog/", "server/cli/", "server/runfile/", "server/share/", "tests/")
# A function or table at the start of a line.
C_DEFINITION = re.compile(r"^(?!static\b|typedef\b|extern\b)[a-z][\w \t*]*?\b(\w+)(?:\([^;{}]*?\)\s*\{|(?:\[[^\]]*\])+ = )", re.M)

# Headers of libraries that one folder alone may know.
C_LIBRARIES = {
    "sqlite3.h": ["base", "server/runfile", "server/runwrite", "server/catalog", "server/replica", "server/maintenance", "server/offline"],  # base/sqlite*.c: profiles that are databases, untrusted and only read
    "libpq-fe.h": ["server/replica"],
    "microhttpd.h": ["server/http"],
    "cjson/cJSON.h": ["importers", "server/text", "server/agent", "server/api", "server/cli"],
    "curl/": ["server/cli"],
    "pcre2.h": ["server/runfile"],
    "nettle/": ["base", "server/runwrite", "server/catalog"],
    "sodium.h": ["base"],
    "archive_entry.h": ["base"],
    "isa-l": ["base", "server/http", "server/catalog"],
    "zstd.h": ["base"],
}

# What puts claims into words, and the files that may: the table, and the sentences in memory.
SAYS = re.compile(r"\b(ps_say(?!_(?:claim|changes)\b)(?:_\w+)?)\(")
WORDING = ("server/query/conclusion/words.c", "server/query/conclusion/sentence.c", "server/query/conclusion/conclusion_write.c", "server/query/conclusion/conclusion.h")

# Advice is a code of server/query/advice.h; its table has the sentence.
ADVISES = re.compile(r'\badvice =[^;]*"\w+ ')

WEB_LAYERS = ["base", "model", "canvas", "components", "features"]  # each may import itself and those before it
WEB_ONE_FILE = {"chart.js": "web/src/components/chart.ts"}
# What touches the page may not stand in these folders, nor in a file that web/test imports. Only features may fetch, through base/client.ts.
WEB_NO_DOM = ("web/src/base/", "web/src/model/")
WEB_DOM = re.compile(r"\b(document|window|location|history|localStorage|sessionStorage|navigator|HTMLElement|CanvasRenderingContext2D)\b[.\[]"
                     r"|(?<!\.)\b(addEventListener)\(")
WEB_CLIENT = "web/src/base/client.ts"
WEB_REQUEST = re.compile(r"(?<!\.)\bfetch\(|\bnew (?:XMLHttpRequest|EventSource|WebSocket)\b")

# The files of a feature that others may import; its other files are private. Features do not import each other in a circle.
# report may also import the tabs of all features, tab.tsx and *_tab.tsx; shared has what several features share and fetch, and imports no feature.
WEB_PUBLIC = {
    "app": ["app"],
    "calls": ["data", "function_actions", "function_selection", "graph_tab", "tree_pane"],
    "compare": ["state", "view"],
    "conclusion": ["conclusion"],
    "functions": ["printed_facts", "printed_reports"],
    "imports": ["who_imports_tab"],
    "lines": ["frame_source", "text"],
    "login": ["person_menu", "user", "view"],
    "measurements": ["facts"],
    "memory": ["device_pane"],
    "operators": ["kernels_table", "table"],
    "report": ["dialogs", "facts", "ledger_text", "run_body", "share_dialog", "tabs", "view"],
    "search": ["hit", "view"],
    "shared": ["chosen_step", "companions", "comparison_of", "failed_parts", "goodput", "mode_switch", "name_search", "notices", "other_runs", "paged_source", "row_actions", "row_link", "shelf_state", "step_button", "tab_list", "table_tab", "use_json"],
    "shelf": ["view"],
    "side": ["host", "panel", "view"],
    "snapshot": ["facts"],
    "sql": ["links", "result", "shelf", "state"],
    "stacks": ["flame_pane", "frame_selection", "functions_tab", "sample_types"],
    "timeline": ["search"],
    "trace": ["attribution", "columns", "data", "definition_switch", "facts", "name_actions", "table", "timeline_link", "toolbar", "worker_names"],
    "trend": ["link", "state", "view"],
    "upload": ["drop_target", "uploads"],
}

# What a kind offers stands in importers/kinds.c alone; the code of these folders asks for it (importers/kinds.h, web/src/base/kinds.ts).
NO_KINDS = ("server/query/", "server/agent/", "server/api/", "server/share/", "web/src/")
KIND_NAME = re.compile(r'\.name = "([^"]+)"')
KIND_WORDS = {"time", "top", "trace", "folded"}  # common words too: they count where the line speaks of a kind
LITERAL = re.compile(r"""(?P<quote>["'`])(?P<text>[\w -]+)(?P=quote)""")
KEY = re.compile(r"^\s*['\"]?([\w-]+)['\"]?\??: ")

WEB_FETCH = {"getJson", "upload", "events", "sendJson", "fileFor", "putBlob"}
CLIENT_IMPORT = re.compile(r"import\s*\{([^}]*)\}\s*from\s*['\"](?:[^'\"]*base|\.)/client['\"]")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
IMPORT = re.compile(r"""(?:^|\n)\s*(?:import|export)\b[^'";]*?from\s*['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)|(?:^|\n)\s*import\s*['"]([^'"]+)['"]""")
COMMENTS = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)


def files(folder, *endings):
    for path, _, names in sorted(os.walk(os.path.join(ROOT, folder))):
        if "node_modules" in path or "/dist" in os.path.relpath(path, ROOT):
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


def may_include(layer, header):
    """Whether a header of another module is public for this one."""
    owner = layer_of(header)
    if owner not in PUBLIC:
        return True
    name = header[len(owner) + 1:]
    return name in PUBLIC[owner] and (PUBLIC[owner][name] is ALL or layer in PUBLIC[owner][name])


def ours(path):
    """Our headers that the file includes."""
    return [header for kind, header in INCLUDE.findall(read(path)) if kind == '"' and "/" in header]


def header_faults(path):
    """Private headers of other modules, whether the file itself includes them or a public header brings them. Tests may include all."""
    layer = layer_of(path)
    if layer == "tests":
        return
    for header in ours(path):
        if layer_of(header) != layer and not may_include(layer, header):
            yield f'"{header}" is private'
    if path.endswith(".h") and PUBLIC.get(layer, {}).get(path[len(layer) + 1:], "") is ALL:
        for header in ours(path):
            owner = layer_of(header)
            if owner in PUBLIC and PUBLIC[owner].get(header[len(owner) + 1:], "") is not ALL:
                yield f'"{header}" is private, and this header is public'


def public_faults(paths):
    """Headers of PUBLIC that need not be public: no other module and no public header of their own module includes them."""
    needed = {header for path in paths for header in ours(path)
              if layer_of(header) != layer_of(path) != "tests" or path[len(layer_of(path)) + 1:] in PUBLIC.get(layer_of(path), ())}
    for owner, names in PUBLIC.items():
        for name in names:
            if f"{owner}/{name}" not in needed:
                yield f"{owner}/{name}: is in PUBLIC, and no other module includes it"


def cycles(graph):
    """The groups of nodes that reach each other. graph: node -> nodes."""
    def reach(start):
        found, left = set(), [start]
        while left:
            for node in graph.get(left.pop(), ()):
                if node not in found:
                    found.add(node)
                    left.append(node)
        return found
    reached = {node: reach(node) for node in graph}
    return sorted({tuple(sorted(other for other in reached[node] if node in reached.get(other, ()))) for node in graph if node in reached[node]})


def cycle_faults(paths):
    modules, headers = {}, {}
    for path in paths:
        layer = layer_of(path)
        if layer == "tests":
            continue
        included = ours(path)
        modules.setdefault(layer, set()).update(layer_of(header) for header in included if layer_of(header) not in (layer, None))
        if path.endswith(".h"):
            headers[path] = included
    for kind, graph in (("modules", modules), ("headers", headers)):
        for cycle in cycles(graph):
            yield f"{kind} include each other: {', '.join(cycle)}"


def file_circle_faults(paths):
    """Circles of .c files, outside of CIRCLES, by the functions and tables that our headers declare."""
    texts = {path: COMMENTS.sub("", read(path)) for path in paths if not path.startswith(CIRCLES)}
    declared = {name for path, text in texts.items() if path.endswith(".h") for name in re.findall(r"\b(\w+)\s*[(\[,;]", text)}
    owner = {name: path for path, text in texts.items() if path.endswith(".c") for name in C_DEFINITION.findall(text) if name in declared}
    graph = {path: {owner[word] for word in set(re.findall(r"\b\w+\b", text)) if owner.get(word, path) != path}
             for path, text in texts.items() if path.endswith(".c")}
    for cycle in cycles(graph):
        yield f"files call each other: {', '.join(cycle)}"


def web_layer(path):
    part = path.split("/")[2]
    return WEB_LAYERS.index(part) if part in WEB_LAYERS else len(WEB_LAYERS)


def web_feature(path):
    """The feature that the file belongs to; of other files the folder."""
    parts = path.split("/")
    return parts[3] if parts[2] == "features" else parts[2]


def web_imports(path):
    """The names that the file imports, and for our files their paths, without ending."""
    for groups in IMPORT.findall(COMMENTS.sub("", read(path))):
        name = next(filter(None, groups))
        yield name, os.path.normpath(os.path.join(os.path.dirname(path), name)) if name.startswith(".") else None


def web_is_private(path, target):
    """Whether the target, without ending, is a private file of another feature."""
    if not target.startswith("web/src/features/") or web_feature(target) == web_feature(path):
        return False
    return not is_tab_of_report(path, target) and os.path.basename(target) not in WEB_PUBLIC.get(web_feature(target), ())


def is_tab_of_report(path, target):
    return web_feature(path) == "report" and os.path.basename(target).split("_")[-1] == "tab"


def web_faults(path, tested):
    text = COMMENTS.sub("", read(path))
    layer = path.split("/")[2]
    for name, target in web_imports(path):
        if target is None:
            for library, only in WEB_ONE_FILE.items():
                if name.split("/")[0] == library and path != only:
                    yield f"{name}: only {only} imports it"
        elif target.startswith("web/src/") and web_layer(target) > web_layer(path):
            yield f"{name}: {layer} stands below {target.split('/')[2]}"
        elif web_is_private(path, target):
            yield f"{name}: is private; see WEB_PUBLIC"
    if layer in WEB_LAYERS and layer != "features":
        for names in CLIENT_IMPORT.findall(text):
            fetching = WEB_FETCH & set(re.findall(r"\w+", names))
            if fetching:
                yield f"{', '.join(sorted(fetching))}: only features fetch"
    if layer in WEB_LAYERS and path != WEB_CLIENT and WEB_REQUEST.search(text):
        yield f"only {WEB_CLIENT} sends requests"
    if path.startswith(WEB_NO_DOM) or os.path.splitext(path)[0] in tested:
        for word in dict.fromkeys(filter(None, (word for match in WEB_DOM.finditer(text) for word in match.groups()))):
            # A parameter or variable may be called so; what is declared here is not the browser's.
            if not re.search(rf"(?:\b(?:const|let)\s+|[(,{{]\s*){word}\s*[:=,)}}]", text):
                yield f"touches the page: {word}"


def web_feature_faults(paths):
    """Circles of features, and files of WEB_PUBLIC that need not be public."""
    graph, needed = {}, set()
    for path in paths:
        for _, target in web_imports(path):
            if target and target.startswith("web/src/features/") and web_feature(target) != web_feature(path):
                if not is_tab_of_report(path, target):
                    needed.add(target)
                graph.setdefault(web_feature(path), set()).add(web_feature(target))
    for cycle in cycles(graph):
        yield f"features import each other: {', '.join(cycle)}"
    for feature, names in WEB_PUBLIC.items():
        for name in names:
            if f"web/src/features/{feature}/{name}" not in needed:
                yield f"{feature}/{name}: is in WEB_PUBLIC, and no other feature imports it"


def kind_names():
    return set(KIND_NAME.findall(read("importers/kinds.c")))


def kind_faults(path, names):
    """Literals that are names of kinds or lists of them, and such keys of a table in TypeScript."""
    if not path.startswith(NO_KINDS):
        return
    for line in COMMENTS.sub("", read(path)).splitlines():
        texts = [match["text"] for match in LITERAL.finditer(line)]
        key = KEY.match(line)
        if key and path.startswith("web/") and key[1] not in KIND_WORDS:
            texts.append(key[1])
        for text in texts:
            words = set(text.split())
            if words and words <= names and not (words <= KIND_WORDS and "kind" not in line.lower()):
                yield f"names a kind: {text.strip()}; ask importers/kinds.h or base/kinds.ts what it has"


def word_faults(path):
    """Claims get their words in one file, so that all say the same thing in the same words."""
    if path.startswith("server/") and path not in WORDING:
        for found in sorted(set(SAYS.findall(COMMENTS.sub("", read(path))))):
            yield f"calls {found}(); fill in a claim, and let the table of server/query/conclusion/words.c say it"
    if path.startswith("server/query/") and ADVISES.search(COMMENTS.sub("", read(path))):
        yield "has advice in words; add a code to server/query/advice.h, and its sentence to the table beside it"


def check(paths, faults_of):
    return [f"{path}: {fault}" for path in paths for fault in faults_of(path)]


def main():
    c_paths = [p for folder in ("base", "slices", "compare", "importers", "server", "schema", "tests")
               for p in files(folder, ".c", ".h")]
    web_paths = list(files("web/src", ".ts", ".tsx"))
    names = kind_names()
    faults = check(c_paths, c_faults) + check(c_paths, header_faults)
    tested = {target for path in files("web/test", ".ts") for _, target in web_imports(path) if target and not target.startswith("web/src/offline/")}
    faults += check(web_paths, lambda path: web_faults(path, tested))
    faults += check(c_paths + web_paths, lambda path: kind_faults(path, names))
    faults += check(c_paths, word_faults)
    faults += [*cycle_faults(c_paths), *file_circle_faults(c_paths), *public_faults(c_paths), *web_feature_faults(web_paths)]
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
