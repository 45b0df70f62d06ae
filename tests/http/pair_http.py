# SPDX-License-Identifier: MIT
"""A trace and a memory snapshot of the same program: which runs belong together, the curve over the clock, and the operator of an allocation."""
import json
import os
import sys

from server import RUNS, ServerTest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import made_pair  # noqa: E402
from made_pair import MIB, START_US, STEP_US  # noqa: E402

STEPS = 6


class Pair(ServerTest):
    def add_made(self, made, query=""):
        """A run of its own for each test: a shelf keeps equal files once."""
        answer = self.request("POST", f"{RUNS}?wait=1{query}", json.dumps({**made, "traceName": self.id()}).encode())
        self.assertEqual(answer.status, 201, answer.body)
        self.ids = [*getattr(self, "ids", []), answer.json["id"]]
        return answer.json["id"]

    def rows(self, run):
        """Companions that this test added."""
        return [row for row in self.get_json(f"{RUNS}/{run}/companions")["rows"] if row["id"] in self.ids]

    def test_runs_of_the_same_time(self):
        trace = self.add_made(made_pair.trace(STEPS), "&series=s&tag=job=7&tag=gpu=0")
        snapshot = self.add_made(made_pair.snapshot(STEPS), "&series=s&tag=job=7&tag=gpu=1")
        other = self.add_made(made_pair.snapshot(STEPS - 1))
        later = self.add_made(made_pair.snapshot(STEPS, shift_us=60_000_000))
        answer = self.get_json(f"{RUNS}/{trace}/companions")
        self.assertEqual((answer["started_us"], answer["ended_us"]), (START_US, START_US + 5900))
        first, second = self.rows(trace)
        self.assertEqual((first["id"], second["id"]), (snapshot, other))
        self.assertEqual((first["kind"], first["started_us"], first["ended_us"], first["overlap_us"]), ("torch-memory", START_US, START_US + 5700, 5700))
        self.assertEqual((first["same_series"], first["tags"]), (True, {"job": "7"}))
        self.assertEqual((second["same_series"], second["tags"]), (False, {}))
        self.assertEqual([row["id"] for row in self.rows(snapshot)], [trace])
        self.assertEqual(self.rows(later), [])

    def test_files_without_times(self):
        old = made_pair.trace(STEPS)
        del old["baseTimeNanoseconds"]  # times since the start of the machine
        for made in (old, made_pair.snapshot(STEPS, times=False)):
            answer = self.get_json(f"{RUNS}/{self.add_made(made)}/companions")
            self.assertEqual(answer, {"started_us": None, "ended_us": None, "rows": []})

    def test_times_since_1970_without_a_base(self):
        old = made_pair.trace(STEPS)
        del old["baseTimeNanoseconds"]
        for event in old["traceEvents"]:
            event["ts"] += made_pair.BASE_NS // 1000
        self.assertEqual(self.get_json(f"{RUNS}/{self.add_made(old)}/companions")["started_us"], START_US)

    def test_the_curve(self):
        run = self.add_made(made_pair.snapshot(STEPS))
        curve = self.get_json(f"{RUNS}/{run}/snapshot/curve?columns=4096")
        live = dict(zip(curve["t_us"], curve["live"]))
        for step in range(STEPS):
            freed, kept = made_pair.allocation_times(step)
            self.assertEqual([live[START_US + t] for t in (freed, kept, step * STEP_US + 700)], [(8 + step) * MIB, (9 + step) * MIB, (1 + step) * MIB])
        for columns in (1, 2, 7):
            coarse = self.get_json(f"{RUNS}/{run}/snapshot/curve?columns={columns}")
            self.assertEqual(max(coarse["live"]), (8 + STEPS) * MIB)
            self.assertEqual(coarse["live"][-1], STEPS * MIB)
            self.assertEqual(coarse["t_us"], sorted(coarse["t_us"]))
            self.assertLessEqual(len(coarse["t_us"]), 2 * columns + 2)

    def test_a_window_of_the_curve(self):
        run = self.add_made(made_pair.snapshot(STEPS))
        path = f"{RUNS}/{run}/snapshot/curve"
        window = self.get_json(f"{path}?from_us={START_US + 2300}&to_us={START_US + 2500}")
        # the state before the window, then its only event
        self.assertEqual(list(zip(window["t_us"], window["live"])), [(START_US + 2210, 10 * MIB), (START_US + 2410, 11 * MIB)])
        before = self.get_json(f"{path}?from_us={START_US - 500}&to_us={START_US - 100}")
        self.assertEqual(before["live"], [0])
        after = self.get_json(f"{path}?from_us={START_US + 90000}&to_us={START_US + 99000}")
        self.assertEqual(after["live"][-1], STEPS * MIB)
        self.assertRefused(self.get(f"{path}?from_us=9&to_us=9"), 400, "bad_request")
        self.assertRefused(self.get(f"{path}?columns=0"), 400, "bad_request")
        old = self.add_made(made_pair.snapshot(STEPS, times=False))
        answer = self.get(f"{RUNS}/{old}/snapshot/curve")
        self.assertRefused(answer, 400, "bad_request")
        self.assertIn("have no times", answer.error["text"])

    def operators(self, run, at_us, query=""):
        return self.get_json(f"{RUNS}/{run}/operators_at?t_ns={at_us * 1000}{query}")

    def test_operators_at_a_time(self):
        run = self.add_made(made_pair.trace(STEPS, records=False))
        answer = self.operators(run, 3 * STEP_US + 210)
        self.assertIsNone(answer["record"])
        self.assertEqual([(t["tid"], t["operator"]["name"], t["module"] and t["module"]["name"]) for t in answer["threads"]],
                         [("1", "aten::addmm", "nn.Module: Linear_0"), ("2", "aten::sum", None)])
        self.assertEqual(answer["threads"][0]["python"],
                         ["nn.Module: Linear_0", "/app/model.py(12): forward", "nn.Module: Net_0", "train.py(30): step"])
        self.assertEqual(answer["threads"][0]["operator"]["start_ns"], (3 * STEP_US + 200) * 1000)
        self.assertEqual([t["operator"]["name"] for t in self.operators(run, 410)["threads"]], ["aten::mul", "aten::sum"])
        self.assertEqual(self.operators(run, 50)["threads"], [])

    def test_the_record_of_an_allocation(self):
        run = self.add_made(made_pair.trace(STEPS))
        # 9 us late: an event of another thread would be as close
        answer = self.operators(run, 2 * STEP_US + 219, f"&address={made_pair.ACTIVATION}&device=0")
        self.assertEqual(answer["record"], {"t_ns": (2 * STEP_US + 210) * 1000, "bytes": 8 * MIB})
        self.assertEqual([t["operator"]["name"] for t in answer["threads"]], ["aten::addmm"])
        for query in (f"&address={made_pair.ACTIVATION}&device=1", "&address=4096", ""):
            self.assertIsNone(self.operators(run, 2 * STEP_US + 219, query)["record"])
        self.assertRefused(self.get(f"{RUNS}/{run}/operators_at?t_ns=x"), 400, "bad_request")
