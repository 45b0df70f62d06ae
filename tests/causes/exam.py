#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The exam of conclusions: tests/causes/exam.py [--program FILE] [--cases FOLDER] [--verbose] [--raise] [KIND...]

Every case is a recording of a real tool of a program whose cause is known (README.md beside this file). Judged is the first claim of
the conclusion of a run, by its subject, verb and share. Of a pair, judged is the first claim that something changed, by its subject,
verb, direction and the ratio that it states; and that no claim says more than is true. Where a run has no claims or the case no
subject, and for a program whose comparisons have no claims, judged is what a user reads: the first sentence, and what `diff` says.

    right   the first claim names the cause, or no cause where there is none; a promised saving is within its bounds
    half    the cause stands in a row of the causes or in a later claim only, what is said of it is not true, a change is claimed where
            there is none, or the promise is out of its bounds by less than a factor of two
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
CLASSES = (("takes", "repeats", "recurs", "once"), ("waits",), ("starts",), ("holds", "adds"), ("idles",), ("grows", "slower"), ("flat", "too_few"), ("cannot_see",),
           ("changes",), ("appeared",), ("vanished",), ("renamed",), ("input_changed",), ("machine_changed",), ("same",))
# What may be claimed of two recordings of one program, whatever ran beside them.
NO_CHANGE = ("same", "flat", "too_few", "machine_changed")
# Where the facts of a claim state a change, new - base: the index of its value, and of that of the second subject.
CHANGES = {"change": (0, 0), "change_of": (0, 0), "change_while": (0, 0), "explains": (0, 0), "new_explains": (0, 0), "gone_explains": (0, 0), "explains_more": (0, 0), "two_explain": (0, 1),
           "two_change": (0, 1), "most_of_change": (0, 0), "changed_at": (0, 0), "same_take": (1, 1), "spread_over": (0, 0)}
# Facts whose first value is the ratio of the times or calls, new / base.
RATIOS = ("takes_times", "cost_times", "called_times", "all_take_times", "speed", "speed_or_work")
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
        self.change, self.times = about.get("change"), about.get("times")

    def __str__(self):
        return f"{self.kind}/{self.name}"


class Said:
    """What a program says of a case: the first sentence, the rows of causes, the savings in percent of the whole by row; and of
    a run all words of the sentence without its numbers, and what other readers print of it."""

    def __init__(self, first, rows=(), savings=(), words="", others=None, claims=None, parts=()):
        self.first, self.rows, self.savings = first.split(" Next: ")[0], list(rows), list(savings)
        self.words, self.others, self.parts = words, others or {}, parts
        self.claims = claims
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


def names_change(claim):
    """Whether a claim of a comparison says of something in the program that it changed."""
    return claim["verb"] in ("changes", "appeared", "vanished") and bool(claim["subjects"])


def ratio_of(claim):
    """How many times as often or as long, by the first fact that says it; None: no fact does."""
    for fact in claim["facts"]:
        if fact["code"] in RATIOS:
            return fact["values"][0]
        if fact["code"] == "called_instead":
            return fact["values"][0] / fact["values"][1]
    return None


def change_of(claim, subject):
    """"more" or "less"; None: the claim says neither."""
    index = next((i for i, part in enumerate(claim["subjects"]) if not keys_of_subject(part["subject"]).isdisjoint(subject or ())), 0)
    changes = [fact["values"][CHANGES[fact["code"]][min(index, 1)]] for fact in claim["facts"] if fact["code"] in CHANGES]
    ratio = ratio_of(claim)
    if claim["verb"] in ("appeared", "vanished"):
        return "more" if claim["verb"] == "appeared" else "less"
    if changes:
        return "more" if changes[0] > 0 else "less"
    return ratio and ("more" if ratio > 1 else "less")


def says_change(case, claim):
    """Whether a claim says what is true of a pair: its subject, if one is to be named, its verb, its direction, and the ratio if it states one."""
    ratio = ratio_of(claim)
    return (not case.subject or not keys_of(claim).isdisjoint(case.subject)) and fits_verb(claim, case.verb) and \
        (not case.change or change_of(claim, case.subject) == case.change) and \
        (not case.times or ratio is None or case.times[0] <= ratio <= case.times[1])


