# SPDX-License-Identifier: MIT
"""Comparisons of serving runs request by request, and goodput, on results of vLLM's layout of which every request is known."""
import csv
import io
import json
import random
import statistics
import subprocess

from server import PROGRAM, RUNS, ServerTest


def result(ttfts, prompts, outputs=None, step=0.01, **more):
    """A result of `vllm bench serve --save-detailed`: request i starts at i seconds."""
    outputs = outputs or [5] * len(ttfts)
    itls = [[step] * max(0, n - 1) for n in outputs]
    return {
        "date": "20261129-120608", "backend": "openai", "endpoint_type": "openai", "label": None, "model_id": "m", "num_prompts": len(ttfts), "request_rate": "inf",
        "max_concurrency": None, "duration": float(len(ttfts)), "completed": len(ttfts), "failed": 0, "total_input_tokens": sum(prompts), "total_output_tokens": sum(outputs),
        "request_throughput": 1.0, "output_throughput": 5.0, "total_token_throughput": 9.0, "input_lens": prompts, "output_lens": outputs, "ttfts": ttfts, "itls": itls,
        "start_times": [100.0 + i for i in range(len(ttfts))], "generated_texts": [""] * len(ttfts), "errors": [""] * len(ttfts),
        "mean_ttft_ms": 1e3 * statistics.fmean(ttfts), "median_ttft_ms": 1e3 * statistics.median(ttfts), "p99_ttft_ms": 1e3 * max(ttfts), **more}


