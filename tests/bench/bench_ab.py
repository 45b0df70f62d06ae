#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How often `record ab` is wrong on this machine, beside recording base and new one after the other, while another process loads it at times.

    bench_ab.py PROGRAM [--times 10] [--equal 20] [--pairs 20] [--work 300] [--fail-on +5%] [--idle] [--action]

Each row: how many of --times recordings of a program that is 10 % slower fail the check (all should), and how many of --equal recordings of
an equal one (none should). --work is the size of the program, about its milliseconds; --idle leaves the machine as it is; --action measures
the GitHub Action alone, on a repository with such a pull request, by the runner of tests/ci.
"""
import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
for name in ("", "ci"):
    sys.path.insert(0, os.path.join(FOLDER, name))
import forge  # noqa: E402
import repository  # noqa: E402
import runner  # noqa: E402

STEPS = 12000  # of the programs for a millisecond of --work
APP = f"import sys\ntotal = 0\nfor i in range(int(float(sys.argv[1]) * {STEPS})):\n    total += i * i % 7\n"
LOAD = "import time\nend = time.monotonic() + {seconds}\nwhile time.monotonic() < end:\n    pass\n"


def load():
    """Runs until its parent ends or kills it: between 1 and 4 s of a busy process for each processor, then a pause as long."""
    rng, parent = random.Random(1), os.getppid()
    while os.getppid() == parent:
        busy = [subprocess.Popen([sys.executable, "-c", LOAD.format(seconds=rng.uniform(1, 4))]) for _ in os.sched_getaffinity(0)]
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

    def record(self, more, interleaved):
        """Records base and new; the arguments of `check` that compare them."""
        self.made += 1
        shelf, series, pairs = ["--data", os.path.join(self.folder, "shelf")], f"s{self.made}", str(self.args.pairs)
        if interleaved:
            self.call("record", "ab", *shelf, "--base", " ".join(self.command(1)), "--new", " ".join(self.command(more)), "--series", series,
                      "--pairs", pairs, "--seed", str(self.made))
        else:
            for side, factor in (("base", 1), ("new", more)):
                self.call("record", "time", *shelf, "--series", f"{series}/{side}", "--repeat", pairs, "--", *self.command(factor))
        return [*shelf, f"series:{series}/new@{pairs}", "--against", f"series:{series}/base@{pairs}", "--fail-on", self.args.fail_on]

    def flagged(self, more, interleaved):
        """Whether the check of one recording fails, by CPU time and by wall clock."""
        compared = self.record(more, interleaved)
        return [self.call("check", *compared, *metric) for metric in (["--metric", "cpu_s"], [])]


def is_failed_by_action(args, more):
    """One use of the Action in a repository whose pull request does `more` times the work of its base."""
    with tempfile.TemporaryDirectory() as folder:
        api = forge.Forge()
        try:
            made = repository.Repository(folder, args.work * STEPS / 1000, args.work * STEPS / 1000 * more)
            job = runner.Job(os.path.join(folder, "job"), made.checkout, api.url)
            status, log, _ = job.action(perfshelf=args.program, command=f"{sys.executable} app.py", pairs=str(args.pairs), fail_on=args.fail_on)
        finally:
            api.close()
    if status not in (0, 1):
        sys.exit(log)
    return status


def rows(args, how, metrics, flagged):
    """A row for each metric; `flagged` records once and gives the verdict of each metric."""
    found, wrong = (list(zip(*(flagged(more) for _ in range(times)))) for more, times in ((1.1, args.times), (1, args.equal)))
    for i, metric in enumerate(metrics):
        print(f"| {how} | {metric} | {sum(found[i])} of {args.times} | {sum(wrong[i])} of {args.equal} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--equal", type=int, default=20)
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--work", type=float, default=300)
    parser.add_argument("--fail-on", default="+5%")
    parser.add_argument("--idle", action="store_true")
    parser.add_argument("--action", action="store_true")
    parser.add_argument("--load", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.load:
        load()
        return
    loader = None if args.idle else subprocess.Popen([sys.executable, __file__, args.program, "--load"], start_new_session=True)
    try:
        with tempfile.TemporaryDirectory() as folder:
            print(f"| {args.pairs} and {args.pairs} runs | compared by | 10 % slower: found | equal: flagged |\n|---|---|---|---|", flush=True)
            if args.action:
                rows(args, "the GitHub Action", ["CPU time"], lambda more: [is_failed_by_action(args, more)])
                return
            bench = Bench(args, folder)
            for how in ("in pairs", "one after the other"):
                rows(args, how, ["CPU time", "wall clock"], lambda more: bench.flagged(more, how == "in pairs"))
    finally:
        if loader:
            os.killpg(loader.pid, signal.SIGKILL)
            loader.wait()


if __name__ == "__main__":
    main()
