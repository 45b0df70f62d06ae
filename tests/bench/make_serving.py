#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make_serving.py REQUESTS FILE [--vllm FILE] [--seed N]: a load test of a simulated engine, the same every time.

FILE is a tar archive of AIPerf's profile_export.jsonl and of the engine's log of events, engine.jsonl. It has about one step for two requests,
and 20 to 100 tokens in each request. Each minute begins with a burst, in which requests wait for slots. --vllm also writes the same requests as
`vllm bench serve --save-detailed` does.
"""
import argparse
import json
import os
import random
import tarfile
import tempfile

START_NS = 1_795_000_000_000_000_000
SLOTS, BUDGET = 192, 4096
MS = 1_000_000
MINUTE_NS, BURST_NS = 60_000 * MS, 5_000 * MS
INTERVAL_NS, INTERVAL_OF_BURST_NS = 7.5 * MS, 2 * MS  # between arrivals, on average


class Request:
    def __init__(self, number, rng, arrival_ns):
        self.id = f"{rng.getrandbits(64):016x}-{number:x}"
        self.engine_id = f"cmpl-{self.id}-0"
        self.sent_ns = arrival_ns - rng.randrange(1 * MS, 3 * MS)
        self.arrival_ns = arrival_ns
        self.prompt, self.computed = rng.randrange(50, 1500), 0
        self.output, self.made = rng.randrange(21, 102), 0
        self.first_ns = self.last_ns = 0
        self.gaps_ns = []

    def receive(self, time_ns):
        """Notes the time of a token at the client."""
        if self.made:
            self.gaps_ns.append(time_ns - self.last_ns)
        else:
            self.first_ns = time_ns
        self.last_ns = time_ns
        self.made += 1

    def record(self, number):
        metrics = {"request_latency": (self.last_ns - self.sent_ns) / MS, "time_to_first_token": (self.first_ns - self.sent_ns) / MS,
                   "inter_token_latency": (self.last_ns - self.first_ns) / MS / (self.made - 1)}
        counts = {"output_sequence_length": self.made, "input_sequence_length": self.prompt}
        return json.dumps({"metadata": {"session_num": number, "x_request_id": self.id, "request_start_ns": self.sent_ns, "request_end_ns": self.last_ns,
                                        "worker_id": "worker_1", "benchmark_phase": "profiling", "was_cancelled": False},
                           "metrics": {**{name: {"value": value, "unit": "ms"} for name, value in metrics.items()},
                                       **{name: {"value": value, "unit": "tokens"} for name, value in counts.items()},
                                       "inter_chunk_latency": {"value": [gap / MS for gap in self.gaps_ns], "unit": "ms"}}}) + "\n"


def plan_step(waiting, running):
    """The prompts that the next step computes, with their tokens: chunks of one budget, first come, first served."""
    left, prefills = BUDGET - len(running), []
    for request in [one for one in running if one.computed < one.prompt]:
        take = min(left, request.prompt - request.computed)
        prefills.append((request, take))
        left -= take
    while waiting and left > 0 and len(running) < SLOTS:
        request = waiting.pop(0)
        take = min(left, request.prompt)
        prefills.append((request, take))
        left -= take
        running.append(request)
    return prefills


def log_step(number, begin_ns, end_ns, prefills, decodes, running, waiting, finished):
    context = ", ".join(f'{{"id": "{one.engine_id}", "tokens": {take}, "computed": {one.computed}, "prompt": {one.prompt}}}' for one, take in prefills)
    generation = ", ".join(f'{{"id": "{one.engine_id}", "tokens": 1, "output": {one.made}}}' for one in decodes)
    ended = ", ".join(f'"{one.engine_id}"' for one in finished)
    return (f'{{"event": "iteration", "iteration": {number}, "context": [{context}], "generation": [{generation}], "running": {running}, '
            f'"waiting": {waiting}, "start_unix_ns": {begin_ns}, "end_unix_ns": {end_ns}, "finished": [{ended}]}}\n')


def simulate(requests, rng, log):
    """Serves all requests and writes the log of events."""
    coming, waiting, running, number, now = list(reversed(requests)), [], [], 0, START_NS
    while coming or waiting or running:
        if not waiting and not running:
            now = max(now, coming[-1].arrival_ns)
        while coming and coming[-1].arrival_ns <= now:
            request = coming.pop()
            log.write(json.dumps({"event": "arrival", "id": request.engine_id, "unix_ns": request.arrival_ns, "prompt_tokens": request.prompt}) + "\n")
            waiting.append(request)
        decodes = [one for one in running if one.computed == one.prompt]
        prefills = plan_step(waiting, running)
        begin_ns = now + rng.randrange(100_000, 900_000)
        end_ns = begin_ns + 6 * MS + 3_000 * sum(take for _, take in prefills) + 20_000 * len(decodes) + rng.randrange(MS)
        emitted = decodes + [one for one, take in prefills if one.computed + take == one.prompt]
        finished = [one for one in emitted if one.made + 1 >= one.output]
        log.write(log_step(number, begin_ns, end_ns, prefills, decodes, len(running), len(waiting), finished))
        for one, take in prefills:
            one.computed += take
        for one in emitted:
            one.receive(max(one.last_ns + 1, end_ns + rng.randrange(200_000, 1_500_000)))
        for one in finished:
            log.write(json.dumps({"event": "response_end", "id": one.engine_id, "unix_ns": end_ns + 50_000, "tokens": one.made}) + "\n")
        ended = set(finished)
        running = [one for one in running if one not in ended]
        number, now = number + 1, end_ns
    return number


def write_vllm(path, requests):
    seconds = [[gap / 1e9 for gap in one.gaps_ns] for one in requests]
    ttfts = [(one.first_ns - one.sent_ns) / 1e9 for one in requests]
    with open(path, "w", encoding="ascii") as file:
        json.dump({"date": "20261119-120000", "endpoint_type": "openai", "backend": "openai", "label": None, "model_id": "m", "tokenizer_id": "m",
                   "num_prompts": len(requests), "request_rate": "inf", "burstiness": 1.0, "max_concurrency": None,
                   "duration": (max(one.last_ns for one in requests) - requests[0].sent_ns) / 1e9, "completed": len(requests), "failed": 0,
                   "total_input_tokens": sum(one.prompt for one in requests), "total_output_tokens": sum(one.made for one in requests),
                   "mean_ttft_ms": 1e3 * sum(ttfts) / len(ttfts), "input_lens": [one.prompt for one in requests],
                   "output_lens": [one.made for one in requests], "ttfts": ttfts, "itls": seconds,
                   "start_times": [(one.sent_ns - START_NS) / 1e9 + 7600 for one in requests], "generated_texts": ["" for _ in requests],
                   "errors": ["" for _ in requests]}, file)


def main():
    options = argparse.ArgumentParser(usage=__doc__.split("\n\n")[0])
    options.add_argument("requests", type=int)
    options.add_argument("file")
    options.add_argument("--vllm")
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    rng, arrival_ns, requests = random.Random(given.seed), START_NS, []
    for number in range(given.requests):
        is_burst = (arrival_ns - START_NS) % MINUTE_NS < BURST_NS
        arrival_ns += int(rng.expovariate(1 / (INTERVAL_OF_BURST_NS if is_burst else INTERVAL_NS)))
        requests.append(Request(number, rng, arrival_ns))
    with tempfile.TemporaryDirectory(prefix="perfshelf-bench-") as folder:
        paths = [os.path.join(folder, name) for name in ("profile_export.jsonl", "engine.jsonl")]
        with open(paths[1], "w", encoding="ascii") as log:
            steps = simulate(requests, rng, log)
        with open(paths[0], "w", encoding="ascii") as client:
            client.writelines(one.record(number) for number, one in enumerate(requests))
        with tarfile.open(given.file, "w") as archive:
            for path in paths:
                archive.add(path, "serving-run/" + os.path.basename(path))
    if given.vllm:
        write_vllm(given.vllm, requests)
    print(f"{given.requests} requests, {steps} steps, {sum(one.made for one in requests)} tokens")


if __name__ == "__main__":
    main()
