# SPDX-License-Identifier: MIT
"""Requests of a made engine (tests/made_requests.py): their parts, chains, percentiles and windows, against what this file computes from the log alone."""
import json
import math
import os
import re
import sys

from server import ROOT, RUNS, ServerTest

sys.path.insert(0, os.path.join(ROOT, "tests"))
import made_requests  # noqa: E402

PARTS = ("to_engine_ns", "in_step_ns", "slot_ns", "budget_ns", "others_ns", "between_ns", "prefill_ns", "to_client_ns")


class Log:
    """What the log says of each request, in the order of arrival."""

    def __init__(self, text, slots):
        self.slots, events = slots, [json.loads(line) for line in text.splitlines()]
        self.origin = min(event.get("unix_ns", event.get("start_unix_ns")) for event in events)
        self.steps = [event for event in events if event["event"] == "iteration"]
        self.arrivals = {event["id"]: event["unix_ns"] for event in events if event["event"] == "arrival"}
        self.names = list(self.arrivals)

    def parts(self, name):
        arrival = self.arrivals[name]
        context = [step for step in self.steps if any(each["id"] == name for each in step["context"])]
        first, last = context[0]["start_unix_ns"], context[-1]["end_unix_ns"]
        found = dict.fromkeys(PARTS, 0)
        for step in self.steps:
            waited = min(step["end_unix_ns"], first) - max(step["start_unix_ns"], arrival)
            if waited <= 0 or step["start_unix_ns"] >= first:
                continue
            part = "in_step_ns" if step["start_unix_ns"] < arrival else "slot_ns" if step["running"] >= self.slots else "budget_ns" if step["context"] else "others_ns"
            found[part] += waited
        found["between_ns"] = first - arrival - sum(found.values())
        found["prefill_ns"] = last - first
        return found

    def gaps(self, name):
        ends = [step["end_unix_ns"] for step in self.steps if name in step["emitted"]]
        return [b - a for a, b in zip(ends, ends[1:])]


def linear(values, p):
    at = (len(values) - 1) * p / 100
    low = values[int(at)]
    return low + (values[min(int(at) + 1, len(values) - 1)] - low) * (at - int(at))


