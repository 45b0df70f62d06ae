# SPDX-License-Identifier: MIT
"""Requests of a load test on the terminal and for agents: percentiles, what late ones waited for, and one request with its causes."""
import json
import os
import re
import unittest

from program import ROOT, ShelfTest

EVENTS = os.path.join(ROOT, "tests", "golden", "engine_events", "ok_two_requests.jsonl")
MS = 1_000_000


def engine_log():
    """Eight requests of 10 tokens, one after another in steps of 10 ms, and a step of 500 ms that prefills a long prompt while three wait."""
    now, lines = 1_795_953_929_000_000_000, []

    def event(**words):
        lines.append(json.dumps(words))

    def step(number, ms, context, generation=()):
        nonlocal now
        event(event="iteration", iteration=number, context=[{"id": id_, "tokens": n, "computed": 0, "prompt": n} for id_, n in context],
              generation=[{"id": id_, "tokens": 1} for id_ in generation], running=len(context), waiting=0, start_unix_ns=now,
              end_unix_ns=now + ms * MS, finished=[id_ for id_, _ in context])
        now += ms * MS
    for i in range(8):
        event(event="arrival", id=f"short-{i}", unix_ns=now, prompt_tokens=10)
        step(i, 10, [(f"short-{i}", 10)])
    event(event="arrival", id="long", unix_ns=now, prompt_tokens=4000)
    start = now
    step(8, 500, [("long", 4000)])
    for i in range(3):
        event(event="arrival", id=f"late-{i}", unix_ns=start + (100 + i) * MS, prompt_tokens=20)
    step(9, 20, [(f"late-{i}", 20) for i in range(3)])
    return "\n".join(lines).encode() + b"\n"


class Requests(ShelfTest):
    def test_show_says_why_requests_were_late(self):
        self.ok("add", "--name", "load", self.file("engine.jsonl", engine_log()))
        said = self.ok("show", "load", "--rows", "4")
        self.assertIn("12 requests, 12 completed; 10 steps of the engine", said)
        head, _, rows = said.partition("Requests, the latest first token first")
        self.assertIn("What 4 late requests spent time on (over ", head)
        self.assertRegex(head, r"1\.197 s +3 +3 +\d+  waits for a step in progress")
        self.assertEqual([line.split()[0:2] for line in rows.splitlines()[2:4]], [["500.0", "ms"], ["420.0", "ms"]])

    def test_show_says_how_long_the_steps_of_a_log_take(self):
        line = ("INFO 11-29 12:05:29 [core.py:412] Iteration({0}): {1} context requests, {2} context tokens, 1 generation requests, "
                "1 generation tokens, iteration elapsed time: {3} ms\n")
        log = "".join(line.format(i, 0, 0, 10) for i in range(9)) + line.format(9, 1, 4000, 210)
        self.ok("add", "--name", "log", self.file("engine.log", log.encode()))
        said = self.ok("show", "log")
        self.assertIn("10 steps of the engine take 300.0 ms in all, the median step 10.00 ms. The longest, step 9, takes 210.0 ms to "
                      "prefill 4000 tokens, 70.0 % of the time of all.", said)
        self.assertNotIn("Measurements", said)
        self.ok("add", "--name", "sglang", os.path.join(ROOT, "tests", "golden", "engine_log", "ok_sglang.log"))
        self.assertIn("The log lists 2 steps of the engine, and not how long they took.", self.ok("show", "sglang"))

    def test_explore_shows_the_causes_of_a_request(self):
        self.ok("add", "--name", "load", self.file("engine.jsonl", engine_log()))
        said = self.ok("explore", "load", "late-0")
        self.assertIn("explored: `request 10 late-0`", said)
        self.assertRegex(said, r"\| 400\.0 ms \| 95\.2 % \| waits for a step in progress: step 8, prefills request 9 \(4000 tokens\) \|")
        self.assertRegex(said, r"\| 20\.00 ms \| 4\.8 % \| its own prefill: step 9 \|")
        self.assertIn("request 9 long", self.ok("explore", "load", "worst request"))
        self.assertIn("request 3 short-2", self.ok("explore", "load", "request 3"))
        self.assertIn("no request of the run has the name nobody", self.fails("explore", "load", "nobody"))

    def test_diff_pairs_the_requests(self):
        self.ok("add", "--name", "load", self.file("engine.jsonl", engine_log()))
        self.ok("add", "--name", "again", self.file("again.jsonl", engine_log() + b"\n"))
        said = self.ok("diff", "load", "again")
        self.assertIn("12 pairs of requests, by id", said)
        self.assertNotIn("within noise.", said.split("Requests")[0])
        head, _, rows = said.partition("The 10 requests whose time to the first token changes most")
        self.assertEqual(len(re.findall(r"  (?:late-\d|short-\d|long)$", rows, re.M)), 10)
        self.assertNotIn("pairs of requests", self.ok("diff", "load", "again", "--of", "measurements"))

    def test_diff_of_results_without_requests_begins_with_the_headline(self):
        for name, ms in (("before", 30), ("after", 60)):
            result = {"date": "20261130-120000", "backend": "vllm", "model_id": "m", "num_prompts": 9, "request_rate": 4.0, "duration": 25.0,
                      "completed": 9, "total_input_tokens": 90, "total_output_tokens": 90, "request_throughput": 4.0,
                      "output_throughput": 480.0, "total_token_throughput": 880.0}
            result |= {f"{part}_{metric}_ms": ms for part in ("mean", "median", "std", "p99") for metric in ("ttft", "tpot", "itl")}
            self.ok("add", "--name", name, self.file(f"{name}.json", json.dumps(result).encode()))
        said = self.ok("diff", "before", "after")
        self.assertIn("time to first token, p99 30.00 ms → 60.00 ms, +30.00 ms (+100.0 %)", said)
        for text in (said, self.ok("report", "before", "after")):
            self.assertIn("One run each: significance unknown.", text)
            self.assertNotIn("The requests are not paired", text)

    def test_markdown_has_the_requests(self):
        self.ok("add", "--name", "small", EVENTS)
        said = self.ok("show", "small", "--markdown")
        self.assertIn("2 requests, 1 completed, 1 unfinished; 2 steps of the engine", said)
        self.assertIn("### Requests, percentiles by nearest rank", said)


if __name__ == "__main__":
    unittest.main()
