#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The exam of conclusions: tests/causes/exam.py [--program FILE] [--cases FOLDER] [--verbose] [--raise] [KIND...]

Every case is a recording of a real tool of a program whose cause is known (README.md beside this file). Judged is the first claim of
the conclusion of a run, by its subject, verb and share. Where the case states none, of a pair, and of a program that has no claims,
judged is what a user reads: the first sentence, and what `diff` says.

    right   the first claim names the cause, or no cause where there is none; a promised saving is within its bounds
    half    the cause stands in a row of the causes only, or the promise is out of its bounds by less than a factor of two
    silent  no cause is named although there is one; nothing is promised
    wrong   another cause, or a promise where nothing can be saved, or one that is more than twice the bound
"""
import argparse
import glob
import hashlib
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
FLOOR = os.path.join(HERE, "floor.json")
# Verbs of claims that say the same of a subject; samplers do not count calls, so that they know no loop.
CLASSES = (("takes", "repeats", "recurs", "once"), ("waits",), ("starts",), ("holds", "adds"), ("idles",), ("grows", "slower"), ("flat", "too_few"), ("cannot_see",))
GRADES = ("right", "half", "silent", "wrong")
SILENT = re.compile(r"No single|No function changed|no function changed|No row changed|too short|Too few|too few|within noise|nothing (stands|changed)", re.I)


class Case:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            about = json.load(file)
        folder = os.path.dirname(path)
        self.name = os.path.basename(path)[:-len(".json")]
        self.kind = os.path.basename(folder)
        self.profile = os.path.join(folder, about["profile"])
        self.base = os.path.join(folder, about["base"]) if about.get("base") else None
        self.names, self.silent = about["names"], about["silent"]
        self.saves, self.measured = about["saves"], about["measured_saving"]
        self.subject, self.verb, self.share = about.get("subject"), about.get("verb"), about.get("share")

    def __str__(self):
        return f"{self.kind}/{self.name}"


class Said:
    """What a program says of a case: the first sentence, the rows of causes, the savings in percent of the whole by row; and of
    a run all words of the sentence without its numbers, and what other readers print of it."""

    def __init__(self, first, rows=(), savings=(), words="", others=None, claims=None, parts=()):
        self.first, self.rows, self.savings = first.split(" Next: ")[0], list(rows), list(savings)
        self.words, self.others, self.parts = words, others or {}, parts
        self.claim = claims[0] if claims else None

    def is_silent(self):
        if self.claim:
            return self.claim["verb"] in ("flat", "too_few")
        return bool(SILENT.search(self.first)) or not self.first.strip()

    def names(self, case):
        """Whether the first claim names the cause of a case, or the first sentence where there is no claim or the case has no subject."""
        if not self.claim or not case.subject:
            return any(name in self.first for name in case.names)
        return not keys_of(self.claim).isdisjoint(case.subject) and class_of(self.claim["verb"]) == class_of(case.verb) and \
            (not case.share or case.share[0] <= 100 * self.claim["share"] <= case.share[1])


def class_of(verb):
    return next(verbs for verbs in CLASSES if verb in verbs)


def keys_of(claim):
    """What a claim is about, without the words around it: names, the last part of names with dots, and places as FILE:LINE."""
    parts = [claim["loop"]["subject"], claim["loop"]["through"]] if claim["loop"] else []
    parts += [part for subject in claim["subjects"] for part in (subject["subject"], subject["via"])]
    parts += [fact["subject"] for fact in claim["facts"]]
    keys = set()
    for part in filter(None, parts):
        name = part["name"] or ""
        keys |= {name, name.rpartition(".")[2], part["package"]}
        if part["file"]:
            keys.add(f"{os.path.basename(part['file'])}:{part['line']}")
    return keys - {"", None}


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def text_of(parts):
    return "".join(part.get("text", part.get("code")) if "value" not in part else f"{part['value']:.4g} {part['unit']}" for part in parts or ())


def words_of(parts):
    return "".join(part.get("text") or part.get("code") or " " for part in parts or ())


def percent_saved(conclusion, cause):
    """A promise is part of the whole: a cause of 0.4 of it that saves half of its amount saves 20 percent."""
    most = cause["save_max"]
    if not most:
        return 0
    if conclusion.get("save_unit", conclusion["unit"]) == "percent":
        return most
    return 100 * most * cause["share"] / cause["amount"] if cause["amount"] and cause["share"] else math.inf


class Shelf:
    """A shelf with all profiles, served by the program that is examined."""

    def __init__(self, program, folder):
        self.program, self.data = program, os.path.join(folder, "shelf")
        self.server = None

    def call(self, verb, *args):
        done = subprocess.run([self.program, verb, "--data", self.data, *args], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{verb} {' '.join(args)}: {done.stderr}")
        return done.stdout

    def add(self, paths):
        """The id of the run of each path, and the messages of those that are refused. One process for all: one each would take most of the time."""
        done = subprocess.run([self.program, "add", "--data", self.data, "--json", "--", *paths], capture_output=True, text=True)
        runs = {run["sha256"]: run["id"] for run in map(json.loads, done.stdout.splitlines())}
        messages = dict(line.removeprefix("perfshelf: ").partition(": ")[::2] for line in done.stderr.splitlines())
        ids = {path: runs.get(sha256(path)) for path in paths}
        return ids, {path: messages.get(path, done.stderr) for path in paths if not ids[path]}

    def serve(self):
        self.server = subprocess.Popen([self.program, "serve", "--data", self.data, "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True)
        self.url = re.search(r"http://[\d.:]+", self.server.stdout.readline())[0]

    def get(self, path):
        with urllib.request.urlopen(f"{self.url}/api/v1{path}") as answer:
            return json.load(answer)

    def agent(self, run):
        """What agents read."""
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "summary", "arguments": {"run": run}}}
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        with urllib.request.urlopen(urllib.request.Request(f"{self.url}/mcp", json.dumps(call).encode(), headers)) as answer:
            return json.load(answer)["result"]["content"][0]["text"]

    def close(self):
        if self.server:
            self.server.terminate()
            self.server.communicate()

    def of_run(self, run):
        found = self.get(f"/runs/{run}/conclusion")
        causes = [cause for cause in found["causes"] if cause["level"] == 0]
        parts = found["verdict"] + found["sentence"]
        return Said(text_of(parts), [text_of(cause["title"]) + " " + text_of(cause["evidence"]) for cause in causes],
                    [percent_saved(found, cause) for cause in causes], words_of(parts), {"show": self.call("show", run), "markdown": self.call("show", run, "--markdown"), "summary": self.agent(run)}, found.get("claims"), parts)

    def of_pair(self, base, new):
        head, _, table = self.call("diff", base, new).partition("\n\n")
        return Said(" ".join(head.split("\n")[1:]), table.splitlines()[2:5])


def judge(case, said):
    """The grade, and the promise that was judged, in percent; None: none."""
    named = said.names(case)
    promised = max(said.savings, default=0)
    if case.names and not case.silent:
        of_rows = [saving for row, saving in zip(said.rows, said.savings) if any(name in row for name in case.names)]
        promised = max(of_rows) if of_rows else promised
    if case.saves is None and promised > 0:
        return "wrong", promised
    if case.silent:
        return ("right" if said.is_silent() else "half"), None
    if promised > 0 and promised > 2 * case.saves[1]:
        return "wrong", promised
    if not named:
        if said.is_silent():
            return "silent", None
        return ("half" if any(name in row for row in said.rows for name in case.names) else "wrong"), promised or None
    if promised > 0 and not case.saves[0] <= promised <= case.saves[1]:
        return "half", promised
    return "right", promised or None


def examine(program, cases):
    """For each case its grade, the promise and what was said."""
    with tempfile.TemporaryDirectory(prefix="perfshelf-exam-") as folder:
        shelf = Shelf(program, folder)
        ids, refused = shelf.add([path for case in cases for path in (case.base, case.profile) if path])
        shelf.serve()
        try:
            for case in cases:
                if case.profile in refused or case.base in refused:
                    yield case, "wrong", None, Said(refused.get(case.profile) or refused[case.base])
                    continue
                said = shelf.of_pair(ids[case.base], ids[case.profile]) if case.base else shelf.of_run(ids[case.profile])
                yield case, *judge(case, said), said
        finally:
            shelf.close()


def all_cases(folder=HERE, kinds=()):
    paths = sorted(path for path in glob.glob(os.path.join(folder, "**", "*.json"), recursive=True) if has_case(path))
    cases = [Case(path) for path in paths]
    return [case for case in cases if not kinds or case.kind in kinds]


def has_case(path):
    """Recordings in JSON stand beside the cases."""
    with open(path, encoding="utf-8") as file:
        try:
            return {"profile", "names", "saves"} <= json.load(file).keys()
        except (ValueError, AttributeError):
            return False


def tally(results):
    counts = {}
    for case, grade, _, _ in results:
        of_kind = counts.setdefault(case.kind + (" pairs" if case.base else ""), dict.fromkeys(GRADES, 0))
        of_kind[grade] += 1
    return dict(sorted(counts.items()))


def promises(results):
    """Each promise divided by what was measured."""
    return sorted(promised / case.measured for case, _, promised, _ in results if promised and case.measured)


def print_table(counts, ratios):
    total = dict.fromkeys(GRADES, 0)
    print(f"{'kind':24}" + "".join(f"{grade:>8}" for grade in GRADES) + f"{'right %':>9}")
    for kind, row in [*counts.items(), ("all", total)]:
        n = sum(row.values())
        print(f"{kind:24}" + "".join(f"{row[grade]:8}" for grade in GRADES) + f"{100 * row['right'] / n:9.1f}")
        if row is not total:
            for grade in GRADES:
                total[grade] += row[grade]
    if ratios:
        near = sum(1 / 1.5 <= ratio <= 1.5 for ratio in ratios)
        print(f"{len(ratios)} promises with a measured saving: {near} within a factor of 1.5, the largest {ratios[-1]:.2f} times it")


def main():
    options = argparse.ArgumentParser(usage=__doc__.split("\n\n")[0])
    options.add_argument("--program", default=os.path.join(ROOT, "build", "perfshelf"))
    options.add_argument("--cases", default=HERE)
    options.add_argument("--verbose", action="store_true", help="what was said of each case that is not right")
    options.add_argument("--raise", dest="raises", action="store_true", help="writes floor.json, where nothing may get worse")
    options.add_argument("kinds", nargs="*")
    given = options.parse_args()
    results = list(examine(os.path.abspath(given.program), all_cases(given.cases, given.kinds)))
    if not results:
        sys.exit(f"no cases of {' '.join(given.kinds)}; the kinds are the folders of {given.cases}")
    if given.verbose:
        for case, grade, promised, said in results:
            if grade != "right":
                print(f"{grade}: {case}: wanted {case.names or 'silence'}, {case.saves}; promised {promised}\n    {said.first}")
    counts = tally(results)
    print_table(counts, promises(results))
    if given.raises:
        with open(FLOOR, encoding="utf-8") as file:
            worse = below_floor(counts, json.load(file))
        if worse:
            sys.exit("\n".join(worse))
        with open(FLOOR, "w", encoding="utf-8") as file:
            json.dump({kind: {"right": row["right"], "wrong": row["wrong"]} for kind, row in counts.items()}, file, indent=1)
            file.write("\n")


def below_floor(counts, floor):
    worse = []
    for kind, least in floor.items():
        row = counts.get(kind, dict.fromkeys(GRADES, 0))
        if row["right"] < least["right"] or row["wrong"] > least["wrong"]:
            worse.append(f"{kind}: {row['right']} right and {row['wrong']} wrong; were {least['right']} and {least['wrong']}")
    return worse


if __name__ == "__main__":
    main()