class RequestComparisonTest(ServerTest):
    def load(self, value):
        """The id of a run of this result."""
        return self.add(json.dumps(value).encode())["id"]

    def compared(self, base, new, rest=""):
        return f"/api/v1/compare{rest}?base={base}&new={new}"

    def pairs(self, base, new, more=""):
        return self.get_json(self.compared(base, new, "/requests") + "&format=rows" + more)

    def test_requests_are_paired_by_their_order(self):
        base = self.load(result([0.1, 0.2, 0.3], [7, 8, 9]))
        new = self.load(result([0.4, 0.15, 0.3], [7, 8, 9]))
        self.assertIn("requests", self.get_json(self.compared(base, new))["pictures"])
        summary = self.get_json(self.compared(base, new, "/requests/summary"))
        self.assertEqual([summary[key] for key in ("paired_by", "no_pairs", "pairs", "prompt_lengths")], ["start", None, 3, 3])
        first = summary["metrics"][0]
        self.assertEqual([first[key] for key in ("metric", "pairs", "less", "more", "low", "high")], ["ttft_ns", 3, 1, 1, None, None])
        self.assertEqual((first["base"]["worst"], first["base"]["worst_id"], first["new"]["worst_id"]), (3e8, 3, 1))
        self.assertEqual(first["base"]["curve"], [1e8, 2e8, 3e8])
        rows = self.pairs(base, new)
        self.assertEqual([(row["base_id"], row["new_id"], row["base_ttft_ns"], row["delta_ttft_ns"]) for row in rows], [(1, 1, 1e8, 3e8), (2, 2, 2e8, -5e7), (3, 3, 3e8, 0)])
        self.assertEqual([row["base_gap_ns"] for row in rows], [1e7] * 3)
        self.assertIsNone(rows[0]["base_step_ns"], "no engine says what the request waited for")
        self.assertEqual([row["id"] for row in self.pairs(base, new, "&only=sooner")], [2])
        self.assertEqual([row["id"] for row in self.pairs(base, new, "&sort=base_ttft_ns&desc=1")], [3, 2, 1])
        page = self.get_json(self.compared(base, new, "/requests") + "&limit=1&offset=1")
        self.assertEqual((page["total"], len(page["rows"])), (3, 1))
        table = list(csv.DictReader(io.StringIO(self.get(self.compared(base, new, "/requests") + "&format=csv").body.decode())))
        self.assertEqual([row["prompt_tokens"] for row in table], ["7", "8", "9"])

    def test_other_workloads_are_not_paired(self):
        base = self.load(result([0.1, 0.2], [7, 8]))
        for prompts, why in (([7, 9], "request 2 of the base has a prompt of 8 tokens, request 2 of the new run one of 9"), ([7, 8, 9], "the base has 2 requests, the new run has 3")):
            new = self.load(result([0.4] * len(prompts), prompts))
            summary = self.get_json(self.compared(base, new, "/requests/summary"))
            self.assertEqual((summary["paired_by"], summary["no_pairs"]), (None, why))
            self.assertEqual(summary["metrics"][0]["new"]["worst"], 4e8, "the distributions of both can be compared")
            self.assertEqual(self.pairs(base, new), [])
            self.assertIn(f"The requests are not paired: {why}.", self.sentence(base, new))

    def sentence(self, base, new):
        return "".join(str(part.get("text") or f"{part['value']:g}") for part in self.get_json(self.compared(base, new, "/conclusion"))["sentence"])

    def test_what_changed_for_the_worst_request_is_said(self):
        prompts = list(range(10, 50))
        calm = [0.02 + i / 1e4 for i in range(40)]
        base = self.load(result([0.9] + calm[1:], prompts))
        new = self.load(result([0.1] + calm[1:], prompts, step=0.5))
        said = self.sentence(base, new)
        self.assertIn("The longest gap between two tokens rises from 0.01 (request 1) to 0.5 (request 1).", said)
        self.assertIn("The longest time to first token falls from 0.9 (request 1) to 0.1 (request 1).", said)
        self.assertIn("Of 40 requests, 1 has its first token sooner and 0 later; the median change is 0 s, which is within noise (one run each).", said)
        same = self.load(result([0.8] + calm[1:], prompts))
        self.assertIn("The longest time to first token hardly changes: 0.9 (request 1) before, 0.8 (request 1) now.", self.sentence(base, same))

    def test_groups_and_other_kinds_are_refused(self):
        base = self.load(result([0.1], [7]))
        new = self.load(result([0.2], [7]))
        self.assertRefused(self.get(self.compared(base, f"{new},{base}", "/requests")), 400, "bad_request")
        self.assertRefused(self.get(self.compared(base, new, "/requests") + "&only=best"), 400, "bad_request")

    def test_goodput_is_that_of_vllm(self):
        """request_goodput of vllm/benchmarks/serve.py: completed requests within all limits, by the duration."""
        draw = random.Random(3)
        n = 200
        outputs = [draw.choice([1, 2, 20]) for _ in range(n)]
        value = result([draw.uniform(0.05, 0.3) for _ in range(n)], list(range(1, n + 1)), outputs, errors=["" if i % 10 else "HTTP 500" for i in range(n)])
        value["itls"] = [[draw.uniform(0.001, 0.04) for _ in range(k - 1)] for k in outputs]
        value["completed"], value["failed"] = n - n // 10, n // 10
        run = self.load(value)
        for ttft, tpot, e2el in ((200, None, None), (150, 20, None), (250, 20, 500), (None, None, 400)):
            good = 0
            for i in range(n):
                latency = value["ttfts"][i] + sum(value["itls"][i])
                per_token = (latency - value["ttfts"][i]) / (outputs[i] - 1) if outputs[i] > 1 else 0
                limits = [(ttft, value["ttfts"][i]), (tpot, per_token), (e2el, latency)]
                good += not value["errors"][i] and all(limit is None or limit / 1000 >= took for limit, took in limits)
            words = ",".join(f"{name}:{limit}ms" for name, limit in (("ttft", ttft), ("tpot", tpot), ("e2el", e2el)) if limit)
            load, = self.get_json(f"{RUNS}/{run}/goodput?limits={words}")["loads"]
            self.assertEqual((load["good"], load["requests"], load["completed"]), (good, n, n - n // 10), words)
            self.assertAlmostEqual(load["per_second"], good / value["duration"])
            self.assertAlmostEqual(load["share"], good / n)
        same = [self.get_json(f"{RUNS}/{run}/goodput?limits={words}")["loads"][0]["good"] for words in ("ttft:200", "ttft:0.2s", "ttft:200000us")]
        self.assertEqual(len(set(same)), 1, "a limit without a unit is in ms, as vLLM's is")
        for words in ("", "ttft", "ttft:-1", "ttft:1parsec", "p99:3", "ttft:1,ttft:2"):
            self.assertRefused(self.get(f"{RUNS}/{run}/goodput?limits={words}"), 400, "bad_request")

    def test_loads_of_a_sweep(self):
        """Latency against throughput: each load of each run, with the metrics by the names that all tools have."""
        sweep = "\n".join(json.dumps(result([rate / 10] * 3, [5, 6, 7], request_rate=float(rate), output_throughput=100.0 * rate)) for rate in (1, 2))
        base = self.add(sweep.encode())["id"]
        new = self.load(result([0.7], [9], output_throughput=42.0))
        self.assertIn("sweep", self.get_json(self.compared(base, new))["pictures"])
        runs = self.get_json(self.compared(base, new, "/sweep"))["runs"]
        self.assertEqual([(run["run"], run["group"], len(run["loads"])) for run in runs], [(base, "base", 2), (new, "new", 1)])
        self.assertEqual([load["parameters"]["request_rate"] for load in runs[0]["loads"]], [1, 2])
        values = [{one["metric"]: (one["value"], one["unit"], one["better"]) for one in load["metrics"]} for run in runs for load in run["loads"]]
        self.assertEqual([one["output token throughput"] for one in values], [(100, "tokens/s", 1), (200, "tokens/s", 1), (42, "tokens/s", 1)])
        self.assertEqual([one["time to first token, p99"][0] for one in values], [0.1, 0.2, 0.7])
        alone = self.get_json(f"/api/v1/compare/sweep?new={base}")["runs"]
        self.assertEqual([(run["run"], run["group"], len(run["loads"])) for run in alone], [(base, "new", 2)])

    def check(self, *arguments):
        done = subprocess.run([PROGRAM, "check", *arguments, "--server", f"http://{self.server.host}:{self.server.port}"], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_report_has_the_pairs(self):
        base = self.load(result([0.9] + [0.02 + i / 1e4 for i in range(39)], list(range(40))))
        new = self.load(result([0.1] + [0.01 + i / 1e4 for i in range(39)], list(range(40))))
        done = subprocess.run([PROGRAM, "report", base, new, "--server", f"http://{self.server.host}:{self.server.port}"], capture_output=True, text=True, check=False)
        self.assertIn("### Requests", done.stdout, done.stderr)
        self.assertRegex(done.stdout, r"\| 900\.0 ms \| 100\.0 ms \| 21\.95 ms \| 11\.95 ms \| 40 \| 0 \| -10\.00 ms \(-10\.00 ms to -10\.00 ms\) \| Time to first token \|")
        self.assertIn("40 pairs of requests, by their order; one run each", done.stdout)

    def test_check_of_goodput(self):
        run = self.load(result([0.1] * 15 + [0.3] * 5, list(range(20))))
        code, said = self.check(run, "--goodput", "ttft:200ms tpot:20ms", "--budget", "goodput=95%")
        self.assertEqual(code, 1, said)
        self.assertIn("15 of 20 requests; the 95 % interval is 53.1 % to 88.8 % if they are independent", said)
        self.assertIn("5 above 200.0 ms of ttft, 0 above 20.00 ms of tpot", said)
        self.assertEqual(self.check(run, "--goodput", "ttft:200", "--budget", "goodput=75%")[0], 0)
        self.assertEqual(self.check(run, "--goodput", "ttft:200", "--budget", "goodput=0.75")[0], 0, "requests a second")
        self.assertEqual(self.check(run, "--goodput", "ttft:200", "--budget", "goodput=0.76")[0], 1)
        self.assertEqual([self.check(run, "--budget", f"measurements.time to first token, p99={limit}ms")[0] for limit in (299, 301)], [1, 0], "the largest is 300 ms")
        for wrong in (["--budget", "goodput=95%"], ["--goodput", "ttft:200"], ["--goodput", "ttft:200", "--budget", "goodput=2s"]):
            self.assertEqual(self.check(run, *wrong)[0], 2)

    def slower(self, n, factor, seed):
        """A result whose first tokens take `factor` times as long in the slowest 2 of 100 requests."""
        draw = random.Random(seed)
        ttfts = [draw.lognormvariate(-3, 0.2) * (8 * factor if i % 50 == 7 else 1) for i in range(n)]
        return self.load(result(ttfts, list(range(1, n + 1)), p99_ttft_ms=1e3 * statistics.quantiles(ttfts, n=100, method="inclusive")[98]))

    def test_a_percentile_of_another_definition_is_not_judged(self):
        """The client states the largest value as its p99: the requests say nothing about the spread of that."""
        draw = random.Random(5)
        ttfts = [draw.lognormvariate(-3, 0.1) for _ in range(1600)]
        rows = self.rows(*(self.load(result([factor * s for s in [*ttfts[:-1], 9]], list(range(1600)))) for factor in (1, 2)))
        self.assertEqual(rows["time to first token"]["verdict"], "up")
        self.assertIsNone(rows["time to first token, p99"]["verdict"])

    def rows(self, base, new):
        rows = self.get_json(self.compared(base, new, "/measurements") + "&format=rows")
        return {row["name"]: row for row in rows}

    def test_percentiles_are_judged_by_blocks_of_requests(self):
        base, same, new = self.slower(2000, 1, 1), self.slower(2000, 1, 2), self.slower(2000, 2, 3)
        name = "time to first token, p99"
        self.assertEqual(self.rows(base, same)[name]["verdict"], "same")
        self.assertEqual(self.rows(base, new)[name]["verdict"], "up")
        code, said = self.check(new, "--against", base)
        self.assertEqual(code, 1, said)
        self.assertRegex(said, r"over +time to first token, p99 +\d")
        self.assertEqual(self.check(same, "--against", base)[0], 0)
        self.assertIsNone(self.rows(self.slower(200, 1, 4), self.slower(200, 2, 5))[name]["verdict"], "25 requests of a block say nothing of the 99th percentile")
