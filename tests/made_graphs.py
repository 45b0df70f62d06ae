#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""made_graphs.py CAPTURE REPLAY [SEED [FORM...]]: traces of a serving engine that captures graphs for several batch sizes, and of steps that replay
them. The number "Ev Idx" of an operator is unique, and each replayed slice has that of the operator that recorded it as "truth".

Forms: "names" calls name their kernels, as with ROCm; "nodes" slices have the id of their node, as with CUDA and Kineto of 2026; "pieces" a graph for each
layer instead of one for each batch; "streams" a second stream runs at the same time; "lost" some slices are missing; "extra" one call of each capture
recorded nothing; "outer" each launch is a call inside of a call.
"""
import json
import random
import sys

LAYERS = 6
BATCHES = (4, 8, 16, 32)
GAP = 2_000  # ns between kernels


class Events:
    def __init__(self, start):
        self.now, self.events = start, []

    def add(self, name, category, start, end, tid=7, pid=100, **args):
        event = {"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": start / 1000, "dur": (end - start) / 1000, "args": args}
        self.events.append(event)
        return event


class Engine:
    """Two traces of one process. graphs: batch -> list of graphs, each a list of (kernel, number of the operator, side stream?)."""

    def __init__(self, seed, forms):
        self.random, self.forms = random.Random(seed), set(forms)
        self.correlation, self.operator, self.graph_id = 1000, 0, 4
        self.capture, self.replay = Events(1_000_000), Events(90_000_000_000)
        self.graphs, self.n_slices, self.flops = {}, 0, 0

    def layer(self, batch):
        """(operator, kernel, on the side stream?); names do not depend on the batch, so that only the annotation tells batches apart."""
        ops = [("aten::mm", "gemm_a", False), ("aten::add", "elementwise", False), ("vllm::attention", "attention", False), ("aten::mm", "gemm_a", False),
               ("aten::add", "elementwise", False)]
        if "names" in self.forms:  # the kernel with which ROCm copies
            ops.append(("aten::copy_", "__amd_rocclr_copyBuffer", False))
        if "streams" in self.forms:
            ops[2:2] = [("aten::mm", "gemm_a", True), ("vllm::shared_expert", "expert", True)]
        return ops

    def record(self, events, name, kernel, side):
        """One operator whose launch is recorded; returns its node."""
        self.operator += 1
        start = events.now
        dims = {"Input Dims": [[self.batch, 64], [64, 128]], "Input type": ["float", "float"]} if name == "aten::mm" else {}
        events.add(name, "cpu_op", start, start + 9_000, **{"Ev Idx": self.operator}, **dims)
        self.correlation += 1
        args = {"correlation": self.correlation}
        if "names" in self.forms:
            args["kernel"] = kernel
        call = "hipLaunchKernel" if "names" in self.forms else "cudaLaunchKernel"
        events.add(call, "cuda_runtime", start + 1_000, start + 8_000, **args)
        if "outer" in self.forms:
            events.add("cuLaunchKernel", "cuda_driver", start + 2_000, start + 6_000, **args)
        events.now += 10_000
        return kernel, self.operator, side

    def record_graph(self, layers):
        events = self.capture
        events.add("cudaStreamBeginCapture", "cuda_runtime", events.now, events.now + 1_000, correlation=1)
        events.now += 2_000
        graph = [self.record(events, *op) for _ in range(layers) for op in self.layer(0)]
        if "extra" in self.forms:
            self.record(events, "aten::nothing", "unused", False)
        events.add("cudaStreamEndCapture", "cuda_runtime", events.now, events.now + 1_000, correlation=2)
        events.now += 2_000
        self.graph_id += 2
        return self.graph_id, graph

    def record_all(self):
        for batch in reversed(BATCHES):
            start, self.batch = self.capture.now, batch
            self.graphs[batch] = [self.record_graph(1) for _ in range(LAYERS)] if "pieces" in self.forms else [self.record_graph(LAYERS)]
            self.capture.add(f"capture_{batch}_{'PIECEWISE' if 'pieces' in self.forms else 'FULL'}", "user_annotation", start, self.capture.now)
        self.capture.add("aten::fill_", "cpu_op", self.capture.now, self.capture.now + 8_000, **{"Ev Idx": 0})
        self.capture.add("cudaLaunchKernel", "cuda_runtime", self.capture.now + 1_000, self.capture.now + 2_000, correlation=3, kernel="fill")
        self.capture.add("fill", "kernel", self.capture.now + 9_000, self.capture.now + 10_000, tid=1, pid=0, device=0, stream=1, correlation=3)

    def launch(self, graph_id, graph):
        events = self.replay
        self.correlation += 1
        events.add("cudaGraphLaunch", "cuda_runtime", events.now, events.now + 5_000, correlation=self.correlation)
        clock = {False: events.now + 8_000, True: events.now + 8_500}
        for node, (kernel, truth, side) in enumerate(graph):
            length = self.random.randrange(3_000, 9_000)
            args = {"device": 0, "stream": 9 if side else 7, "correlation": self.correlation, "truth": truth}
            if "nodes" in self.forms:
                args |= {"graph id": graph_id, "graph node id": (graph_id << 32) + 3 * node + 1}
            if "lost" not in self.forms or self.random.random() > 0.004:
                events.add(kernel, "kernel", clock[side], clock[side] + length, tid=args["stream"], pid=0, **args)
                self.n_slices += 1
            clock[side] += length + GAP
        events.now = max(clock.values())

    def run(self, steps):
        for _ in range(steps):
            batch = self.random.randrange(1, BATCHES[-1] + 1)
            start = self.replay.now
            size = min(size for size in BATCHES if size >= batch)
            for graph_id, graph in self.graphs[size]:
                self.launch(graph_id, graph)
                self.flops += sum(2 * size * 64 * 128 for kernel, _, _ in graph if kernel == "gemm_a")
            self.replay.add(f"execute_context_0(0)_generation_{batch}({batch})", "user_annotation", start, self.replay.now)
            self.replay.now += 50_000


def make(seed=1, forms=("names",), steps=40):
    """The events of the capture and of the replay, the number of replayed slices, and the FLOPs of their aten::mm."""
    engine = Engine(seed, forms)
    engine.record_all()
    engine.run(steps)
    return engine.capture.events, engine.replay.events, engine.n_slices, engine.flops


def write(path, events):
    with open(path, "w") as file:
        json.dump({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "GPU"}], "traceEvents": events}, file)


if __name__ == "__main__":
    capture, replay, _, _ = make(int(sys.argv[3]) if len(sys.argv) > 3 else 1, sys.argv[4:] or ("names",))
    write(sys.argv[1], capture)
    write(sys.argv[2], replay)
