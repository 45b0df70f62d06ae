# SPDX-License-Identifier: MIT
"""Random traces of operators, calls and kernels: the table equals what torch's own steps, done literally, make of them."""
import collections
import json
import random
import unittest

from program import ShelfTest

HOST = 4242
NAMES = ("aten::a", "aten::b", "aten::c", "note", "aten::is_leaf", "ProfilerStep#1", "ProfilerStep#2")


def event(cat, name, pid, tid, start, duration, **args):
    return {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": start, "dur": duration, "args": args}


def random_trace(seed):
    """Times are small integers, so that events often begin and end together, overlap, and repeat."""
    at, span = random.Random(seed), 60
    events = [event("cpu_op", "aten::first", HOST, 1, -1, 0)]
    for _ in range(at.randrange(1, 60)):
        name = at.choice(NAMES)
        cat = "user_annotation" if name in ("note", "ProfilerStep#1", "ProfilerStep#2") else "cpu_op"
        start = at.randrange(span)
        events.append(event(cat, name, HOST, at.choice((1, 2)), start, at.randrange(span - start)))
    for _ in range(at.randrange(12)):
        start = at.randrange(span)
        events.append(event("cuda_runtime", "cudaLaunchKernel", HOST, at.choice((1, 2)), start, at.randrange(3),
                            correlation=at.randrange(8)))
    for _ in range(at.randrange(20)):
        events.append(event("kernel", at.choice(("k1", "k2")), 0, at.choice((7, 20)), at.randrange(2 * span), 1 + at.randrange(9),
                            correlation=at.randrange(8)))
    return events


class Node:
    def __init__(self, at, source):
        self.at, self.name, self.cat = at, source["name"], source["cat"]
        self.start, self.end = source["ts"], source["ts"] + source["dur"]
        self.args, self.tid = source["args"], source["tid"]
        if self.name.startswith("ProfilerStep#"):
            self.name = "ProfilerStep*"
        self.parent, self.children, self.kernels = None, [], 0


def nested(events):
    """Torch's tree of each thread."""
    nodes = [Node(at, e) for at, e in enumerate(events) if e["cat"] != "kernel" and e["name"] != "aten::is_leaf"]
    for tid in {node.tid for node in nodes}:
        open_ = []
        for node in sorted((n for n in nodes if n.tid == tid), key=lambda n: (n.start, -n.end)):
            while open_ and (node.start >= open_[-1].end or node.end > open_[-1].end):
                open_.pop()
            if open_:
                node.parent = open_[-1]
                open_[-1].children.append(node)
            open_.append(node)
    return nodes


def attribute(nodes, events):
    """Each kernel goes to the innermost operator around the last call with its number that began before it, else the first."""
    for kernel in events:
        calls = sorted((n for n in nodes if n.cat == "cuda_runtime" and kernel["cat"] == "kernel" and
                        n.args["correlation"] == kernel["args"]["correlation"]), key=lambda n: n.start)
        if calls:
            before = [n for n in calls if n.start <= kernel["ts"]]
            node = before[-1] if before else calls[0]
            if [n.start for n in calls].count(node.start) > 1: # two at once: either is right, so neither can be tested
                return False
            while node and node.cat != "cpu_op":
                node = node.parent
            if node:
                node.kernels += kernel["dur"]
    return True


def merged(nodes):
    """As torch does it: again and again, until no only child has the name of its parent."""
    while True:
        gone = [n for n in nodes if n.parent and n.parent.name == n.name and len(n.parent.children) == 1]
        if not gone:
            return nodes
        node = gone[0]
        node.parent.children = node.children
        node.parent.kernels += node.kernels
        for child in node.children:
            child.parent = node.parent
        nodes = [n for n in nodes if n is not node]


def device_total(node):
    return node.kernels + sum(map(device_total, node.children))


def table(events):
    nodes = nested(events)
    if not attribute(nodes, events):
        return None
    rows = collections.defaultdict(lambda: [0, 0, 0, 0, 0])
    for node in merged(nodes):
        own = node.end - node.start - sum(c.end - c.start for c in node.children)
        add = (1, node.end - node.start, own, node.kernels, device_total(node))
        rows[node.name] = [a + b for a, b in zip(rows[node.name], add)]
    for kernel in events:
        if kernel["cat"] == "kernel":
            rows[kernel["name"]] = [a + b for a, b in zip(rows[kernel["name"]], (1, 0, 0, kernel["dur"], kernel["dur"]))]
    return dict(rows)


class Operators(ShelfTest):
    def test_random_traces(self):
        known = {}
        for seed in range(80):
            events = random_trace(seed)
            rows = table(events)
            if rows:
                known[self.file(f"random{seed}.json", json.dumps({"schemaVersion": 1, "traceEvents": events}).encode())] = rows
        self.assertGreater(len(known), 50)
        self.ok("add", *known)
        for path, rows in known.items():
            stored = self.json("sql", path.rsplit("/", 1)[1], "SELECT name, sum(calls) AS n, sum(cpu_total_us) AS total, sum(self_cpu_us) AS self, "
                               "sum(self_device_us) AS device, sum(device_total_us) AS device_total FROM operators GROUP BY name")
            with self.subTest(path):
                self.assertEqual({r["name"]: [r["n"], r["total"], r["self"], r["device"], r["device_total"]] for r in stored}, rows)


if __name__ == "__main__":
    unittest.main()
