# SPDX-License-Identifier: MIT
"""A small serving job: the trace of four steps, and the log of the engine with two requests."""
import json

BASE_NS = 1790857026000000000
ORIGIN_US = 5096903500000
STEPS = [(5, 0, 0), (0, 1, 20_000), (0, 1, 40_000), (8, 1, 60_000)]  # tokens of the prompt, requests in decode, start in us


def step_name(tokens, decoded):
    return f"execute_context_{1 if tokens else 0}({tokens})_generation_{decoded}({decoded})"


def trace(base_ns=BASE_NS):
    events = [{"ph": "X", "cat": "user_annotation", "name": step_name(tokens, decoded), "pid": 1, "tid": 1, "ts": ORIGIN_US + start, "dur": 10_000}
              for tokens, decoded, start in STEPS]
    events += [{"ph": "X", "cat": "cpu_op", "name": "aten::addmm", "pid": 1, "tid": 1, "ts": ORIGIN_US + start + 10, "dur": 500}
               for _, _, start in STEPS]
    return json.dumps({"schemaVersion": 1, "baseTimeNanoseconds": base_ns, "traceEvents": events})


def events(shift_ns=0):
    """The log of the engine, whose steps begin 30 us after those of the trace."""
    def unix(us):
        return BASE_NS + ORIGIN_US * 1000 + us * 1000 + shift_ns
    lines = [{"event": "arrival", "id": "cmpl-a-0", "unix_ns": unix(-3000), "prompt_tokens": 5},
             {"event": "arrival", "id": "cmpl-b-0", "unix_ns": unix(50_000), "prompt_tokens": 8}]
    for number, (tokens, decoded, start) in enumerate(STEPS):
        context = [{"id": "cmpl-b-0" if number else "cmpl-a-0", "tokens": tokens, "computed": 0}] if tokens else []
        generation = [{"id": "cmpl-a-0", "tokens": 1}] if decoded else []
        lines.append({"event": "iteration", "iteration": number, "context": context, "generation": generation, "running": 1 + (number > 2), "waiting": [],
                      "start_unix_ns": unix(start + 30), "end_unix_ns": unix(start + 9_950), "finished": []})
    return "".join(json.dumps(line) + "\n" for line in lines)
