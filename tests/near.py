#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The suites nearest to a changed C file, for `./dev try`: tests/near.py [--list] FILE

A suite of tests/http, tests/cli, tests/corpus or tests/browser is near when its name has a word of the file's, or when it asks for a
view that the file answers: server/query/run_views.c names the function of each view, and functions are followed to the files that call
them. It is less near when its name has a word of a command, an endpoint or an importer that calls the file's functions. The nearest
run, as many as took about 20 seconds in the last run of `./dev test`, up to the first that fails. The pinned answers (tests/pinned) are
near each file that computes answers.
"""
import glob
import os
import re
import subprocess
import sys

from run_steps import SECONDS

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUDGET_S = 20
UNKNOWN_S = {"http": 4, "cli": 4, "corpus": 6, "browser": 15}  # of a suite that no run before has timed
COMPUTING = ("compare/", "importers/", "server/query/", "slices/")
PINNED = ("http", "pinned_http")
TOO_COMMON = {"of", "the", "c", "h", "server", "query", "api", "importers", "base", "trace", "view", "read", "text", "table", "test", "cli", "run"}
DEFINED = re.compile(r"^(?!static\b)\w[\w *]*?\b(ps_\w+)\(", re.M)


def content(path):
    with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def stem_of(word):
    """Of a noun in the plural, or of a participle: `function` of `functions`, `change` of `changed`."""
    return re.sub(r"(?<=e)d$", "", word.rstrip("s"))


def words(path):
    """Of its name and its folder, in the singular, without those that many files have. The folder of an importer is its format."""
    stem, folder = os.path.splitext(os.path.basename(path))[0], os.path.basename(os.path.dirname(path))
    of_format = {stem_of(folder)} if path.startswith("importers/") else set()
    return ({stem_of(word) for word in re.split(r"[_/.-]", f"{stem}/{folder}")} - TOO_COMMON) - {"import"} | of_format


def views_of(path):
    """The views that the file answers, or that files answer which call its functions; and the reads that have a word of its name."""
    subject, reads = words(path), re.findall(r'READ\("([^"]+)"', content("server/query/reads.h"))
    views = {last for read in reads if "{" not in (last := read.removeprefix("runs/{run}/")) and words(last) & subject}
    if path.startswith("importers/"):
        return set()
    if not path.startswith(("server/query/", "compare/", "slices/")):
        return views
    functions = set(DEFINED.findall(content(path)))
    answers = functions & set(re.findall(r"ps_view_\w+", " ".join(functions)))
    for other in glob.glob("server/query/**/*.c", root_dir=ROOT, recursive=True):
        text = content(other)
        if other != "server/query/run_views.c" and functions & set(re.findall(r"\bps_\w+", text)):
            answers |= {name for name in DEFINED.findall(text) if name.startswith("ps_view_")}
    rows = re.findall(r'"([\w/{}]+)", (ps_view_\w+)', content("server/query/run_views.c"))
    return views | {view.split("/{")[0] for view, function in rows if function in answers and function != "ps_view_table"}


def words_of_callers(path):
    """Of the commands and endpoints that call functions of the file; of a part of importers, of the importers that do."""
    functions = set(DEFINED.findall(content(path)))
    folders = ("importers",) if path.startswith("importers/") else ("server/agent", "server/api", "server/cli") if path.startswith("server/") else ()
    callers = {other for folder in folders for other in glob.glob(f"{folder}/**/*.c", root_dir=ROOT, recursive=True)} - {path}
    return {word for other in callers if functions & set(re.findall(r"\bps_\w+", content(other))) for word in words(other)}


def last_seconds():
    try:
        return {row[3]: float(row[0]) for row in map(str.split, content("build/logs/times").splitlines()) if len(row) == 5}
    except FileNotFoundError:
        return {}


def near(path):
    """(step, name) of the suites, nearest first, within the time."""
    subject, views, seconds, found = words(path), views_of(path), last_seconds(), []
    of_callers = words_of_callers(path) - subject
    asked = re.compile("|".join(rf"[\"/]{re.escape(view)}\b" for view in sorted(views))) if views else None
    for step, pattern in (("http", "*_http.py"), ("cli", "*_cli.py"), ("corpus", "*_corpus.py"), ("browser", "*.mjs")):
        for suite in sorted(glob.glob(f"tests/{step}/{pattern}", root_dir=ROOT)):
            name = os.path.splitext(os.path.basename(suite))[0]
            of_suite = {stem_of(word) for word in name.split("_")}
            shared = len(subject & of_suite) + len(of_callers & of_suite) / 2
            mentions = len(asked.findall(content(suite))) if asked and step == "http" else 0
            if shared or mentions:
                found.append((step == "browser", -10 * shared - 3 * min(mentions, 9), seconds.get(f"{step}/{name}", SECONDS.get(name, UNKNOWN_S[step])), step, name))
    left = BUDGET_S
    if path.startswith(COMPUTING):
        found = [row for row in found if row[3:] != PINNED]
        left -= seconds.get("/".join(PINNED), SECONDS[PINNED[1]])
        yield PINNED
    for _, _, needed, step, name in sorted(found):
        if needed <= left or left == BUDGET_S:
            left -= needed
            yield step, name


def main(options):
    [path] = [os.path.relpath(option, ROOT) for option in options if not option.startswith("--")]
    for step, name in near(path):
        if "--list" in options:
            print(f"{step}/{name}")
            continue
        print(f"== {step}/{name}", flush=True)
        environment = dict(os.environ, PYTHONPATH=os.path.join(ROOT, "tests", step), PYTHONDONTWRITEBYTECODE="1", PERFSHELF_SHORT="1")
        command = ["node", "tests/browser/run.mjs", name] if step == "browser" else [sys.executable, "-m", "unittest", name]
        if subprocess.run(command, cwd=ROOT, env=environment).returncode:
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