def fits_verb(claim, verb):
    """Samples cannot tell a new function from one that was not seen: that it is in one profile only is true of both."""
    is_in_one = any(fact["code"] == "only_in_one" for fact in claim["facts"])
    return class_of(claim["verb"]) == class_of(verb) or is_in_one and verb in ("appeared", "vanished")


def class_of(verb):
    return next(verbs for verbs in CLASSES if verb in verbs)


def keys_of(claim):
    """What a claim is about, without the words around it: names, the last part of names with dots, and places as FILE:LINE."""
    parts = [claim["loop"]["subject"], claim["loop"]["through"]] if claim["loop"] else []
    parts += [part for subject in claim["subjects"] for part in (subject["subject"], subject["via"])]
    parts += [fact["subject"] for fact in claim["facts"]]
    return set().union(*map(keys_of_subject, filter(None, parts)))


def keys_of_subject(subject):
    name = subject["name"] or ""
    keys = {name, name.rpartition(".")[2], subject["package"]}
    if subject["file"]:
        keys.add(f"{os.path.basename(subject['file'])}:{subject['line']}")
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

    def of_run(self, run, with_others):
        found = self.get(f"/runs/{run}/conclusion")
        causes = [cause for cause in found["causes"] if cause["level"] == 0]
        parts = found["verdict"] + found["sentence"]
        others = {"show": self.call("show", run), "markdown": self.call("show", run, "--markdown"), "summary": self.agent(run)} if with_others else None
        return Said(text_of(parts), [text_of(cause["title"]) + " " + text_of(cause["evidence"]) for cause in causes],
                    [percent_saved(found, cause) for cause in causes], words_of(parts), others, found.get("claims"), parts)

    def of_pair(self, base, new, with_others):
        found = self.get(f"/compare/conclusion?base={base}&new={new}") or {}
        head, _, table = self.call("diff", base, new).partition("\n\n")
        parts = found.get("sentence", ())
        others = {"diff": head, "markdown": self.call("diff", base, new, "--markdown")} if parts and with_others else None
        return Said(" ".join(head.split("\n")[1:]), table.splitlines()[2:5], (), words_of(parts), others, found.get("claims"), parts)


def judge_pair(case, said):
    """The grade of a pair by the claims of its comparison."""
    changes = [claim for claim in said.claims if names_change(claim)]
    others = [claim for claim in said.claims if claim not in changes]
    if case.subject:
        if changes and says_change(case, changes[0]):
            return "right"
        if not changes:
            return "silent"
        named = [claim for claim in changes if not keys_of(claim).isdisjoint(case.subject) and change_of(claim, case.subject) == case.change]
        return "half" if named or any(name in row for row in said.rows for name in case.subject) else "wrong"
    is_told = not case.verb or any(says_change(case, claim) for claim in others)
    is_true = not changes and all(claim["verb"] in NO_CHANGE + (case.verb,) for claim in others)
    if is_told and is_true:
        return "right"
    return "half" if case.silent or is_told else "wrong" if changes else "silent"


def judge(case, said):
    """The grade, and the promise that was judged, in percent; None: none."""
    if case.base and said.claims is not None:
        return judge_pair(case, said), None
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


def examine(program, cases, others_of=()):
    """For each case its grade, the promise and what was said; of some cases also what the other readers print."""
    with tempfile.TemporaryDirectory(prefix="perfshelf-exam-") as folder:
        shelf = Shelf(program, folder)
        ids, refused = shelf.add([path for case in cases for path in (case.base, case.profile) if path])
        shelf.serve()
        try:
            for case in cases:
                if case.profile in refused or case.base in refused:
                    yield case, "wrong", None, Said(refused.get(case.profile) or refused[case.base])
                    continue
                with_others = case in others_of
                said = shelf.of_pair(ids[case.base], ids[case.profile], with_others) if case.base else shelf.of_run(ids[case.profile], with_others)
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
                print(f"{grade}: {case}: wanted {case.names or case.verb or 'silence'}, {case.saves}; promised {promised}\n    {said.first}")
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
