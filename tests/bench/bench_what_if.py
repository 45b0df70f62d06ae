#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What lazy imports save: predicted from one log, then really made lazy and recorded again.

    bench_what_if.py PROGRAM

Prints the table of docs/bench.md. Programs as they were and as they became are recorded by turns, 31 times each or for half a minute. Both
columns of times sum a figure of each module: the least of its self times, for noise only adds; beside it what is off when medians are taken.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

from made_lazy import PACKAGES, STDLIB, modules_of, program_text, python_with, saved_modules, timed

TURNS = 31
SECONDS = 27  # of turns, a program: all of them take less than four minutes


class Case:
    def __init__(self, program, folder, lazy, modules):
        self.program, self.folder, self.lazy = program, os.path.join(folder, lazy), lazy
        self.python = python_with(lazy)
        os.mkdir(self.folder)
        self.before, self.after = self.write("before", program_text(modules)), self.write("after", program_text(modules, lazy))

    def write(self, name, text):
        path = os.path.join(self.folder, name + ".py")
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        return path

    def call(self, verb, *args):
        command = [self.program, verb, "--data", os.path.join(self.folder, "shelf"), *args]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def ask(self):
        self.call("record", "importtime", "--importers", "--", self.python, self.before)
        return json.loads(self.call("whatif", "@1", self.lazy, "--json"))

    def turns(self):
        """Logs of before and after; whichever module lacks its compiled copy gets one first."""
        timed(self.python, self.before), timed(self.python, self.after)
        began, turns = time.monotonic(), []
        while len(turns) < TURNS and (len(turns) < 3 or time.monotonic() - began < SECONDS):
            turns.append((timed(self.python, self.before), timed(self.python, self.after)))
        return turns


def figures(logs, of):
    """A figure of each row that all logs have."""
    rows = set.intersection(*(set(log) for log in logs))
    return {row: of([log[row] for log in logs]) for row in rows}


def predict(old, saved):
    """What those modules took; of one that was tried several times the last ones go."""
    rows = modules_of(old)
    return sum(us for (module, nth), us in old.items() if nth > rows[module] - saved[module])


def compare(turns, saved, of):
    """ms that were to be saved, and that were."""
    old, new = (figures([turn[side] for turn in turns], of) for side in (0, 1))
    return predict(old, saved) / 1e3, (sum(old.values()) - sum(new.values())) / 1e3


def off(predicted, real):
    return f"{100 * (predicted / real - 1):+.1f} %" if real > 0 else f"{predicted - real:+.1f} ms"


def measure(case):
    answer, turns = case.ask(), case.turns()
    saved = saved_modules(answer)
    gone = modules_of(turns[0][0]) - modules_of(turns[0][1])
    least, medians = compare(turns, saved, min), compare(turns, saved, statistics.median)
    whole = sum(figures([turn[0] for turn in turns], min).values()) / 1e3
    print(f"| {case.lazy} | {whole:.1f} | {saved.total()}, {gone.total()}{'' if saved == gone else ', others'} | {least[0]:.1f} | {least[1]:.1f} |"
          f" {off(*medians)} | {off(*least)} | {answer['verdict']} |", flush=True)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print("| made lazy | imports before, ms | modules told to go, gone | predicted, ms | really, ms | off, by medians | by least times | verdict |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="perfshelf-lazy-") as folder:
        for lazy, modules in {**STDLIB, **PACKAGES}.items():
            case = Case(os.path.abspath(sys.argv[1]), folder, lazy, modules)
            if case.python:
                measure(case)
            else:
                print(f"| {lazy} | no Python here has it |", flush=True)


if __name__ == "__main__":
    main()