class RequestsTest(ServerTest):
    def add_log(self, text):
        return f"{RUNS}/{self.add(text, name='engine.jsonl')['id']}"

    def table(self, path):
        return self.get_json(path + ("&" if "?" in path else "?") + "format=rows")

    def setUp(self):
        super().setUp()
        self.text = made_requests.log(made_requests.workload(60, 3, 14, special={30: (900, 9)}), slots=3, budget=256, chunk=200)
        self.log = Log(self.text, 3)
        self.path = self.add_log(self.text)

    def test_parts_are_those_of_the_log(self):
        rows = self.table(self.path + "/requests")
        self.assertEqual([row["name"] for row in rows], self.log.names)
        for row in rows:
            wanted = self.log.parts(row["name"])
            self.assertEqual({part: row[part] or 0 for part in PARTS}, wanted, row["name"])
            self.assertEqual(row["ttft_ns"], sum(wanted.values()))
            self.assertEqual((row["is_engine_ttft"], row["longest_gap_ns"]), (1, max(self.log.gaps(row["name"]), default=None)))
        late = self.table(self.path + "/requests?late_ns=100000000")
        self.assertEqual({row["id"] for row in late}, {row["id"] for row in rows if row["ttft_ns"] > 100_000_000})
        worst = self.table(self.path + "/requests?sort=ttft_ns")[0]
        self.assertEqual(worst["ttft_ns"], max(row["ttft_ns"] for row in rows))

    def test_chains_add_up(self):
        causes = set()
        for row in self.table(self.path + "/requests"):
            found = self.get_json(f"{self.path}/requests/{row['id']}")
            self.assertEqual(sum(part["ns"] for part in found["chain"]), row["ttft_ns"])
            causes |= {part["cause"] for part in found["chain"]}
            for part in found["chain"]:
                numbers = range(part["first_number"], part["last_number"] + 1) if part["steps"] else ()
                steps = [self.log.steps[number] for number in numbers]
                if part["cause"] == "slot":
                    held = {each["id"] for each in steps[0]["context"] + steps[0]["generation"]}
                    self.assertEqual({each["name"] for each in part["held_by"]}, held)
                    self.assertEqual({each["name"] for each in part["finished"]}, {name for step in steps for name in step["finished"]})
                if part["cause"] == "step in progress":
                    self.assertEqual({each["name"]: each["tokens"] for each in part["prefilled"]}, {each["id"]: each["tokens"] for each in steps[0]["context"]})
            self.assertEqual(found["tokens"]["gap_ns"], self.log.gaps(row["name"]))
            emitted = [number for number, step in enumerate(self.log.steps) if row["name"] in step["emitted"]]
            self.assertEqual(found["tokens"]["step"], [number + 1 for number in emitted[1:]])
        self.assertLessEqual({"step in progress", "slot", "between steps", "prefill"}, causes)
        self.get(self.path + "/requests/61", status=404)

    def test_percentiles_have_their_request(self):
        summary = self.get_json(self.path + "/requests/summary")
        self.assertEqual((summary["requests"], summary["completed"], summary["slots"], summary["slots_source"]), (60, 60, 3, "running"))
        values = {"ttft": sorted(made_requests.first_tokens(self.text)), "gap": sorted(gap for name in self.log.names for gap in self.log.gaps(name))}
        metrics = {metric["metric"]: metric for metric in summary["metrics"]}
        self.assertEqual(set(metrics), set(values))
        for name, metric in metrics.items():
            self.assertEqual((metric["n"], metric["min_ns"], sum(metric["counts"])), (len(values[name]), values[name][0], len(values[name])))
            for percentile in metric["percentiles"]:
                p, nearest = percentile["p"], values[name][math.ceil(percentile["p"] / 100 * len(values[name])) - 1]
                self.assertAlmostEqual(percentile["linear_ns"], linear(values[name], p), delta=1)
                self.assertEqual(percentile["nearest_ns"], nearest)
                of = self.log.names[percentile["request"] - 1]
                self.assertEqual(nearest, self.log.gaps(of)[percentile["token"] - 1] if name == "gap" else sum(self.log.parts(of).values()))

    def test_windows_are_bounded(self):
        whole = self.get_json(self.path + "/requests/window?px=50&limit=10")
        self.assertEqual((whole["requests"], whole["omitted"], len(whole["rows"]["id"])), (60, 50, 10))
        self.assertLessEqual(len(whole["steps"]["id"]), 51)
        self.assertEqual(sum(whole["steps"]["count"]), len(self.log.steps))
        self.assertEqual(sum(whole["arrivals"]["count"]), 60)
        self.assertEqual(len(whole["load"]["running"]), 50)
        for time, running, waiting in zip(whole["load"]["time_ns"], whole["load"]["running"], whole["load"]["waiting"]):
            at = time + self.log.origin
            served = [step for step in self.log.steps if step["start_unix_ns"] <= at]
            self.assertEqual(waiting, sum(arrival <= at for arrival in self.log.arrivals.values()) - len({each["id"] for step in served for each in step["context"]}))
            self.assertLessEqual(running, 3)
        step = self.log.steps[40]
        part = self.get_json(f"{self.path}/requests/window?from_ns={step['start_unix_ns'] - self.log.origin}&to_ns={step['end_unix_ns'] - self.log.origin}&px=100&order=ttft")
        self.assertEqual(part["steps"]["id"], [41])
        self.assertEqual(part["rows"]["ttft_ns"], sorted(part["rows"]["ttft_ns"], reverse=True))
        spans = {}
        for lane, begin, end in sorted(zip(whole["rows"]["lane"], whole["rows"]["arrival_ns"], whole["rows"]["last_token_ns"])):
            self.assertLessEqual(spans.get(lane, 0), begin)
            spans[lane] = end
        self.get(self.path + "/requests/window?order=name", status=400)

    def test_steps_have_their_requests(self):
        rows = self.table(self.path + "/engine-steps")
        self.assertEqual([row["duration_ns"] for row in rows], [step["end_unix_ns"] - step["start_unix_ns"] for step in self.log.steps])
        number = max(range(len(self.log.steps)), key=lambda number: len(self.log.steps[number]["waiting"]))
        step, found = self.log.steps[number], self.get_json(f"{self.path}/engine-steps/{number + 1}")
        self.assertEqual({each["name"] for each in found["prefilled"]}, {each["id"] for each in step["context"]})
        self.assertEqual({each["name"] for each in found["decoded"]}, {each["id"] for each in step["generation"]})
        self.assertEqual({each["name"] for each in found["finished"]}, set(step["finished"]))
        self.assertGreaterEqual({each["name"] for each in found["waiting_for"]}, set(step["waiting"]))
        self.get(f"{self.path}/engine-steps/{len(rows) + 1}", status=404)


