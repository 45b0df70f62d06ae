#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How often `record ab` is wrong on this machine, beside recording base and new one after the other, while another process loads it at times.

    bench_ab.py PROGRAM [--times 10] [--pairs 20] [--work 300] [--fail-on +5%] [--idle]

Each row: how many of --times recordings fail the check, for a program that is 10 % slower (all should) and for an equal one (none should).
--work is the size of the program, about its milliseconds; --idle leaves the machine as it is.
"""
import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

APP = "import sys\ntotal = 0\nfor i in range(int(float(sys.argv[1]) * 12000)):\n    total += i * i % 7\n"
LOAD = "import time\nend = time.monotonic() + {seconds}\nwhile time.monotonic() < end:\n    pass\n"


def load():
    """Runs until its parent ends or kills it: between 1 and 4 s of two busy processes, then a pause as long."""
    rng, parent = random.Random(1), os.getppid()
    while os.getppid() == parent:
        busy = [subprocess.Popen([sys.executable, "-c", LOAD.format(seconds=rng.uniform(1, 4))]) for _ in range(2)]
        for process in busy:
            process.wait()
        time.sleep(rng.uniform(1, 4))


class Bench:
    def __init__(self, args, folder):
        self.args, self.folder, self.made = args, folder, 0
        self.app = os.path.join(folder, "app.py")
        with open(self.app, "w", encoding="utf-8") as file:
            file.write(APP)

    def call(self, *words):
        done = subprocess.run([self.args.program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if done.returncode not in (0, 1):
            sys.exit(f"{words}: {done.stderr.decode()}")
        return done.returncode

    def command(self, more):
        return [sys.executable, self.app, str(self.args.work * more)]

    def is_flagged(self, more, metric, interleaved):
        self.made += 1
        shelf, series, pairs = ["--data", os.path.join(self.folder, "shelf")], f"s{self.made}", str(self.args.pairs)
        if interleaved:
            self.call("record", "ab", *shelf, "--base", " ".join(self.command(1)), "--new", " ".join(self.command(more)), "--series", series,
                      "--pairs", pairs, "--seed", str(self.made))
        else:
            for side, factor in (("base", 1), ("new", more)):
                self.call("record", "time", *shelf, "--series", f"{series}/{side}", "--repeat", pairs, "--", *self.command(factor))
        return self.call("check", *shelf, f"series:{series}/new@{pairs}", "--against", f"series:{series}/base@{pairs}", "--fail-on", self.args.fail_on,
                         *(["--metric", metric] if metric else []))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--work", type=float, default=300)
    parser.add_argument("--fail-on", default="+5%")
    parser.add_argument("--idle", action="store_true")
    parser.add_argument("--load", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.load:
        load()
        return
    loader = None if args.idle else subprocess.Popen([sys.executable, __file__, args.program, "--load"], start_new_session=True)
    try:
        with tempfile.TemporaryDirectory() as folder:
            bench = Bench(args, folder)
            print(f"| {args.pairs} and {args.pairs} runs | compared by | 10 % slower: found | equal: flagged |\n|---|---|---|---|", flush=True)
            for interleaved in (True, False):
                for metric, name in (("cpu_s", "CPU time"), (None, "wall clock")):
                    found, flagged = (sum(bench.is_flagged(more, metric, interleaved) for _ in range(args.times)) for more in (1.1, 1))
                    print(f"| {'in pairs' if interleaved else 'one after the other'} | {name} | {found} of {args.times} | {flagged} of {args.times} |",
                          flush=True)
    finally:
        if loader:
            os.killpg(loader.pid, signal.SIGKILL)
            loader.wait()


if __name__ == "__main__":
    main()
