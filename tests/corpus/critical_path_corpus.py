# SPDX-License-Identifier: MIT
"""The critical path: HTA's by weights equals HTA's own results, ours covers each nanosecond of a step once."""
import functools
import gzip
import json
import os
import unittest

from corpus import CorpusTest, Shelf, needs, paths, present

REPLAY = "wild2/graph-replay"
FOLDERS = (REPLAY, "wild/torch-trace")
EDGES = {"OPERATOR_KERNEL": "operator_kernel", "DEPENDENCY": "dependency", "KERNEL_LAUNCH_DELAY": "kernel_launch_delay",
         "KERNEL_KERNEL_DELAY": "kernel_kernel_delay", "SYNC_DEPENDENCY": "sync_dependency"}
SIMPLE_ADD = f"{REPLAY}/cp_simple_add.json.gz"
FORWARD = "[param|pytorch.model.alex_net|0|0|0|measure|forward]"


@functools.cache
def shelf():
    filled = Shelf()
    filled.add(paths(*FOLDERS))
    return filled


def oracles():
    """Traces with HTA's result."""
    for path in paths(REPLAY):
        oracle = path + ".oracle.json.gz"
        if os.path.exists(oracle):
            with gzip.open(oracle) as file:
                yield from ((path, result) for result in json.load(file).get("critical_path", []))


class CriticalPath(CorpusTest):
    fill = shelf

    def ask(self, path, query=""):
        return self.shelf.ask("GET", f"/runs/{self.shelf.of(path)['id']}/critical_path{query}")

    def window(self, path, annotation, instance):
        """The range of an annotation as HTA cuts it."""
        if not annotation:
            return "?from_ns=0"
        rows = self.shelf.sql(path, f"SELECT start_ns, duration_ns FROM slices WHERE instr(name, '{annotation}') AND category = 'user_annotation' "
                                    "ORDER BY start_ns")
        start = rows[instance]["start_ns"]
        return f"?from_ns={start}&to_ns={start + rows[instance]['duration_ns']}"

    def test_hta(self):
        n = 0
        for path, result in oracles():
            hta = self.ask(path, self.window(path, result["annotation"], result["instance"]))["hta"]
            where = (path, result["annotation"])
            self.assertIsNone(hta["reason"], where)
            self.assertEqual(hta["length_ns"], result["length"] * 1000, where)
            self.assertEqual({EDGES[kind]: count for kind, count in result["edges"].items()},
                             {kind: count for kind, count in hta["edges"].items() if count}, where)
            self.assertEqual(hta["path_nodes"], result["path_nodes"], where)
            self.assertEqual({row["bound"]: row["ns"] for row in hta["bound_by"]},
                             {bound: us * 1000 for bound, us in result["bound_by"].items() if us}, where)
            n += 1
        if not n:
            self.skipTest("no result of HTA is in the corpus")

    @needs(SIMPLE_ADD)
    def test_hta_second_instance(self):
        """HTA's own test states the number of nodes."""
        path, = present(SIMPLE_ADD)
        self.assertEqual(self.ask(path, self.window(path, FORWARD, 1))["hta"]["path_nodes"], 315)

    def test_each_moment_once(self):
        n = 0
        for path in paths(*FOLDERS):
            run = self.shelf.of(path)
            if not run or run.get("kind") not in ("torch-trace", "trace"):
                continue
            for query in ("?step=median", "?step=slowest", "?from_ns=0"):
                answer = self.ask(path, query)
                if answer["reason"]:
                    self.assertNotIn("path", answer, path)
                    continue
                n += 1
                where = (path, query)
                length = answer["to_ns"] - answer["from_ns"]
                steps = answer["path"]
                self.assertEqual(answer["length_ns"], length, where)
                self.assertEqual(sum(part["ns"] for part in answer["parts"]), length, where)
                at = answer["from_ns"]
                for start, ns in zip(steps["from_ns"], steps["ns"]):
                    self.assertEqual(start, at, where)
                    at += ns
                self.assertEqual(at, answer["to_ns"], where)
                if answer["operators_total"] <= 200:
                    self.assertEqual(sum(row["ns"] for row in answer["operators"]), length, where)
                for part in answer["parts"]:
                    times = part["removed_ns"], part["faster4_ns"], part["faster2_ns"], length
                    self.assertEqual(sorted(times), list(times), (where, part))
                    self.assertGreaterEqual(part["faster2_ns"], length - (part["ns"] + 1) // 2 - part["ns"] // 2 - 1, (where, part))
        if not n:
            self.skipTest("no trace is in the corpus")


if __name__ == "__main__":
    unittest.main()
