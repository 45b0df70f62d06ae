#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""made_serving.py FILE cpu | FILE [STEPS [other]]: a trace of a serving engine with that many steps (default 64), the same every time.
"cpu": of an engine without a GPU (make_cpu). "other": the same engine with another kernel for attention, which takes half of the time.

Prefill steps launch their kernels one by one, decode steps replay a graph: one call with many kernels. Decode keeps up to 32 requests;
every 9th step is mixed, and every 30th, from the first on, a prefill alone. One idle step and one copy outside of all steps are part of it. The
function returns what each step holds, for tests.
"""
import gzip
import json
import sys

MATMUL = "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_MT256x32x64"
ATTENTION = "void paged_attention_ll4mi_QKV_mfma16_kernel<__hip_bfloat16>"
OTHER_ATTENTION = "void flash::flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<128>>"
NORM = "void vllm::fused_add_rms_norm_kernel<c10::BFloat16>"
COPY = "Memcpy HtoD (Pinned -> Device)"
LAYERS = 12


class Trace:
    """Collects events; times in ns."""

    def __init__(self):
        self.events, self.correlation, self.gpu = [], 100, 0

    def host(self, name, category, start, end, **args):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": 1, "tid": 1, "ts": start / 1000,
                            "dur": (end - start) / 1000, "args": args})

    def work(self, name, category, start, duration):
        """Runs after the work before it, and not before the launch."""
        self.gpu = max(self.gpu, start)
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": 0, "tid": 7, "ts": self.gpu / 1000, "dur": duration / 1000,
                            "args": {"device": 0, "stream": 7, "correlation": self.correlation}})
        self.gpu += duration

    def launch(self, call, at, works):
        self.correlation += 1
        self.host(call, "cuda_runtime", at, at + 4000, correlation=self.correlation)
        for name, category, duration in works:
            self.work(name, category, at + 6000, duration)


def layer(tokens, context, other=False):
    """The kernels of one layer and their ns."""
    attention_ns = 8_000 + context // 4
    attention = (OTHER_ATTENTION, "kernel", attention_ns // 2) if other else (ATTENTION, "kernel", attention_ns)
    return [(MATMUL, "kernel", 40_000 + 30 * tokens), attention, (NORM, "kernel", 2_000 + tokens)]


def annotation(prefill, decode):
    def sums(group):
        query, keys = sum(q for q, _ in group), sum(k for _, k in group)
        return f"(sq{query}sk{keys}sqsq{sum(q * q for q, _ in group)}sqsk{sum(q * k for q, k in group)})"
    tokens = sum(q for q, _ in prefill + decode)
    return f"execute_{tokens}_context_{len(prefill)}{sums(prefill)}_generation_{len(decode)}{sums(decode)}"


def make(steps=64, other=False):
    """Returns the trace and, for each step: phase, requests, tokens, context, kernels, ns of GPU work."""
    trace, truth, running, now = Trace(), [], [], 1_000_000
    trace.launch("cudaMemcpyAsync", 200_000, [(COPY, "gpu_memcpy", 5_000)])
    for number in range(steps):
        is_prefill, is_mixed, is_idle = number % 30 == 0, number % 9 == 4, number == 2
        prefill = [(512 + 64 * i, 512 + 64 * i) for i in range(4 if is_prefill else 2 if is_mixed else 0)]
        decode = [] if is_prefill or is_idle else [(1, k) for k in running]
        if is_idle:
            prefill = []
        tokens, context = sum(q for q, _ in prefill + decode), sum(k for _, k in prefill + decode)
        name, start = annotation(prefill, decode), now
        works = [work for _ in range(LAYERS) for work in layer(tokens, context, other)] if tokens else []
        if prefill:
            for i, work in enumerate(works):
                trace.launch("cudaLaunchKernel", start + 10_000 + 8_000 * i, [work])
        elif works:
            trace.launch("cudaGraphLaunch", start + 10_000, works)
        end = start + 20_000 + (8_000 * len(works) if prefill else 0)
        trace.host(name, "user_annotation", start, end)
        phase = "idle" if not tokens else "mixed" if prefill and decode else "prefill" if prefill else "decode"
        truth.append({"phase": phase, "name": name, "requests": len(prefill) + len(decode), "tokens": tokens, "context": context,
                      "kernels": len(works), "ns": sum(ns for _, _, ns in works)})
        now = max(end, trace.gpu) + 30_000
        running = ([k + 1 for k in running] + [k for _, k in prefill])[-32:]
    return {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "AMD Instinct MI300X"}], "traceEvents": trace.events}, truth


def make_cpu(steps=(("execute_context_1(40)_generation_0(0)", 9_000), *(("execute_context_0(0)_generation_1(1)", 3_000 + 10 * i) for i in range(7)),
                        ("execute_context_1(4215)_generation_1(1)", 800_000), ("execute_context_0(0)_generation_2(2)", 3_500))):
    """A trace of an engine without a GPU: steps of (name, us). Half of a step is attention, a quarter a product that copies for a fifth of its
    time, and a quarter is outside of operators. A second thread has an operator in each step, in less time."""
    events, now = [], 1000

    def slice_of(name, category, start, us, thread=1):
        events.append({"ph": "X", "cat": category, "name": name, "pid": 1, "tid": thread, "ts": start, "dur": us, "args": {}})
    for name, us in steps:
        slice_of(name, "user_annotation", now, us)
        slice_of("aten::_scaled_dot_product_flash_attention_for_cpu", "cpu_op", now + us / 8, us / 2)
        slice_of("aten::addmm", "cpu_op", now + us * 5 / 8, us / 4)
        slice_of("aten::copy_", "cpu_op", now + us * 5 / 8, us / 20)
        slice_of("aten::add", "cpu_op", now + us / 8, us / 4, thread=2)
        now += us + 500
    return {"schemaVersion": 1, "deviceProperties": [], "traceEvents": events}


def main():
    if sys.argv[2:] == ["cpu"]:
        trace = make_cpu()
        with open(sys.argv[1], "w", encoding="utf-8") as file:
            json.dump(trace, file)
        return
    trace, _ = make(int(sys.argv[2]) if len(sys.argv) > 2 else 64, sys.argv[3:] == ["other"])
    data = json.dumps(trace).encode()
    with open(sys.argv[1], "wb") as file:
        file.write(gzip.compress(data, mtime=0) if sys.argv[1].endswith(".gz") else data)


if __name__ == "__main__":
    main()
