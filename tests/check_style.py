#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks of form that a machine can judge: licence lines, section comments, callers of clocks, NULL as an error, and the subjects of commits. One result per check, not one per file.
(tests/docs/check_docs.py checks the width of Markdown. Everything else is read by people: docs/writing.md.)
"""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDERS = ("base", "ci", "slices", "compare", "importers", "schema", "packaging", "python", "server", "tests", "web")
SKIPPED_FOLDERS = ("node_modules", "samples", "dist", "__pycache__", "shots", "regression")
SUBJECTS_SINCE = "fcdbc6b"  # older ones follow no rule
SOURCE_ENDINGS = (".c", ".h", ".ts", ".tsx", ".mjs", ".py")


def is_recorded(folder):
    """Programs of the exam of conclusions: their recordings have the lines as they were."""
    return os.path.dirname(folder) == os.path.join(ROOT, "tests", "causes")


def sources():
    for top in FOLDERS:
        for path, folders, names in os.walk(os.path.join(ROOT, top)):
            folders[:] = [folder for folder in folders if folder not in SKIPPED_FOLDERS and not is_recorded(os.path.join(path, folder))]
            for name in sorted(names):
                if name.endswith(SOURCE_ENDINGS):
                    yield os.path.relpath(os.path.join(path, name), ROOT)


def licence_faults(paths):
    for path in paths:
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            if "SPDX-License-Identifier: MIT" not in file.read(200):
                yield f"{path}: no SPDX line"


def section_faults(paths):
    """A section comment of C is one line, `/* --- Title --- */`, which clang-format leaves alone. One alone divides nothing."""
    for path in paths:
        if not path.endswith((".c", ".h")):
            continue
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            sections = [(number, line.strip()) for number, line in enumerate(file, 1) if re.match(r"\s*/\* ?---", line)]
        for number, line in sections:
            if not re.fullmatch(r"/\* --- [^-\s].{0,60} --- \*/", line):
                yield f"{path}:{number}: a section comment is /* --- Title --- */"
        if len(sections) == 1:
            yield f"{path}:{sections[0][0]}: the only section of the file"


def clock_faults(paths):
    """Only base/clock.c asks the system for the time, sleeps or waits until a time, so that tests can let time pass."""
    calls = re.compile(r"\b(clock_gettime|gettimeofday|time|timespec_get|nanosleep|clock_nanosleep|usleep|sleep|pthread_cond_timedwait|"
                       r"pthread_cond_clockwait|pthread_mutex_timedlock|pthread_mutex_clocklock)\(")
    for path in paths:
        if not path.endswith(".c") or path.startswith("tests") or path == "base/clock.c":
            continue
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                found = calls.search(re.sub(r'/\*.*|^\s*\*.*|".*"|\b(ALLOW|BELOW)\(', "", line))
                if found:
                    yield f"{path}:{number}: {found[1]}() is called only by base/clock.c"


def arguments_of(text, opening):
    """The arguments of a call or a declaration; opening: where its parenthesis opens. None if it does not close."""
    depth, start, found = 0, opening + 1, []
    for match in re.finditer(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|[()\[\]{},]', text[opening:]):
        at = opening + match.start()
        if match[0] in "([{":
            depth += 1
        elif match[0] in ")]}":
            depth -= 1
            if depth == 0:
                return [*found, text[start:at]]
        elif match[0] == "," and depth == 1:
            found.append(text[start:at])
            start = at + 1
    return None


def without_comment(match):
    """A comment as blanks, so that the numbers of lines stay; a string as it is."""
    return match[0] if match[0][0] == '"' else re.sub(r"[^\n]", " ", match[0])


def null_error_faults(paths):
    """No call passes NULL as its struct ps_err *. Static functions of several files may share a name, so declarations count only in their own file."""
    texts = {}
    for path in paths:
        if path.endswith((".c", ".h")):
            with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                texts[path] = re.sub(r'"(?:\\.|[^"\\\n])*"|/\*.*?\*/', without_comment, file.read(), flags=re.S)
    public, private = {}, {}
    for path, text in texts.items():
        for match in re.finditer(r"(\w+)\)?\(", text):
            arguments = arguments_of(text, match.end() - 1) if match[1] not in ("if", "for", "while") else None
            for index, argument in enumerate(arguments or ()):
                if re.fullmatch(r"\s*struct ps_err \*\w*\s*", argument):
                    known = public if path.endswith(".h") else private.setdefault(path, {})
                    known[match[1], len(arguments)] = index
    for path, text in texts.items():
        known = {**public, **private.get(path, {})}
        names = {name for name, _ in known}
        for match in re.finditer(r"(\w+)\(", text):
            arguments = arguments_of(text, match.end() - 1) if match[1] in names else None
            index = known.get((match[1], len(arguments or ())))
            if index is not None and arguments[index].strip() == "NULL":
                yield f"{path}:{text.count(chr(10), 0, match.start()) + 1}: {match[1]} gets NULL as its struct ps_err *"


def subject_faults():
    """Of commits since the rule exists; none where the folder is no clone, or a shallow one."""
    known = subprocess.run(["git", "-C", ROOT, "cat-file", "-e", SUBJECTS_SINCE], capture_output=True, check=False)
    if known.returncode:
        return
    log = subprocess.run(["git", "-C", ROOT, "log", "--no-merges", "--format=%h %s", f"{SUBJECTS_SINCE}..HEAD"], capture_output=True, text=True, check=True)
    for line in log.stdout.splitlines():
        commit, _, subject = line.partition(" ")
        if len(subject) > 72:
            yield f"{commit}: the subject has {len(subject)} characters; at most 72"
        elif not re.match(r"[a-z][a-z0-9_, -]*: [^A-Z\s]", subject) or subject.endswith("."):
            yield f"{commit}: the subject is not `area: imperative`: {subject}"


def main():
    paths = list(sources())
    checks = [
        ("licence lines", list(licence_faults(paths))),
        ("section comments", list(section_faults(paths))),
        ("callers of clocks", list(clock_faults(paths))),
        ("errors that are NULL", list(null_error_faults(paths))),
        ("subjects of commits", list(subject_faults())),
    ]
    for name, faults in checks:
        print(f"{'FAILED' if faults else 'ok'}: {name}")
        for fault in faults:
            print(f"  {fault}")
    failed = sum(bool(faults) for _, faults in checks)
    print(f"{len(checks) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
