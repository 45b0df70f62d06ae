#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How often comparisons are wrong, on real recordings: pairs of groups of five recordings of one program, by turns, with cProfile.

    bench_compare.py PROGRAM [--wall] [--pairs 20] [--slower 10]

First pairs that are identical: which rows are flagged. Then pairs whose second group has one function slower by 10 %: how often it is found.
Processor time unless --wall: on a busy machine the wall clock of recordings varies by more than any change.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

WORK = r'''
import cProfile, json, math, re, sys, time

def crunch(n):
    total = 0.0
    for i in range(n):
        total += i * 1.0001 % 7
    return total

def parse(n):
    return [json.loads(json.dumps({"a": i, "b": [i] * 5})) for i in range(n)]

def match(n):
    return sum(1 for i in range(n) if re.match(r"(\w+)-(\d+)", "item-%d" % i))

def order(n):
    for _ in range(5):
        sorted(((i * 7919) % 10007 for i in range(n)), key=lambda v: -v)

def main(more):
    crunch(int(2000000 * more))
    parse(2500)
    match(12000)
    order(12000)

profile = cProfile.Profile(*([] if sys.argv[3] == "wall" else [time.process_time]))
profile.runcall(main, float(sys.argv[1]))
profile.dump_stats(sys.argv[2])
'''


class Bench:
    def __init__(self, program, clock, folder):
        self.program, self.clock, self.folder, self.made = program, clock, folder, 0
        self.work = os.path.join(folder, "work.py")
        with open(self.work, "w", encoding="utf-8") as file:
            file.write(WORK)

    def call(self, verb, *args):
        command = [self.program, verb, "--data", os.path.join(self.folder, "shelf"), "--json", *args]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def record(self, more):
        self.made += 1
        out = os.path.join(self.folder, f"{self.made}.prof")
        subprocess.run([sys.executable, self.work, str(more), out, self.clock], check=True)
        return json.loads(self.call("add", out))["id"]

    def pair(self, more):
        ids = [(self.record(1), self.record(more)) for _ in range(5)]
        return json.loads(self.call("diff", ",".join(a for a, _ in ids), ",".join(b for _, b in ids)))["rows"]


def flagged(rows):
    return [row["name"] for row in rows if row["verdict"] in ("up", "down")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--wall", action="store_true")
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--slower", type=int, default=10)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(os.path.abspath(args.program), "wall" if args.wall else "cpu", folder)
        rows = wrong = found = 0
        for _ in range(args.pairs):
            answer = bench.pair(1)
            rows, wrong = rows + len(answer), wrong + len(flagged(answer))
        print(f"identical: {wrong} of {rows} rows flagged in {args.pairs} pairs", flush=True)
        for _ in range(args.slower):
            answer = bench.pair(1.1)
            crunch = next(row for row in answer if row["name"] == "crunch")
            found += crunch["verdict"] == "up"
            print(f"  crunch {crunch['delta_pct']:+.1f} %, noise {100 * crunch['noise'] / crunch['base']:.1f} %, p {crunch['p']:.3f}: "
                  f"{crunch['verdict']}; flagged {flagged(answer)}", flush=True)
        print(f"10 % slower: found in {found} of {args.slower}")


if __name__ == "__main__":
    main()
