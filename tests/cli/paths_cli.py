# SPDX-License-Identifier: MIT
"""Call trees of pstats dumps against the truth: random programs are run on paper, their sums are written as cProfile would
write them, and every value of the `nodes` view must hold what really happened on that path."""
import json
import marshal
import os
import random
import unittest

from program import ShelfTest

PROGRAMS = 120


class Profile:
    """cProfile's bookkeeping (Modules/_lsprof.c) over a clock that the program moves, and the true time of each call path."""

    def __init__(self):
        self.now = 0
        self.entries = {}  # function -> [level, calls, recursive calls, own, outermost inclusive]
        self.edges = {}    # (caller, callee) -> the same
        self.stack = []
        self.truth = {}    # path of functions -> inclusive time of the calls with exactly this stack

    def call(self, function, body):
        records = [self.entries.setdefault(function, [0] * 5)]
        if self.stack:
            records.append(self.edges.setdefault((self.stack[-1][0], function), [0] * 5))
        for record in records:
            record[0] += 1
        start, frame = self.now, [function, 0]
        self.stack.append(frame)
        path = tuple(f for f, _ in self.stack)
        body()
        self.stack.pop()
        took = self.now - start
        if self.stack:
            self.stack[-1][1] += took
        for record in records:
            record[0] -= 1
            record[1] += 1
            record[3] += took - frame[1]
            if record[0] == 0:
                record[4] += took
            else:
                record[2] += 1
        self.truth[path] = self.truth.get(path, 0) + took

    def dump(self):
        def key(function):
            return ("app.py", function + 1, "f%d" % function)

        stats = {}
        for function, (_, calls, recursive, own, outermost) in self.entries.items():
            callers = {}
            for (caller, callee), edge in self.edges.items():
                if callee == function:
                    callers[key(caller)] = (edge[1], edge[1] - edge[2], float(edge[3]), float(edge[4]))
            stats[key(function)] = (calls - recursive, calls, float(own), float(outermost), callers)
        return marshal.dumps(stats)


def random_program(seed):
    dice = random.Random(seed)
    functions = dice.randrange(2, 9)
    recursive = dice.random() < 0.6
    callees = [[g for g in range(functions) if (recursive or g > f) and dice.random() < 0.5] for f in range(functions)]
    profile, budget = Profile(), [dice.randrange(20, 200)]

    def run(function, depth):
        def body():
            profile.now += dice.randrange(0, 20)
            for _ in range(dice.randrange(0, 4)):
                if callees[function] and depth < 7 and budget[0] > 0:
                    budget[0] -= 1
                    run(dice.choice(callees[function]), depth + 1)
                profile.now += dice.randrange(0, 5)

        profile.call(function, body)

    for _ in range(dice.randrange(1, 3)):
        run(dice.randrange(functions) if dice.random() < 0.3 else 0, 0)
    return profile


class CallPaths(ShelfTest):
    def nodes_of(self, run):
        rows = json.loads(self.ok("sql", run, "SELECT * FROM nodes", "--json"))
        paths = {}
        for row in rows:
            above = paths[row["parent_id"]][0] if row["parent_id"] else ()
            paths[row["id"]] = (above + (int(row["frame"][1:]),), row)
        return paths.values()

    def test_every_value_holds_the_truth(self):
        programs = [random_program(seed) for seed in range(PROGRAMS)]
        files = [self.file("p%d.prof" % i, program.dump()) for i, program in enumerate(programs)]
        runs = [json.loads(line)["id"] for line in self.ok("add", "--json", *files).splitlines()]
        exact = bounded = 0
        for seed, (program, run) in enumerate(zip(programs, runs)):
            for path, row in self.nodes_of(run):
                truth = program.truth.get(path, 0)
                about = "program %d, path %s: %s in [%s, %s], %s" % (
                    seed, path, truth, row["total_min"], row["total_max"], row["certainty"])
                self.assertLessEqual(truth, row["total_max"] + 1e-9, about)
                self.assertGreaterEqual(truth, row["total_min"] - 1e-9, about)
                self.assertEqual(row["total"] is not None, row["certainty"] == "exact", about)
                exact += row["certainty"] == "exact"
                bounded += row["certainty"] == "bounded"
        self.assertGreater(exact, PROGRAMS)
        self.assertGreater(bounded, PROGRAMS // 4)


if __name__ == "__main__":
    unittest.main()
