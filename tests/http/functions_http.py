# SPDX-License-Identifier: MIT
"""Percentages of functions and of the call graph: each has the base that it names."""
import marshal
import unittest

from server import RUNS, ServerTest

MAIN, WORK, IDLE = ("app.py", 1, "main"), ("app.py", 9, "work"), ("app.py", 20, "idle")


def stats(whole):
    """main takes 2 s itself and 6 s in work, and `whole` in all; idle, which nothing calls, takes 2 s."""
    return marshal.dumps({MAIN: (1, 1, 2.0, whole, {}), WORK: (3, 3, 6.0, 6.0, {MAIN: (3, 3, 6.0, 6.0)}), IDLE: (1, 1, 2.0, 2.0, {})})


class Functions(ServerTest):
    def setUp(self):
        self.run_ = f"{RUNS}/{self.add(stats(8.0))['id']}"

    def graph(self, run):
        graph = self.get_json(f"{run}/graph?node_pct=0&edge_pct=0")
        return graph["total"], {node["name"]: (node["self_pct"], node["total_pct"]) for node in graph["nodes"]}, [edge["pct"] for edge in graph["edges"]]

    def test_the_call_graph_is_in_percent_of_the_whole(self):
        self.assertEqual(self.graph(self.run_), (10, {"main": (20, 80), "work": (60, 60), "idle": (20, 20)}, [60]))

    def test_a_function_that_takes_longer_than_all_own_times_is_the_whole(self):
        """As in a profile that was cut: main has 6 s in functions that are not listed."""
        run = f"{RUNS}/{self.add(stats(16.0))['id']}"
        self.assertEqual(self.graph(run), (16, {"main": (12.5, 100), "work": (37.5, 37.5), "idle": (12.5, 12.5)}, [37.5]))

    def test_a_function_is_in_percent_of_the_whole_and_its_callers_of_itself(self):
        ids = {node["name"]: node["id"] for node in self.get_json(f"{self.run_}/graph?node_pct=0")["nodes"]}
        found = self.get_json(f"{self.run_}/functions/{ids['work']}")
        self.assertEqual([caller["pct"] for caller in found["callers"]], [100])
        self.assertEqual((found["fn"]["self_pct"], found["fn"]["cum_pct"]), (60, 60))


if __name__ == "__main__":
    unittest.main()