class ConclusionTest(ServerTest):
    """What was planted is said, and what a mend saves, which a second run of the engine measures. Of a mend that the recording does not bound nothing is promised."""

    def conclude(self, requests, engine, mended=None, without=()):
        text = made_requests.log(requests, **engine)
        for key in without:
            text = re.sub(rb'"%s": (\d+|\[[^]]*\]), ' % key, b"", text)
        path = f"{RUNS}/{self.add(text, name='engine.jsonl')['id']}"
        found, late_ns = self.get_json(path + "/conclusion"), self.get_json(path + "/requests/summary")["late_ns"]
        base = made_requests.first_tokens(text)
        late = [i for i, ns in enumerate(base) if ns > late_ns]
        saved = max((100 * cause["save_max"] * cause["share"] / cause["amount"] for cause in found["causes"] if cause["save_max"]), default=None)
        if mended:
            new = made_requests.first_tokens(made_requests.log(requests, **mended))
            measured = 100 * (1 - sum(new[i] for i in late) / sum(base[i] for i in late))
            self.assertTrue(measured / 1.5 <= saved <= measured * 1.5, (saved, measured))
        else:
            self.assertIsNone(saved)
        return found["claims"][0]["rule"], {fact["code"] for fact in found["claims"][0]["facts"]}

    def test_too_few_slots(self):
        rule, facts = self.conclude(made_requests.workload(60, 3, 14), {"slots": 2}, {"slots": 16})
        self.assertEqual(rule, "serving-slot")
        self.assertIn("slots_help", facts)

    def test_a_long_prompt_in_one_step(self):
        requests = made_requests.workload(60, 5, 60, outputs=(3, 6), special={20: (6000, 4), 40: (5000, 4)})
        rule, facts = self.conclude(requests, {"slots": 32}, {"slots": 32, "chunk": 256, "budget": 512})
        self.assertEqual(rule, "serving-step")
        self.assertIn("split_helps", facts)

    def test_a_long_prompt_and_no_free_slot(self):
        requests = made_requests.workload(40, 5, 40, outputs=(10, 30), special={20: (6000, 20)})
        rule, facts = self.conclude(requests, {"slots": 4}, {"slots": 32, "chunk": 256, "budget": 512})
        self.assertEqual(rule, "serving-step-and-slot")
        self.assertLessEqual({"step_prefills", "split_and_slots_help", "also_stops"}, facts)

    def test_arrivals_that_saturate_the_engine(self):
        rule, facts = self.conclude(made_requests.workload(90, 13, 5, outputs=(10, 30)), {"slots": 16})
        self.assertEqual(rule, "serving-slot")
        self.assertIn("queue_grows", facts)
        self.assertNotIn("slots_help", facts)

    def test_prompts_that_are_long_by_themselves(self):
        rule, facts = self.conclude(made_requests.workload(40, 1, 1500, outputs=(3, 6), special={10: (3000, 4), 30: (2500, 4)}), {"slots": 16})
        self.assertEqual(rule, "serving-prefill")
        self.assertIn("computes_prompt", facts)

    def test_nothing_is_late(self):
        rule, facts = self.conclude(made_requests.workload(60, 11, 120), {"slots": 16})
        self.assertEqual((rule, facts), ("first-tokens", {"none_late"}))

    def test_no_slot_and_no_saving_without_knowing_who_runs(self):
        """All slots may be taken: then chunked prefill alone does not help."""
        requests = made_requests.workload(40, 5, 40, outputs=(10, 30), special={20: (6000, 20)})
        rule, facts = self.conclude(requests, {"slots": 4}, without=(b"running", b"waiting"))
        self.assertEqual(rule, "serving-step")
        self.assertIn("step_prefills", facts)
        self.assertTrue(facts.isdisjoint({"slots_taken", "slots_help", "split_helps", "split_and_slots_help"}), facts)

    def test_loads_of_a_sweep_are_not_mixed(self):
        def load(rate, ms):
            times = [ms / 1000] * 6
            return {"date": "20261130-120000", "backend": "vllm", "model_id": "m", "num_prompts": 6, "request_rate": rate, "max_concurrency": None, "duration": 1.0, "completed": 6,
                    "total_input_tokens": 60, "total_output_tokens": 12, "request_throughput": 6.0, "output_throughput": 12.0, "total_token_throughput": 72.0,
                    "mean_ttft_ms": ms, "median_ttft_ms": ms, "std_ttft_ms": 0.0, "p99_ttft_ms": ms, "mean_tpot_ms": 1.0, "median_tpot_ms": 1.0, "std_tpot_ms": 0.0, "p99_tpot_ms": 1.0,
                    "input_lens": [10] * 6, "output_lens": [2] * 6, "start_times": [float(i) for i in range(6)], "ttfts": times, "itls": [[0.001]] * 6, "generated_texts": [""] * 6,
                    "errors": [""] * 6, "latencies": [ms / 1000 + 0.001] * 6}
        text = "".join(json.dumps(load(rate, ms)) + "\n" for rate, ms in ((1.0, 20.0), (8.0, 900.0)))
        found = self.get_json(f"{RUNS}/{self.add(text.encode(), name='sweep.json')['id']}/conclusion")
        (fact,) = found["claims"][0]["facts"]
        self.assertEqual((found["claims"][0]["verb"], fact["code"]), ("flat", "ttft_of_loads"))
        for value, wanted in zip(fact["values"], (2, 0.02, 0.9)):
            self.assertAlmostEqual(value, wanted)
