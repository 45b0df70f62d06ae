#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make_trace.py EVENTS FILE [--slow-loader] [--seed N] [--rank N]: a Kineto trace of a training loop on one GPU, the same every time.

Synthetic, with the parts of a real one: ProfilerStep annotations, Python frames with ids, nested operators on a main and
an autograd thread, launches and kernels on two streams joined by correlation, both kinds of flows, copies, [memory]
records, a counter, and the closing metadata. A step is some 1,300 events; the file ends within one event of EVENTS.
FILE may end in .gz. --slow-loader gives each step a long wait for data.
"""
import argparse
import gzip
import json
import random

PID, MAIN, AUTOGRAD, COMPUTE, NCCL = 4711, 4711, 4790, 7, 20
SHAPES = '"Input Dims": [[32, 512, 768], [768, 768], [768]], "Input type": ["float", "float", "float"], '
LAYERS = (  # module, operator, the one below that launches, its backward, kernel
    ("Linear", "aten::linear", "aten::addmm", "AddmmBackward0", "ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_tn"),
    ("GELU", "aten::gelu", "aten::gelu", "GeluBackward0", "void at::native::vectorized_elementwise_kernel<4, gelu>(int, float*)"),
    ("LayerNorm", "aten::layer_norm", "aten::native_layer_norm", "NativeLayerNormBackward0",
     "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float>(int, float, float const*)"),
    ("Conv2d", "aten::conv2d", "aten::cudnn_convolution", "ConvolutionBackward0", "sm80_xmma_fprop_implicit_gemm_f16f16"),
)
DEVICE = {"id": 0, "name": "Synthetic GPU 80GB", "totalGlobalMem": 85_000_000_000, "computeMajor": 9, "computeMinor": 0,
          "maxThreadsPerBlock": 1024, "maxThreadsPerMultiprocessor": 2048, "warpSize": 32, "numSms": 132}


class Trace:
    def __init__(self, seed, slow_loader):
        self.random, self.slow_loader = random.Random(seed), slow_loader
        self.now, self.events = 4_318_084_474_804_705, []
        self.external = self.correlation = self.python = self.sequence = self.flow = 0
        self.free_at, self.allocated = {COMPUTE: 0, NCCL: 0}, 2 << 30

    def event(self, phase, category, name, pid, tid, ts, duration=None, args=None, more=""):
        quoted = [str(x) if isinstance(x, int) else json.dumps(x) for x in (pid, tid)]
        text = f'  {{\n    "ph": "{phase}", ' + (f'"cat": "{category}", ' if category else "")
        text += f'"name": {json.dumps(name)}, "pid": {quoted[0]}, "tid": {quoted[1]},\n    "ts": {ts // 1000}.{ts % 1000:03d}'
        if duration is not None:
            text += f', "dur": {duration // 1000}.{duration % 1000:03d}'
        self.events.append(text + more + (f',\n    "args": {{\n      {args}\n    }}' if args else "") + "\n  }")

    def host(self, category, name, tid, ts, duration, args=""):
        self.external += 1
        self.event("X", category, name, PID, tid, ts, duration,
                   f'"External id": {self.external},"Record function id": 0, {args}"Ev Idx": {self.external}')
        return self.external

    def frame(self, name, ts, duration, parent, module=None):
        self.python += 1
        args = (f'"Python parent id": {parent}, ' if parent else "") + f'"Python id": {self.python}'
        args += "" if module is None else f', "Python module id": {module}'
        self.event("X", "python_function", name, PID, MAIN, ts, duration, args)
        return self.python

    def launch(self, kernel, tid, ts, duration, external, stream=COMPUTE):
        self.correlation += 1
        c, call = self.correlation, self.random.randrange(3000, 6000)
        self.event("X", "cuda_runtime", "cudaLaunchKernel", PID, tid, ts, call, f'"External id": {external}, "cbid": 211, "correlation": {c}')
        start = max(ts + call + self.random.randrange(900, 3000), self.free_at[stream])
        self.free_at[stream] = start + duration + self.random.randrange(200, 900)
        grid, block = self.random.randrange(1, 4000), self.random.choice((128, 256, 512))
        self.event("X", "kernel", kernel, 0, stream, start, duration,
                   f'"External id": {external}, "queued": 0, "device": 0, "context": 1, "stream": {stream}, "correlation": {c}, '
                   f'"registers per thread": 64, "shared memory": 0, "blocks per SM": {grid / 132:.6g}, '
                   f'"warps per SM": {grid * block / 32 / 132:.6g}, "grid": [{grid}, 1, 1], "block": [{block}, 1, 1], '
                   f'"est. achieved occupancy %": {self.random.randrange(10, 100)}')
        self.event("s", "ac2g", "ac2g", PID, tid, ts, more=f', "id": {c}')
        self.event("f", "ac2g", "ac2g", 0, stream, start, more=f', "id": {c}, "bp": "e"')

    def copy(self, ts, size, external):
        self.correlation += 1
        c, start, duration = self.correlation, max(ts + 6000, self.free_at[COMPUTE]), 900 + size // 20
        self.free_at[COMPUTE] = start + duration
        self.event("X", "cuda_runtime", "cudaMemcpyAsync", PID, MAIN, ts, 5000, f'"External id": {external}, "cbid": 41, "correlation": {c}')
        self.event("X", "gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 0, COMPUTE, start, duration,
                   f'"External id": {external}, "device": 0, "context": 1, "stream": {COMPUTE}, "correlation": {c}, '
                   f'"bytes": {size}, "memory bandwidth (GB/s)": {size / duration:.6g}')

    def memory(self, tid, ts, size):
        self.allocated += size
        self.event("i", "cpu_instant_event", "[memory]", PID, tid, ts, more=', "s": "t"',
                   args=f'"Total Reserved": {12 << 30}, "Total Allocated": {self.allocated}, "Bytes": {size}, "Device Id": 0, '
                        f'"Device Type": 1, "Addr": {139_000_000_000_000 + self.random.randrange(1 << 30) * 512}')

    def forward(self, t, parent, depth):
        done = []
        for layer in range(depth):
            for i, (module, operator, inner, backward, kernel) in enumerate(LAYERS):
                work = self.random.randrange(14_000, 34_000)
                frame = self.frame(f"nn.Module: {module}_{layer}", t, work + 9000, parent, layer * len(LAYERS) + i)
                self.frame(f"torch/nn/modules/{module.lower()}.py({100 + i}): forward", t + 1000, work + 7000, frame)
                self.sequence += 1
                order = f'"Sequence number": {self.sequence}, "Fwd thread id": 0, '
                self.host("cpu_op", operator, MAIN, t + 3000, work, SHAPES + order)
                external = self.host("cpu_op", inner, MAIN, t + 4000, work - 2000, SHAPES + order)
                self.memory(MAIN, t + 4500, 4 << 20)
                self.launch(kernel, MAIN, t + 6000, self.random.randrange(9000, 90_000), external)
                self.flow += 1
                self.event("s", "fwdbwd", "fwdbwd", PID, MAIN, t + 3000, more=f', "id": {self.flow}')
                done.append((backward, kernel, self.sequence, self.flow))
                t += work + 10_000
        return t, done

    def backward(self, t, done):
        for backward, kernel, sequence, flow in reversed(done):
            work = self.random.randrange(26_000, 50_000)
            order = f'"Sequence number": {sequence}, "Fwd thread id": 1, '
            self.host("cpu_op", f"autograd::engine::evaluate_function: {backward}", AUTOGRAD, t, work, order)
            self.host("cpu_op", backward, AUTOGRAD, t + 1500, work - 4000, order)
            external = self.host("cpu_op", "aten::mm", AUTOGRAD, t + 3000, work - 8000)
            self.event("f", "fwdbwd", "fwdbwd", PID, AUTOGRAD, t, more=f', "id": {flow}, "bp": "e"')
            self.launch(kernel.replace("fprop", "dgrad"), AUTOGRAD, t + 5000, self.random.randrange(9000, 140_000), external)
            self.memory(AUTOGRAD, t + work - 3000, -(4 << 20))
            t += work + 2000
        external = self.host("cpu_op", "nccl:all_reduce", AUTOGRAD, t, 12_000)
        self.launch("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", AUTOGRAD, t + 2000,
                    self.random.randrange(200_000, 500_000), external, NCCL)
        return t + 15_000

    def step(self, number, depth):
        t0 = t = self.now
        root = self.frame("train.py(70): train_one_step", t0 + 300, 0, 0)
        place = len(self.events) - 1
        wait = self.random.randrange(3_000_000, 5_000_000) if self.slow_loader else self.random.randrange(60_000, 90_000)
        self.host("user_annotation", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", MAIN, t + 2000, wait)
        t += wait + 4000
        external = self.host("cpu_op", "aten::copy_", MAIN, t, 30_000)
        self.copy(t + 3000, 6 << 20, external)
        t, done = self.forward(t + 34_000, root, depth)
        t = self.backward(t + 8000, done)
        self.host("user_annotation", "Optimizer.step#AdamW.step", MAIN, t, 120_000)
        for i in range(4):
            external = self.host("cpu_op", "aten::_foreach_add_", MAIN, t + 4000 + i * 28_000, 22_000)
            self.launch("void at::native::multi_tensor_apply_kernel<TensorListMetadata<2> >()", MAIN, t + 8000 + i * 28_000, 40_000, external)
        t += 130_000
        wait = max(3000, max(self.free_at.values()) - t)
        external = self.host("cpu_op", "aten::item", MAIN, t, wait + 6000)
        self.correlation += 1
        self.event("X", "cuda_runtime", "cudaStreamSynchronize", PID, MAIN, t + 3000, wait,
                   f'"External id": {external}, "cbid": 131, "correlation": {self.correlation}')
        t += wait + 9000
        self.event("C", None, "GPU 0 utilization", 0, 0, t, args=f'"percent": {self.random.randrange(40, 100)}')
        self.events[place] = self.events[place].replace('"dur": 0.000', f'"dur": {(t - t0 - 600) // 1000}.000')
        self.host("user_annotation", f"ProfilerStep#{number}", MAIN, t0, t - t0)
        self.now = t + 4000


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("events", type=lambda text: int(float(text)))
    parser.add_argument("file")
    parser.add_argument("--slow-loader", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rank", type=int, default=0)
    parser.add_argument("--depth", type=int, default=12, help="times the four layers")
    options = parser.parse_args()
    trace, left, number, first = Trace(options.seed, options.slow_loader), options.events - 5, 3, True
    packed = options.file.endswith(".gz")
    with (gzip.GzipFile(options.file, "wb", 6, mtime=0) if packed else open(options.file, "wb")) as out:
        head = {"schemaVersion": 1, "deviceProperties": [DEVICE], "profile_memory": 1, "record_shapes": 1, "with_stack": 1,
                "cuda_runtime_version": 12040, "distributedInfo": {"backend": "nccl", "rank": options.rank, "world_size": 8},
                "trace_id": f"{random.Random(options.seed).getrandbits(128):032X}", "displayTimeUnit": "ms",
                "baseTimeNanoseconds": 1727759448000000000}
        out.write((json.dumps(head, indent=2)[:-2] + ',\n  "traceEvents": [\n').encode())
        while left > 0:
            trace.step(number, options.depth)
            number += 1
            events, trace.events = trace.events[:left], []
            left -= len(events)
            out.write((("" if first else ",\n") + ",\n".join(events)).encode())
            first = False
        for pid, labels, order in ((PID, "CPU", PID), (0, "GPU 0", 5_000_000)):
            trace.event("M", None, "process_name", pid, 0, 0, args='"name": "python3"')
            trace.event("M", None, "process_labels", pid, 0, 0, args=f'"labels": "{labels}"')
        trace.event("M", None, "thread_name", PID, AUTOGRAD, 0, args=f'"name": "thread {AUTOGRAD} (pt_autograd_0)"')
        out.write((",\n" + ",\n".join(trace.events) + '\n  ],\n  "traceName": "synthetic.pt.trace.json"\n}\n').encode())


if __name__ == "__main__":
    main()
