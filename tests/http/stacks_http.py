# SPDX-License-Identifier: MIT
"""The trees of a profile of many different stacks, against trees made here from the same stacks."""
import random
from collections import Counter

from server import RUNS, ServerTest

STACKS = 120_000
LIMIT = 20_000


def stacks():
    """Different stacks, some of them heavy; neighbours share what a walk leaves of them."""
    rng, stack, seen = random.Random(5), [0], set()
    while len(seen) < STACKS:
        del stack[max(1, len(stack) - rng.randrange(6)):]
        stack += [int(300 * rng.random() ** 3) for _ in range(rng.randrange(1, 8))]
        del stack[24:]
        if tuple(stack) not in seen:
            seen.add(tuple(stack))
            yield tuple(stack), rng.choice((1, 1, 1, 2, 3, 500))


def paths_of(tree):
    """Path of names -> (self, total) of each node of an answer."""
    paths = []
    for parent, name in zip(tree["parent"], tree["name"]):
        paths.append((paths[parent] if parent >= 0 else ()) + (int(tree["names"][name][1:]),))
    return dict(zip(paths, zip(tree["self"], tree["total"])))


def merged(weighted):
    """Path -> self, and path -> total."""
    own, total = Counter(), Counter()
    for stack, weight in weighted:
        own[stack] += weight
        for depth in range(1, len(stack) + 1):
            total[stack[:depth]] += weight
    return own, total


class Stacks(ServerTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.stacks = list(stacks())
        text = "".join(";".join(f"f{i}" for i in stack) + f" {weight}\n" for stack, weight in cls.stacks)
        answer = cls.server.request("POST", f"{RUNS}?wait=1&name=stacks", text.encode())
        assert answer.status == 201, answer.body
        cls.path = f"{RUNS}/{answer.json['id']}"
        assert answer.json["summary"]["slices"] > 300_000, "the answer would not be a choice of paths"

    def clipped(self, begin, end):
        """The stacks with what of each lies in a stretch of the file's own order."""
        at = 0
        for stack, weight in self.stacks:
            inside = min(at + weight, end) - max(at, begin)
            if inside > 0:
                yield stack, inside
            at += weight

    def same(self, nodes, own, total, heaviest):
        for path, (self_, total_) in nodes.items():
            self.assertEqual((self_, total_), (own[path], total[path]), path)
        for path, weight in total.most_common(heaviest):
            self.assertIn(path, nodes, f"of weight {weight}")

    def test_the_heaviest_paths_have_their_weights(self):
        tree = self.get_json(f"{self.path}/stack_flame?limit={LIMIT}")
        nodes = paths_of(tree)
        own, total = merged(self.stacks)
        self.assertEqual((tree["n"], len(nodes), tree["sum"]), (LIMIT, LIMIT, sum(own.values())))
        self.assertGreater(tree["cut"], 0)
        self.same(nodes, own, total, LIMIT // 2)

    def test_of_a_range(self):
        whole = sum(weight for _, weight in self.stacks)
        rng = random.Random(1)
        for _ in range(3):
            begin, end = sorted(rng.sample(range(whole), 2))
            with self.subTest(range=(begin, end)):
                tree = self.get_json(f"{self.path}/stack_flame?from_ns={begin}&to_ns={end}&limit={LIMIT}")
                own, total = merged(self.clipped(begin, end))
                self.assertEqual(tree["sum"], end - begin)
                self.same(paths_of(tree), own, total, LIMIT // 2)

    def test_around_a_function(self):
        table = self.get_json(f"{self.path}/stack_functions?q=f7&limit=1000")
        row = next(r for r in (dict(zip(table["columns"], row)) for row in table["rows"]) if r["name"] == "f7")
        below, above = [], []
        for stack, weight in self.stacks:
            if 7 in stack:
                first = stack.index(7)
                below.append((stack[first:], weight))
                above.append((stack[first::-1], weight))
        both = self.get_json(f"{self.path}/sandwich?name_id={row['name_id']}&limit={LIMIT}")
        own, total = merged(below)
        self.assertEqual(both["callees"]["sum"], sum(weight for _, weight in below))
        self.same(paths_of(both["callees"]), own, total, LIMIT // 2)
        own, total = merged(above)
        self.same(paths_of(both["callers"]), own, total, LIMIT // 2)
