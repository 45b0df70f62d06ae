#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How long it takes to find out which runs of a large shelf go by a rule.

    bench_keep.py PROGRAM [--runs 1000,100000] [--times 7]

`prune --dry-run` as a whole, with the start of the program and what it prints, on the shelf of bench_shelf.py: medians in ms.
"""
import argparse
import os
import statistics
import subprocess
import tempfile
import time

from bench_shelf import begin, grow


def rules_for(runs):
    """By the first of each kind nothing goes, or little."""
    each = runs // 400
    yield from ([f"{runs}"], [f"{runs - 1}"], [f"{runs * 99 // 100}"], ["365d"], ["100TiB"], [f"{runs * 350 >> 10}MiB"])
    if each > 1:
        yield from ([f"{each}/series"], [f"{each - 1}/series"], [f"{each // 10 or 1}/series"], ["100TiB/series"], [f"service-17={each - 1}"])
    yield [f"{each or 1}/series", "nightly=20", "365d", "100TiB"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--runs", default="1000,100000")
    parser.add_argument("--times", type=int, default=7)
    options = parser.parse_args()
    program = os.path.abspath(options.program)
    with tempfile.TemporaryDirectory(prefix="perfshelf-keep-") as folder:
        data = begin(program, folder)
        for runs in (int(n) for n in options.runs.split(",")):
            grow(data, runs)
            print(f"| {runs:,} runs | would go | ms |\n|---|---|---|")
            for rules in rules_for(runs):
                command = [program, "prune", "--dry-run", "--data", data, *(f"--keep={rule}" for rule in rules)]
                times = []
                for _ in range(options.times):
                    began = time.perf_counter()
                    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
                    times.append(1e3 * (time.perf_counter() - began))
                print(f"| `{' '.join(rules)}` | {int(said.splitlines()[-1].split()[0]):,} | {statistics.median(times):.0f} |", flush=True)


if __name__ == "__main__":
    main()
