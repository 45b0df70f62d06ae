#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""made_load_test.py FOLDER [REQUESTS]: the files of a load test of a small engine, the same every time: its event log, the requests as AIPerf lists
them, and, for up to 1,000 requests, a trace without a GPU. The default is 12 requests.

Each step prefills the whole prompts of as many waiting requests as there are free slots, and makes a token for each running request. Of the 12
requests, number 5 has a prompt of 4,000 tokens, whose step takes 0.8 s: 6 arrives during that step and waits for it, then for one of 3 slots.
"""
import json
import os
import sys

MS = 1_000_000
ORIGIN_NS = 1_790_000_000_000_000_000
TO_ENGINE_NS, TO_CLIENT_NS = 2 * MS, 1 * MS


def small():
    """Twelve requests: (sent, prompt tokens, output tokens), the slots, and the time for a token of a prompt."""
    requests = [(i * 30 * MS, 40 + i, 6) for i in range(3)]
    requests += [(100 * MS, 45, 30), (102 * MS, 48, 30), (125 * MS, 4000, 8), (140 * MS, 39, 5)]
    requests += [((1500 + 40 * i) * MS, 50 + i, 6) for i in range(5)]
    return requests, 3, MS // 5


def large(count):
    """Many requests; every 1,000th has a long prompt, so that the requests after it wait, as many as the slots let through later."""
    return [(i * 4 * MS, 40_000 if i % 1000 == 500 else 60 + i % 50, 4 + i % 9) for i in range(count)], 64, MS // 200


class Request:
    def __init__(self, number, sent_ns, prompt, output):
        self.name = f"{number:08d}-0000-4000-8000-000000000000"
        self.id = f"cmpl-{self.name}-0"
        self.sent_ns, self.prompt, self.output = ORIGIN_NS + sent_ns, prompt, output
        self.arrival_ns = self.sent_ns + TO_ENGINE_NS
        self.tokens_ns = []


def simulate(requests, slots, token_ns):
    """Yields the events of the engine; fills in when each request got its tokens."""
    coming, waiting, running, now, number = list(reversed(requests)), [], [], ORIGIN_NS, 0
    while coming or waiting or running:
        if not waiting and not running:
            now = max(now, coming[-1].arrival_ns)
        while coming and coming[-1].arrival_ns <= now:
            one = coming.pop()
            waiting.append(one)
            yield {"event": "arrival", "id": one.id, "unix_ns": one.arrival_ns, "prompt_tokens": one.prompt, "max_tokens": one.output}
        prefilled = waiting[:slots - len(running)]
        waiting = waiting[len(prefilled):]
        tokens = sum(one.prompt for one in prefilled)
        end = now + MS + tokens * token_ns + len(running) * MS // 10
        served = prefilled + running
        for one in served:
            one.tokens_ns.append(end)
        finished = [one for one in served if len(one.tokens_ns) == one.output]
        yield {"event": "iteration", "iteration": number, "name": f"execute_context_{len(prefilled)}({tokens})_generation_{len(running)}({len(running)})",
               "context": [{"id": one.id, "tokens": one.prompt, "computed": 0, "prompt": one.prompt} for one in prefilled],
               "generation": [{"id": one.id, "tokens": 1, "output": len(one.tokens_ns)} for one in running],
               "running": len(served), "waiting": [one.id for one in waiting], "start_unix_ns": now, "end_unix_ns": end,
               "emitted": [one.id for one in served], "finished": [one.id for one in finished]}
        running = [one for one in served if one not in finished] if finished else served
        now, number = end + MS // 5, number + 1


def record_of(one):
    """A line of AIPerf's profile_export.jsonl."""
    received = [ns + TO_CLIENT_NS for ns in one.tokens_ns]

    def value(number, unit="ms"):
        return {"value": number, "unit": unit}
    ttft, latency = (received[0] - one.sent_ns) / MS, (received[-1] - one.sent_ns) / MS
    gaps = [(b - a) / MS for a, b in zip(received, received[1:])]
    return {"metadata": {"x_request_id": one.name, "worker_id": "worker_0", "request_start_ns": one.sent_ns, "request_end_ns": received[-1],
                         "benchmark_phase": "profiling", "was_cancelled": False},
            "metrics": {"request_latency": value(latency), "time_to_first_token": value(ttft), "inter_chunk_latency": value(gaps),
                        "inter_token_latency": value((latency - ttft) / max(1, len(gaps))), "input_sequence_length": value(one.prompt, "tokens"),
                        "output_sequence_length": value(one.output, "tokens")}, "error": None}


def trace_of(steps):
    """Half of each step is attention, a quarter a product."""
    events = []
    for step in steps:
        start, us = (step["start_unix_ns"] - ORIGIN_NS) / 1000, (step["end_unix_ns"] - step["start_unix_ns"]) / 1000
        for name, category, ts, duration in (
                (step["name"], "user_annotation", start, us),
                ("aten::_scaled_dot_product_flash_attention_for_cpu", "cpu_op", start + us / 8, us / 2),
                ("aten::addmm", "cpu_op", start + us * 5 / 8, us / 4)):
            events.append({"ph": "X", "cat": category, "name": name, "pid": 1, "tid": 1, "ts": ts, "dur": duration, "args": {}})
    return {"schemaVersion": 1, "deviceProperties": [], "baseTimeNanoseconds": ORIGIN_NS, "traceEvents": events}


def main():
    folder, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 12
    load, slots, token_ns = small() if count == 12 else large(count)
    requests = [Request(i, *one) for i, one in enumerate(load)]
    os.makedirs(folder, exist_ok=True)
    steps = []
    with open(os.path.join(folder, "engine.jsonl"), "w", encoding="utf-8") as file:
        for event in simulate(requests, slots, token_ns):
            file.write(json.dumps(event) + "\n")
            if event["event"] == "iteration" and count <= 1000:
                steps.append(event)
    with open(os.path.join(folder, "profile_export.jsonl"), "w", encoding="utf-8") as file:
        file.writelines(json.dumps(record_of(one)) + "\n" for one in requests)
    if steps:
        with open(os.path.join(folder, "trace.json"), "w", encoding="utf-8") as file:
            json.dump(trace_of(steps), file)


if __name__ == "__main__":
    main()
